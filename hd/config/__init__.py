"""Where the daemon lives and what it was told: the home folder, the lock on it, settings, the API key, the log file."""
