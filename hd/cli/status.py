"""`hd status`: whether a daemon runs for this home, and where."""

import argparse
import os
import time

import msgspec

from hd.config.home import Home
from hd.config.keys import Keys
from hd.config.lock import running
from hd.errors import DONE, UNREACHABLE


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    home = Home.of(os.environ)
    daemon = running(home)
    key = Keys(home, os.environ).status()
    if args.json:
        document = {"running": daemon is not None, "daemon": daemon, "home": str(home.root), "key": key}
        print(msgspec.json.encode(document).decode())
    elif daemon is None:
        print(f"No daemon runs for {home.root}. Start one with `hd web`.")
    else:
        minutes = max(0, round(time.time() - daemon.started_at / 1000)) // 60
        print(f"Running at {daemon.url} (process {daemon.pid}, version {daemon.version}, for {minutes} min)")
        print(f"Home: {home.root}")
        print(f"API key: {f'from the {key.source}' if key.configured else key.problem or 'none; the demo serves'}")
    return DONE if daemon is not None else UNREACHABLE
