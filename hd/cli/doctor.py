"""`hd doctor`: whether what is kept can be read, and what to do if not; and which rule decides on a file."""

import argparse
import os
import time
from pathlib import Path

from hd.cli.look import Found, look
from hd.config.disks import network_disk
from hd.config.home import Home
from hd.config.lock import acquire
from hd.errors import DONE, FAILED, HdError

BUDGET_S = 60.0
"""A start looks for a third of a second; here there is time for the whole file."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--repair", action="store_true", help="set a damaged database aside and copy what can be read into a new one"
    )
    parser.add_argument(
        "--path", help="say only whether the file tools may have this path of the current folder, and by which rule"
    )
    parser.epilog = "The damaged file is never changed or deleted. Stop the daemon before a repair."


def run(args: argparse.Namespace) -> int:
    home = Home.of(os.environ)
    if args.path is not None:
        return _path(home, args.path)
    found = look(home, os.environ)
    print(f"Home: {home.root}")
    print(f"Daemon: {found.who()}")
    if found.trouble is not None:
        print(f"Trouble: {found.trouble}")
    print(f"API key: {found.key_line()}")
    print(f"Sandbox: {_sandbox(found)}")
    disk = network_disk(home.root)
    if disk is not None:
        print(f"Disk: a network disk ({disk}). Use this home from one machine only.")
    code = _database(home, repair=args.repair)
    return FAILED if found.trouble is not None or found.key.problem is not None else code


def _sandbox(found: Found) -> str:
    """What the daemon says of its own; without a daemon, what a try finds now."""
    if found.sandbox is not None:
        return str(found.sandbox["text"])
    from hd.process.sandbox.probe import probe

    return probe().sentence()


def _path(home: Home, path: str) -> int:
    """What a session in the current folder could do with a path; nothing is opened but the settings."""
    from hd.config.document import KEY
    from hd.config.namespaces import SECRET_FILES
    from hd.files.guard import Guard
    from hd.files.layer import FileLayer
    from hd.files.rules import OwnRules
    from hd.permit.why import why_path
    from hd.session.store.check import kept_setting

    kept = kept_setting(home.database, KEY) or {}
    section = kept.get(SECRET_FILES, {}).get("user", {})
    rules = OwnRules(section.get("deny", ()), section.get("allow", ()))
    print(why_path(path, FileLayer(Path.cwd(), Guard((home.root,), rules))))
    return DONE


def _database(home: Home, *, repair: bool) -> int:
    """Tells of the database, or repairs it."""
    if not home.database.exists():
        print("Database: none yet; the first start makes it.")
        return DONE
    return _repair(home) if repair else _check(home)


def _check(home: Home) -> int:
    from hd.session.store import check

    try:
        check.look(home.database, budget_s=BUDGET_S)
    except HdError as error:
        print(f"Database: {error.message}")
        return FAILED
    print(f"Database: {home.database} is whole.")
    return _logs(home)


def _logs(home: Home) -> int:
    """Tells of each log what is wrong with it, as far as there is time."""
    from hd.cli.cured import survey, told
    from hd.session.store.survey import logs

    deadline = time.monotonic() + BUDGET_S
    try:
        found = survey(logs(home.database), has_time=lambda: time.monotonic() < deadline)
    except HdError as error:
        print(f"Logs: {error.message}")
        return FAILED
    for line in told(found):
        print(line)
    return FAILED if found.closed else DONE


def _repair(home: Home) -> int:
    from hd.session.store.repair import repair

    home.prepare()
    with acquire(home, "doctor"):
        done = repair(home.database)
    print(f"Database: {done.sessions} sessions with {done.events} events are in the new one.")
    print(f"The old one is kept as {done.aside}.")
    for line in done.lost:
        print(f"Could not be read: {line}.")
    return FAILED if done.lost else DONE
