"""The command line of `htui`."""

from htui.cli.main import main

__all__ = ["main"]
