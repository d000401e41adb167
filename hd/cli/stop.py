"""`hd stop`: ends the daemon and waits until it is gone."""

import argparse
import os
import sys
import time

from hd.config.home import Home
from hd.config.lock import running
from hd.errors import DONE, FAILED

WAIT_S = 20.0
POLL_S = 0.05


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Running turns are closed as interrupted. What waits in a queue stays there."


def run(args: argparse.Namespace) -> int:
    from hd.cli.local import Local

    home = Home.of(os.environ)
    local = Local.find(home)
    local.post("/api/local/stop")
    deadline = time.monotonic() + WAIT_S
    while (left := running(home)) is not None and left.pid == local.daemon.pid:
        if time.monotonic() > deadline:
            print(f"hd: The daemon (process {local.daemon.pid}) is still closing its turns.", file=sys.stderr)
            return FAILED
        time.sleep(POLL_S)
    print("Stopped.")
    return DONE
