"""What a session cost, folded from its log: for the daemon, and for a client whose host tells no cost."""
