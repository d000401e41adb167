"""A process that takes the lock of a home when told to, and says what came of it."""

import os
import sys
from pathlib import Path

from hd.config.home import Home
from hd.config.lock import Daemon, HomeLock, acquire
from hd.errors import HomeBusy


def main(home: Home) -> None:
    held: HomeLock | None = None
    for line in sys.stdin:
        command = line.strip()
        if command == "release":
            if held is not None:
                held.release()
                held = None
            print("released", flush=True)
            continue
        try:
            held = acquire(home, wait_s=20)
        except HomeBusy as error:
            print("lost", error.details["url"], flush=True)
        else:
            held.publish(Daemon(f"http://127.0.0.1:{command}", "127.0.0.1", int(command), os.getpid(), "0", 1))
            print("won", flush=True)


main(Home(Path(sys.argv[1])))
