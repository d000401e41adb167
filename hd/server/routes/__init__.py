"""The endpoints by namespace; each module gives its part of the two tables."""
