"""`hd status`: whether a daemon runs for this home and answers, and where."""

import argparse
import os
import time

import msgspec

from hd.cli.ending import say
from hd.cli.look import Found, look
from hd.config.home import Home
from hd.errors import DONE, UNREACHABLE


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    found = look(Home.of(os.environ), os.environ)
    if args.json:
        document = {
            "running": found.daemon is not None,
            "daemon": found.daemon,
            "home": str(found.home.root),
            "key": found.key,
            "sandbox": found.sandbox,
        }
        print(msgspec.json.encode(document).decode())
    else:
        _print(found)
    if found.trouble is not None:
        say(found.trouble)
    return DONE if found.daemon is not None and found.trouble is None else UNREACHABLE


def _print(found: Found) -> None:
    if found.daemon is None:
        print(found.who())
        return
    daemon = found.daemon
    minutes = max(0, round(time.time() - daemon.started_at / 1000)) // 60
    print(f"Running at {daemon.url} (process {daemon.pid}, version {daemon.version}, for {minutes} min)")
    print(f"Home: {found.home.root}")
    print(f"API key: {found.key_line()}")
    if found.sandbox is not None:
        print(f"Sandbox: {found.sandbox['text']}")
