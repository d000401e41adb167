"""The secret values of a workspace, kept up to date with its files.

The guard says by name which files are secret; here they are opened, by the daemon and for no other purpose than to
know what must not be shown. The look is bounded: it is a help against accidents, not a wall.
"""

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from hd.files.guard import Guard
from hd.files.scan import VCS, is_machine_made
from hd.secrets.mask import Mask
from hd.secrets.values import values_of

LARGEST: Final = 256 * 1024
MOST_ENTRIES: Final = 20_000
DEEPEST: Final = 6
LONGEST_S: Final = 0.25

Stamp = tuple[int, int, int]
"""Inode, size and mtime: what has the same three is taken for unchanged."""


@dataclass(frozen=True, slots=True)
class _Folder:
    """What one folder holds that matters: the folders in it and the names that the guard calls secret."""

    stamp: Stamp
    folders: tuple[str, ...]
    secret: tuple[str, ...]
    entries: int


class WorkspaceSecrets:
    """What must not be shown of one workspace. `own` gives what is secret everywhere, such as the daemon's key.

    `look` blocks and may be called from any thread.
    """

    def __init__(
        self, root: Path, guard: Guard, own: Callable[[], Mask], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.root = root
        self._guard = guard
        self._own = own
        self._clock = clock
        self._folders: dict[str, _Folder] = {}
        self._rules = guard.own.revision
        self._values: dict[str, tuple[Stamp, dict[str, str]]] = {}
        self._looking = threading.Lock()

    def look(self) -> Mask:
        """Reads what is new among the secret files and gives the mask as of now."""
        with self._looking:
            values: dict[str, tuple[Stamp, dict[str, str]]] = {}
            for name in self._secret_files():
                stamp = _stamp(self.root / name, stat.S_ISREG)
                if stamp is None:
                    continue
                before = self._values.get(name)
                values[name] = before if before is not None and before[0] == stamp else (stamp, self._read(name))
            self._values = values
        named = {value: f"{key}/{name}" for name, (_, found) in values.items() for value, key in found.items()}
        return self._own() | Mask(named)

    def _read(self, name: str) -> dict[str, str]:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            with open(os.open(self.root / name, flags), "rb") as file:
                return values_of(file.read(LARGEST).decode("utf-8", errors="ignore"))
        except OSError:
            return {}

    def _secret_files(self) -> Iterator[str]:
        """Their names, relative to the root. A folder whose own stamp stayed the same is not listed again."""
        if self._rules != self._guard.own.revision:
            self._rules, self._folders = self._guard.own.revision, {}
        until = self._clock() + LONGEST_S
        ahead = [("", 0)]
        seen: dict[str, _Folder] = {}
        entries = 0
        while ahead and entries < MOST_ENTRIES and self._clock() < until:
            name, depth = ahead.pop()
            stamp = _stamp(self.root / name, stat.S_ISDIR)
            if stamp is None:
                continue
            before = self._folders.get(name)
            folder = before if before is not None and before.stamp == stamp else self._list(name, stamp)
            seen[name] = folder
            entries += folder.entries
            yield from folder.secret
            if depth < DEEPEST:
                ahead += [(below, depth + 1) for below in folder.folders]
        self._folders = seen

    def _list(self, name: str, stamp: Stamp) -> _Folder:
        folders: list[str] = []
        secret: list[str] = []
        count = 0
        prefix = f"{name}/" if name else ""
        try:
            with os.scandir(self.root / name) as found:
                for entry in islice(found, MOST_ENTRIES):
                    count += 1
                    if not entry.is_dir(follow_symlinks=False):
                        if self._guard.why_name(prefix + entry.name) is not None:
                            secret.append(prefix + entry.name)
                    elif entry.name not in VCS and not is_machine_made(entry.name):
                        folders.append(prefix + entry.name)
        except OSError:
            pass
        return _Folder(stamp, tuple(folders), tuple(secret), count)


def _stamp(path: Path, wanted: Callable[[int], bool]) -> Stamp | None:
    """None for what is gone, of another kind, or too large a file to hold settings."""
    try:
        state = os.lstat(path)
    except OSError:
        return None
    if not wanted(state.st_mode) or (stat.S_ISREG(state.st_mode) and state.st_size > LARGEST):
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns
