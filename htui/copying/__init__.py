"""Copying: what is copied, by which way it gets to the clipboard of a person, and what may be said about that."""
