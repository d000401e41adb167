"""Telling somebody who looks elsewhere that something waits for them, or is done (row T10)."""
