"""The host's slash commands: what one is, how a line names one, and how running it is recorded (WIRE 10.2)."""
