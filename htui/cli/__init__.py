"""The command line of `htui`: `main` chooses, and each subcommand is a module that is loaded when it is asked for.

A command that prints two lines must start in a blink, so nothing heavy is imported on the way to it.
"""

import errno
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from htui.errors import CANCELLED, DONE, FAILED, USAGE, HtuiError

SUBCOMMANDS = {
    "list": "htui.cli.listing:run",
    "needs": "htui.cli.needs:run",
    "allow": "htui.cli.answering:allow",
    "deny": "htui.cli.answering:deny",
    "answer": "htui.cli.answering:answer",
}
"""Module and function of each subcommand, which takes the remaining arguments and returns the exit code."""


_UNWRITABLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF, errno.EFBIG})
"""What writing to a full disk, a closed file or a broken device fails with."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs `htui` with `argv` (without the program's name) and returns the exit code (DESIGN 7)."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if sys.stdout is None:  # closed by whoever started us, as `>&-` does
        print("htui: standard output is closed, so there is nowhere to write to.", file=sys.stderr)
        return FAILED
    try:
        code = _chosen(arguments)(arguments)
        sys.stdout.flush()
        return code
    except HtuiError as error:
        print(f"htui: {_shown(error.message)}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        _silence(sys.stdout.fileno())
        return DONE
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        _silence(sys.stdout.fileno())
        print(f"htui: the output could not be written: {error.strerror}.", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return CANCELLED
    except SystemExit as stop:  # argparse: 0 after --help, 2 after a mistake that it has told
        return stop.code if isinstance(stop.code, int) else USAGE


def _chosen(arguments: list[str]) -> Callable[[list[str]], int]:
    name = SUBCOMMANDS.get(arguments[0]) if arguments else None
    if name is not None:
        del arguments[0]
    module, _, function = (name or "htui.cli.start:run").partition(":")
    run: Callable[[list[str]], int] = getattr(import_module(module), function)
    return run


def _shown(text: str) -> str:
    """An error's text, which may quote a host, as one line that a terminal only shows."""
    from htui.present.safe import one_line

    return one_line(text)


def _silence(descriptor: int) -> None:
    """The reader of our output went, as `head` does: what is left in the buffer goes nowhere, without a complaint."""
    void = os.open(os.devnull, os.O_WRONLY)
    os.dup2(void, descriptor)
    os.close(void)
