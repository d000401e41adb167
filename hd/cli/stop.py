"""`hd stop`: ends the daemon and waits until it is gone."""

import argparse
import os
import time

from hd.cli.ending import say
from hd.config.home import Home
from hd.config.lock import running
from hd.errors import DONE, FAILED, NotRunning

WAIT_S = 20.0
GRACE_S = 3.0
POLL_S = 0.05


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--force", action="store_true", help="also when the disk is full and what was recorded last would be lost"
    )
    parser.epilog = "Running turns are closed as interrupted. What waits in a queue stays there."


def run(args: argparse.Namespace) -> int:
    from hd.cli.local import Local

    local = Local.find(home := Home.of(os.environ))
    said = _said(home)
    try:
        lost = local.post(f"/api/local/stop{'?force' if args.force else ''}")["lost"]
    except NotRunning:
        # One that is ending already answers nobody any more.
        if not _gone(home, local.daemon.pid, GRACE_S):
            raise
        lost = ""
    if lost:
        say(f"What was recorded last is lost. {lost}")
    if _gone(home, local.daemon.pid, WAIT_S):
        last_words = _said(home).removeprefix(said).strip()
        if last_words:
            say(f"The daemon ended, but said: {last_words.removeprefix('hd: ')}")
            return FAILED
        print("Stopped.")
        return DONE
    say(f"The daemon (process {local.daemon.pid}) is still closing its turns.")
    return FAILED


def _said(home: Home) -> str:
    """What a daemon in the background has said so far; one in a terminal says it there."""
    try:
        return home.start_log.read_text(errors="replace")
    except OSError:
        return ""


def _gone(home: Home, pid: int, within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while (left := running(home)) is not None and left.pid == pid:
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True
