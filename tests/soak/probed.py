"""The daemon as it is, with one signal more: SIGUSR1 writes a census of the process into the file `CENSUS` names.

python -m tests.soak.probed web --json --port 0
"""

import asyncio
import gc
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

import msgspec

from hd.cli import main

CENSUS = "SOAK_CENSUS"


def census() -> dict[str, object]:
    """Open descriptors, tasks by name, and objects that live after a full collection."""
    gc.collect()
    tasks = Counter(task.get_name().rstrip("0123456789") for task in asyncio.all_tasks())
    alive = gc.get_objects()
    open_files = Counter(_target(name) for name in os.listdir("/proc/self/fd"))
    kinds = Counter(type(one).__qualname__ for one in alive)
    return {
        "descriptors": len(open_files) - 1,
        "open": dict(open_files),
        "tasks": sum(tasks.values()),
        "names": dict(tasks),
        "objects": len(alive),
        "kinds": dict(kinds),
    }


def _target(descriptor: str) -> str:
    """What a descriptor is open on, without the number that tells sockets and pipes apart."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}").partition(":[")[0]
    except OSError:
        return "the list itself"


def _write(_number: int, _frame: FrameType | None) -> None:
    # It runs in the main thread between two steps of the loop or inside one, so the loop is there to be asked.
    place = Path(os.environ[CENSUS])
    fresh = place.with_suffix(".new")
    fresh.write_bytes(msgspec.json.encode(census()))
    fresh.rename(place)


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, _write)
    sys.exit(main())
