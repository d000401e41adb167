"""The tree of a workspace, breadth first and bounded; a repeated look does not read again what did not change.

What is ignored, secret, machine-made or a second checkout is left out, as by the walk. A folder is read again when its
time or number (mtime, inode) is another one; a change of an ignore file in place is thus not seen before its folder
changes, which is good enough for a tree that says where things are.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hd.files import disk
from hd.files.encoding import shown
from hd.files.guard import Guard
from hd.files.scan import Kind, Scope, holds_a_copy, scan, scope_above

MOST_ENTRIES: Final = 1_500
"""Entries after which no folder is opened that nobody asked for."""

MOST_IN_FOLDER: Final = 2_000
"""Entries of one folder that are looked at."""

MOST_MARKS: Final = 10_000
SECONDS: Final = 0.5
_UNSETTLED_NS: Final = 50_000_000
"""A folder that changed so shortly before it was read may change again within the same tick of the file system."""

Mark = tuple[int, int, int]
"""What a file keeps when it is moved: its inode, size and time of change."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The names in a folder in order, those of folders with a `/` at the end; not `whole` when there are more."""

    names: tuple[str, ...]
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Seen:
    """One look: the folders that were opened by path (relative with `/`, "" for the workspace), breadth first.

    `marks` are by path those of files that are there and of some that were. `read` counts the folders that had to be
    read; `stopped` says that time was over.
    """

    folders: Mapping[str, Folder]
    marks: Mapping[str, Mark] = field(default_factory=dict)
    read: int = 0
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class _Known:
    """A folder as it was read; `stamp` is None for one that has to be read again in any case."""

    stamp: tuple[int, int] | None
    scope: Scope
    folder: Folder


class Tree:
    """The tree below `root` (resolved). `look` blocks, and may be called from several threads."""

    def __init__(self, root: Path, guard: Guard, clock: Callable[[], float] = time.monotonic) -> None:
        self._root = root
        self._guard = guard
        self._clock = clock
        self._known: dict[str, _Known] = {}
        self._marks: dict[str, Mark] = {}
        self._lock = threading.Lock()

    def look(self, wanted: Collection[str] = (), seconds: float = SECONDS) -> Seen:
        """The tree now. The folders `wanted` are opened in any case where they are there, others while there is room.

        OSError when the workspace itself cannot be read.
        """
        with self._lock:
            deadline = self._clock() + seconds
            asked = frozenset(wanted)
            found: dict[str, Folder] = {}
            entries, read, stopped = 0, 0, False
            waiting: deque[tuple[str, Scope | None]] = deque([("", None)])
            known: dict[str, _Known] = {}
            while waiting and not stopped:
                path, above = waiting.popleft()
                if entries > MOST_ENTRIES and path not in asked:
                    continue
                one = self._folder(path, above)
                if one is None:
                    continue
                read += one is not self._known.get(path)
                known[path], found[path] = one, one.folder
                entries += len(one.folder.names)
                base = f"{path}/" if path else ""
                waiting.extend((base + name[:-1], one.scope) for name in one.folder.names if name.endswith("/"))
                stopped = self._clock() > deadline
            self._known = known
            if len(self._marks) > MOST_MARKS:
                self._marks.clear()
            return Seen(found, dict(self._marks), read, stopped)

    def _folder(self, path: str, above: Scope | None) -> _Known | None:
        """A folder that was read before or now; None where it is gone, closed, or a copy of something.

        `above` are the rules that its parent sets; the workspace itself has none, its own are then asked for.
        """
        before = self._known.get(path)
        try:
            if before is not None and before.stamp is not None:
                # The path alone is compared: what stands at its end is opened without following links when it differs.
                state = os.lstat(self._root / path)
                if (state.st_ino, state.st_mtime_ns) == before.stamp:
                    return before
            rules = scope_above(self._root, self._root) if above is None else above
            with disk.folder_of(self._root, self._root / path / "_") as descriptor:
                return self._read(descriptor, path, rules)
        except OSError:
            if not path:
                raise
            return None

    def _read(self, descriptor: int, path: str, above: Scope) -> _Known | None:
        state = os.fstat(descriptor)
        if path and holds_a_copy(descriptor):
            return None
        scope = above.inside(descriptor, path)
        folders: list[str] = []
        names: list[str] = []
        whole = True
        for entry in scan(descriptor, self._root, path, self._guard, scope):
            if len(folders) + len(names) >= MOST_IN_FOLDER:
                whole = False
                break
            if entry.ignored or entry.kind is Kind.OTHER:
                continue
            (folders if entry.kind is Kind.DIRECTORY else names).append(entry.base)
        self._mark(descriptor, path, set(names))
        settled = time.time_ns() - state.st_mtime_ns > _UNSETTLED_NS
        stamp = (state.st_ino, state.st_mtime_ns) if settled else None
        shown_names = (*(f"{shown(name)}/" for name in sorted(folders)), *map(shown, sorted(names)))
        return _Known(stamp, scope, Folder(shown_names, whole))

    def _mark(self, descriptor: int, path: str, names: set[str]) -> None:
        base = f"{path}/" if path else ""
        with os.scandir(descriptor) as found:
            for item in found:
                if item.name in names:
                    try:
                        state = item.stat(follow_symlinks=False)
                    except OSError:
                        continue
                    self._marks[base + shown(item.name)] = (state.st_ino, state.st_size, state.st_mtime_ns)
