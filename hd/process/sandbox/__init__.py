"""Commands that can touch no more than they may, where the kernel allows it (`docs/notes/sandbox.md`)."""
