"""`hd key set|remove|status`: the API key of this home."""

import argparse
import os
import sys

from hd.config.home import Home
from hd.config.keys import LONGEST, VARIABLE, Keys
from hd.errors import DONE, FAILED


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("set", "remove", "status"))
    parser.epilog = (
        "`set` asks for the key without showing it, or reads it from standard input. A key is never taken from the "
        f"command line, where others could see it. {VARIABLE} in the environment comes before the stored one."
    )


def run(args: argparse.Namespace) -> int:
    home = Home.of(os.environ)
    keys = Keys(home, os.environ)
    if args.action == "set":
        home.prepare()
        keys.save(_typed())
        print("Stored, encrypted. The next request uses it; a daemon that serves the demo has to be started again.")
        return DONE
    if args.action == "remove":
        print("Removed." if keys.remove() else "There was no stored key.")
        return DONE
    status = keys.status()
    if status.configured:
        print(f"A key is set, from the {status.source}.")
        return DONE
    print(status.problem or "No key is set. `hd key set` stores one; without it the scripted demo serves.")
    return FAILED


def _typed() -> str:
    """What was typed or piped in, all of it: a second line is a mistake to be told, not to be dropped."""
    if not sys.stdin.isatty():
        return sys.stdin.buffer.read(LONGEST * 4).decode("utf-8", "replace").strip()
    import getpass

    try:
        return getpass.getpass("API key: ").strip()
    except EOFError:
        return ""
