"""Temporary files that a killed daemon may have left in a workspace, and their removal at the next start.

A replaced file has a temporary name for the moment between two system calls (longer on file systems that know no files
without a name). While it may have one, a note with its path lies in a folder of our own; `sweep` removes what the notes
of dead processes name.
"""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_NAME = re.compile(r"\.hd-[0-9a-f]{16}\.tmp")


def temporary_name() -> str:
    return f".hd-{secrets.token_hex(8)}.tmp"


def is_temporary(name: str) -> bool:
    """Whether a file of this name is one of ours in the making, which no listing shows."""
    return _NAME.fullmatch(name) is not None


class Leftovers:
    """Notes in `folder`, one for each temporary file; without a folder nothing is noted and nothing swept."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    @contextmanager
    def noted(self, temporary: Path) -> Iterator[None]:
        """While the block runs, the temporary file may stand there."""
        if self._folder is None:
            yield
            return
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        note = self._folder / f"{os.getpid()}-{secrets.token_hex(8)}"
        note.write_bytes(os.fsencode(temporary))
        try:
            yield
        finally:
            note.unlink(missing_ok=True)

    def sweep(self) -> int:
        """Removes what dead processes left; how many files that were. Only a name of ours is ever removed."""
        if self._folder is None or not self._folder.is_dir():
            return 0
        removed = 0
        for note in sorted(self._folder.iterdir()):
            owner = note.name.partition("-")[0]
            if not owner.isdecimal() or _alive(int(owner)):
                continue
            with suppress(OSError):
                temporary = Path(os.fsdecode(note.read_bytes()))
                if temporary.is_absolute() and is_temporary(temporary.name):
                    temporary.unlink()
                    removed += 1
            note.unlink(missing_ok=True)
        return removed


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True
