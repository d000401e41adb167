"""`hd replay FILE`: the answers of a recording, read as at first; with `--check` only read, without a session."""

import argparse
import os
import sys

from hd.errors import DONE, FAILED, UsageError
from hd.permit.presets import PRESETS

LARGEST = 1024 * 1024 * 1024
"""Bytes of a recording that are read."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a recording of `hd record` or `hd run --record`")
    parser.add_argument("--check", action="store_true", help="only read the answers, and say what comes out")
    parser.add_argument("--conversation", metavar="N", type=int, default=1, help="which one, where there are several")
    parser.add_argument("--workspace", metavar="DIR", default=".", help="folder to work in (default: this one)")
    parser.add_argument("--permission", choices=sorted(PRESETS), default="read-only", help="default: read-only")
    parser.add_argument("--timing", action="store_true", help="let each piece come as late as it did")
    parser.add_argument("--json", action="store_true", help="print JSON lines, one an event, and the result last")
    parser.epilog = (
        "The session has a home of its own, which goes away at the end. Its tools are real ones: give a recording of "
        "somebody else a permission only in a folder that may be lost. With --check the exit code is 1 when something "
        "else comes out of an answer than when it was recorded."
    )


def run(args: argparse.Namespace) -> int:
    import asyncio

    from hd.cli.printing import JsonLines, Readable
    from hd.cli.tape import Wanted, check, play
    from hd.llm.tape.form import TapeUnusable, load
    from hd.session.workspaces import real_directory

    try:
        with open(args.file, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise TapeUnusable(f"{args.file} cannot be read: {error.strerror}.") from None
    if len(data) > LARGEST:
        raise TapeUnusable(f"{args.file} is larger than {LARGEST} bytes; nothing was played.")
    tape = load(data)
    if tape.torn:
        print(f"hd: the last line of {args.file} was cut off and is left out.", file=sys.stderr)
    if args.check:
        return DONE if asyncio.run(check(tape)) else FAILED
    conversations = list(tape.conversations().values())
    if not 1 <= args.conversation <= len(conversations):
        raise UsageError(f"The recording has {len(conversations)} conversations; there is no {args.conversation}.")
    folder = real_directory(os.path.abspath(args.workspace))
    wanted = Wanted(conversations[args.conversation - 1], tape.title.contents, folder, args.permission, args.timing)
    return asyncio.run(play(wanted, JsonLines(sys.stdout) if args.json else Readable(sys.stdout), os.environ))
