"""The command `hd`. Each subcommand is a module; nothing heavy is imported before it is known which one is meant."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from hd.errors import CANCELLED, FAILED, HdError
from hd.version import __version__

COMMANDS = {
    "web": "start the daemon and print the address to open",
    "run": "run one prompt to its end without a daemon, for scripts",
    "token": "print a fresh login address of the running daemon",
    "status": "say whether a daemon runs, and where",
    "stop": "end the running daemon; turns are closed, nothing is lost",
    "key": "store, remove or look for the API key",
}


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog="hd", description="A headless coding-agent daemon for DeepSeek models.")
    root.add_argument("--version", action="version", version=f"hd {__version__}")
    commands = root.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        import_module(f"hd.cli.{name}").arguments(commands.add_parser(name, help=text, description=text))
    return root


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command and gives its exit code; every error that a person can cause is one sentence on stderr."""
    args = parser().parse_args(argv)
    try:
        return int(import_module(f"hd.cli.{args.command}").run(args))
    except HdError as error:
        print(f"hd: {error.message}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return CANCELLED
    except BrokenPipeError:
        # The reader of our output is gone; nothing can be said to it, and the interpreter must not try at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
