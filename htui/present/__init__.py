"""Values to text, without a terminal: everything here is pure, and nothing here imports textual."""
