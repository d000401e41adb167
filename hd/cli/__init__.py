"""The command `hd`. Each subcommand is a module, and only the one that is meant is imported."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from hd.cli import ending
from hd.errors import USAGE, UsageError
from hd.version import __version__

COMMANDS = {
    "web": "start the daemon and print the address to open",
    "run": "run one prompt to its end, for scripts; no daemon is needed",
    "token": "print a fresh login address of the running daemon",
    "status": "say whether a daemon runs, and where",
    "stop": "end the running daemon; turns are closed, nothing is lost",
    "record": "write down what goes to the provider and what comes back, for a report",
    "replay": "play a recording: the same answers, without a provider",
    "cost": "say what the sessions cost; --explain SESSION lists every request",
    "doctor": "look whether what is kept can be read, and repair it",
    "key": "store, remove or look for the API key",
}
_READ_FROM = ("HD_HOME", "HD_MODEL")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One sentence, as for every other error; the usage is what `--help` is for."""
        # What argparse repeats may be a key that somebody gave in the wrong place.
        told = "There are words on the command line that belong to nothing" if "unrecognized" in message else message
        ending.say(f"{told.rstrip('.')}. Try `{self.prog} --help`.")
        self.exit(USAGE)


def parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """The parser for this command line; the arguments of commands that it does not name are left out."""
    root = _Parser(prog="hd", description="A headless coding-agent daemon for DeepSeek models.")
    root.add_argument("--version", action="version", version=f"hd {__version__}")
    commands = root.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        if name in argv:
            import_module(f"hd.cli.{name}").arguments(command)
    return root


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command and gives its exit code; every error that a person can cause is one sentence on stderr."""
    ending.open_streams()
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 0
    except BaseException as error:
        code = ending.tell(ending.first(error))
    return ending.close_output(code)


def _run(argv: Sequence[str]) -> int:
    args = parser(argv).parse_args(argv)
    _demand_text("an argument", argv)
    for name in _READ_FROM:
        _demand_text(name, [os.environ.get(name, "")])
    return int(import_module(f"hd.cli.{args.command}").run(args))


def _demand_text(what: str, values: Sequence[str]) -> None:
    """Bytes that are no text would break the log and the wire much later, and say so less clearly."""
    for value in values:
        try:
            value.encode()
        except UnicodeEncodeError:
            raise UsageError(f"What was given as {what} is not valid UTF-8.") from None
