"""One slash command a module; none imports another."""
