"""The log of a session and everything that is folded from it; knows no model and no tool."""
