"""Walking the workspace: ignored and secret places are never entered, links never followed, and there is an end.

The order is fixed: by name, depth first. Each folder is opened below its parent's descriptor without following links,
so a loop of links is met once, as an entry, and nothing outside the root is ever read.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hd.files import disk
from hd.files.guard import Guard
from hd.files.scan import Entry, Kind, Scope, holds_a_copy, relative_name, scan, scope_above

_LOOK_EVERY = 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """A walk enters no more folders once it has seen so many entries, none below so many others, and ends in time."""

    entries: int = 200_000
    seconds: float = 10.0
    depth: int = 100


DEFAULT = Limits()


@dataclass(slots=True)
class _Frame:
    """A folder on the way down: its descriptor, what is still to come in it, the rules that hold in it."""

    descriptor: int
    entries: Iterator[Entry]
    scope: Scope


class Walk:
    """One walk below `start` (resolved, inside `root`), to be iterated once.

    `opened` counts the folders that were opened, `seen` the entries met; `stopped` says why something was left out.
    `folder` is a descriptor of the folder of the entry given last, for as long as no other is asked for.
    `clock` gives seconds, as `time.monotonic` does.
    """

    def __init__(
        self,
        root: Path,
        start: Path,
        guard: Guard,
        *,
        limits: Limits = DEFAULT,
        cancel: threading.Event | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder = -1
        self.opened = 0
        self.seen = 0
        self.stopped: str | None = None
        self.root = root
        self.start = start
        self._guard = guard
        self.limits = limits
        self._cancel = cancel
        self._clock = clock
        self._deadline = clock() + limits.seconds
        self._ended = False

    def may_go_on(self) -> bool:
        """False once the time is over or the walk is cancelled. Who spends time on an entry asks in between."""
        if self._cancel is not None and self._cancel.is_set():
            self._ended, self.stopped = True, "it was cancelled"
        elif not self._ended and self._clock() > self._deadline:
            self._ended, self.stopped = True, f"it took longer than {self.limits.seconds:g} seconds"
        return not self._ended

    def __iter__(self) -> Iterator[Entry]:
        frames: list[_Frame] = []
        try:
            with disk.folder_of(self.root, self.start / "_") as descriptor:
                scope = scope_above(self.root, self.start)
                frames.append(self._frame(os.dup(descriptor), relative_name(self.root, self.start), scope))
            while frames and self.may_go_on():
                entry = next(frames[-1].entries, None)
                if entry is None:
                    os.close(frames.pop().descriptor)
                    continue
                self.folder = frames[-1].descriptor
                yield entry
                if entry.kind is Kind.DIRECTORY and (below := self._below(frames[-1], entry, len(frames))) is not None:
                    frames.append(below)
        finally:
            for frame in frames:
                os.close(frame.descriptor)

    def _below(self, frame: _Frame, entry: Entry, depth: int) -> _Frame | None:
        if self.seen > self.limits.entries:
            self.stopped = self.stopped or f"there are more than {self.limits.entries:,} entries"
            return None
        if depth > self.limits.depth:
            self.stopped = self.stopped or f"folders are nested more than {self.limits.depth} deep"
            return None
        try:
            descriptor = disk.open_folder(frame.descriptor, entry.base)
        except OSError:
            # Gone, exchanged for a link, or closed to this user: there is nothing to see in it.
            return None
        return self._frame(descriptor, entry.name, frame.scope)

    def _frame(self, descriptor: int, base: str, above: Scope) -> _Frame:
        """Reads a folder. `descriptor` belongs to the frame from here on."""
        try:
            first = self.opened == 0
            self.opened += 1
            scope = above.inside(descriptor, base)
            left_out = not first and holds_a_copy(descriptor)
            return _Frame(descriptor, iter([] if left_out else self._entries(descriptor, base, scope)), scope)
        except BaseException:
            os.close(descriptor)
            raise

    def _entries(self, descriptor: int, base: str, scope: Scope) -> list[Entry]:
        found: list[Entry] = []
        for entry in scan(descriptor, self.root, base, self._guard, scope):
            self.seen += 1
            if not entry.ignored and entry.kind is not Kind.OTHER:
                found.append(entry)
            if self.seen % _LOOK_EVERY == 0 and not self.may_go_on():
                break
            if self.seen > self.limits.entries + _LOOK_EVERY and self.opened > 1:
                self.stopped = f"there are more than {self.limits.entries:,} entries"
                break
        return sorted(found, key=lambda entry: entry.name)
