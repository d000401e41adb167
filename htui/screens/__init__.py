"""The screens: they put widgets together, take keys to where they belong, and carry out what was decided."""
