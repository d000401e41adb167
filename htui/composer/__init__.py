"""Writing a prompt: the text, the keys, its place on the screen, and what is kept of it. Without textual."""
