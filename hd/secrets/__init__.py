"""The values that must not be shown: where they stand (`find`, `values`), and how a text is rid of them (`mask`)."""
