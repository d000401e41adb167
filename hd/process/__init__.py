"""The one process layer: what a command gets to see, how it runs, how it ends, and what it must not leave behind."""
