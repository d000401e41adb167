"""Keeping the daemon's own environment from the commands it runs.

A child gets a cleaned environment, but it could read its parent's: `cat /proc/$PPID/environ` shows what the daemon
was *started* with, and taking a variable out of `os.environ` does not change that. Two things do:

* The process is marked as not dumpable. Its files under `/proc` then belong to root, so a command of the same user can
  read neither its environment nor its memory, and no core file of it is written. Root is not kept out by this.
* The secret entries are blanked where the kernel shows them from, the memory of the process's first environment. That
  works against root's eyes as well, unless they go through the daemon's memory itself.
"""

import ctypes
import os
import sys
from pathlib import Path
from typing import Final

from hd.process.environment import looks_secret

_PR_SET_DUMPABLE: Final = 4
_ENV_START: Final = 50
"""`env_start` in /proc/PID/stat, as proc(5) counts; `env_end` comes next. The state, field 3, follows the name."""


def hide_environment() -> None:
    """Both of the above; on systems other than Linux it does nothing. `os.environ` keeps its values.

    To be called once, at the start of a daemon and before it runs a command.
    """
    if sys.platform != "linux":
        return
    place = _first_environment()
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    if place is not None:
        _blank(*place)


def _first_environment() -> tuple[int, int] | None:
    """Where it lies in memory: first address and length. None where the kernel does not say."""
    try:
        fields = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    start, stop = (int(field) for field in fields[_ENV_START - 3 : _ENV_START - 1])
    return (start, stop - start) if 0 < start < stop else None


def _blank(start: int, length: int) -> None:
    """Zeroes each entry that looks like a secret; the C library then finds an empty entry there."""
    offset = 0
    for entry in ctypes.string_at(start, length).split(b"\0"):
        name, _, value = entry.partition(b"=")
        if entry and looks_secret(os.fsdecode(name), os.fsdecode(value)):
            ctypes.memset(start + offset, 0, len(entry))
        offset += len(entry) + 1
