"""Commands on the machine that `htui` runs on, which the host and the model know nothing of (row T22)."""
