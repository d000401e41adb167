"""What all sessions of a host cost that tells no cost: read from their logs, reckoned here, and kept."""
