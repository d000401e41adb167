"""`hd doctor`: whether what is kept can be read, and what to do if not."""

import argparse
import os

from hd.config.home import Home
from hd.config.keys import Keys
from hd.config.lock import acquire, running
from hd.errors import DONE, FAILED, StoreDamaged

BUDGET_S = 60.0
"""A start looks for a third of a second; here there is time for the whole file."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--repair", action="store_true", help="set a damaged database aside and copy what can be read into a new one"
    )
    parser.epilog = "The damaged file is never changed or deleted. Stop the daemon before a repair."


def run(args: argparse.Namespace) -> int:
    home = Home.of(os.environ)
    daemon = running(home)
    print(f"Home: {home.root}")
    print(f"Daemon: {'none runs' if daemon is None else f'runs at {daemon.url} (process {daemon.pid})'}")
    key = Keys(home, os.environ).status()
    print(f"API key: {f'from the {key.source}' if key.configured else key.problem or 'none'}")
    if not home.database.exists():
        print("Database: none yet; the first start makes it.")
        return DONE
    return _repair(home) if args.repair else _look(home)


def _look(home: Home) -> int:
    from hd.session.store.check import look

    try:
        look(home.database, budget_s=BUDGET_S)
    except StoreDamaged as error:
        print(f"Database: {error.message}")
        return FAILED
    print(f"Database: {home.database} is whole.")
    return DONE


def _repair(home: Home) -> int:
    from hd.session.store.repair import repair

    home.prepare()
    with acquire(home):
        done = repair(home.database)
    print(f"Database: {done.sessions} sessions with {done.events} events are in the new one.")
    print(f"The old one is kept as {done.aside}.")
    for line in done.lost:
        print(f"Could not be read: {line}.")
    return FAILED if done.lost else DONE
