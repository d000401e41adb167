"""Messages that are held until their model costs less (row X6)."""
