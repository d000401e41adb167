"""Recording of what a provider was asked and what it sent, and its playing: for reports that carry their own test."""
