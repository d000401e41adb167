"""A headless coding-agent daemon: sessions, agent loop, tools and the wire that publishes them."""
