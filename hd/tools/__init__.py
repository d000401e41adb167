"""The tools a model can call: the interface, the table, the bounds of what they return; `kinds/` holds one a file."""
