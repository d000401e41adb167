"""Saved prompts (row T13): those that come with the program, and over them a person's own."""
