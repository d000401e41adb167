"""`hd run`: one prompt to its end, without a person, and without a daemon where none runs."""

import argparse
import os
import sys
from pathlib import Path

from hd.errors import UsageError
from hd.permit.presets import PRESETS

LONGEST = 16 * 1024 * 1024
"""Bytes of a prompt from standard input."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("prompt", metavar="PROMPT", help="what to do; - reads it from standard input")
    parser.add_argument("--workspace", metavar="DIR", default=".", help="folder to work in (default: this one)")
    parser.add_argument("--model", metavar="M", help="model to use")
    parser.add_argument("--permission", choices=sorted(PRESETS), help="default: what the settings say")
    parser.add_argument("--budget", metavar="CNY", help="send no request that could make it cost more than this")
    parser.add_argument("--demo", action="store_true", help="use the scripted offline demo, even with a key")
    parser.add_argument("--record", metavar="FILE", help="write down what goes to the provider and what comes back")
    parser.add_argument("--json", action="store_true", help="print JSON lines, one an event, and the result last")
    parser.epilog = (
        "Nobody is asked: what would need an approval is denied, and a question ends the run. "
        "Exit codes: 0 done, 1 failed, 2 usage, 3 needs a person, 4 something was denied, 5 budget, "
        "6 provider, 7 the daemon went away, 130 cancelled. Where a daemon of the home runs, the session is one of its."
    )


def run(args: argparse.Namespace) -> int:
    prompt = _piped() if args.prompt == "-" else args.prompt
    if not prompt.strip():
        raise UsageError("The prompt is empty; nothing was started.")
    if args.model is not None and not args.model.strip():
        raise UsageError("The name of the model is empty; nothing was started.")
    import asyncio

    from hd.cli.host import play
    from hd.cli.printing import JsonLines, Readable
    from hd.cli.wish import Wish, budget
    from hd.session.workspaces import real_directory

    limit = None if args.budget is None else budget(args.budget)
    folder = real_directory(os.path.abspath(args.workspace))
    record = None if args.record is None else Path(args.record)
    wish = Wish(prompt, str(folder), args.permission, args.model, limit, args.demo, record)
    return asyncio.run(play(wish, JsonLines(sys.stdout) if args.json else Readable(sys.stdout), os.environ))


def _piped() -> str:
    """The prompt from standard input; what is not UTF-8 in it becomes replacement characters."""
    read = sys.stdin.buffer.read(LONGEST + 1)
    if len(read) > LONGEST:
        raise UsageError(f"The prompt is longer than {LONGEST} bytes; nothing was started.")
    return read.decode("utf-8", "replace")
