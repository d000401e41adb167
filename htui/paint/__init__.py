"""From what Textual composed to as few bytes as the terminal needs for it."""
