"""Dated price tables and exact money; usable without the rest of the project."""
