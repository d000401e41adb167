"""What a command changed: the tree of a workspace before it and after it.

A look walks what is not ignored and not secret, and reads only what has another size, time, inode or mode than at the
last look. What changed while no command ran is not the agent's. What a file tool changed is told by the tool itself
(`note`), so that a command of another session at that moment is not taken for its author.
"""

import os
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hd.files.guard import Guard
from hd.files.scan import Entry, Kind
from hd.files.walk import Limits, Walk
from hd.protocol.projections.changes import Change, Node, is_known
from hd.undo.blobs import Blobs
from hd.undo.index import IndexFile, Seen
from hd.undo.nodes import MOST_FILE, node_at

LIMITS: Final = Limits(entries=50_000, seconds=10.0)
MOST_BYTES: Final = 256 << 20
"""Bytes of a workspace whose content is kept beforehand. What is beyond is noticed when it changes, and not kept."""

MOST_CHANGES: Final = 2_000
"""Paths that are recorded of one command."""

_PAUSE_S: Final = 300.0
"""Seconds for which a tree that was too large is not looked at again."""

_TICK_NS: Final = 20_000_000
_COARSE_NS: Final = 2_000_000_000
_SECOND_NS: Final = 1_000_000_000

_WORTH_SAVING: Final = 500
"""Files that were read since the index was kept, after which it is kept again."""


@dataclass(slots=True)
class Window:
    """What was seen to change while one command ran; `trouble` says why that is not known."""

    changes: dict[str, Change] = field(default_factory=dict)
    trouble: str | None = None

    def add(self, changes: Iterable[Change]) -> None:
        for change in changes:
            merged(self.changes, change)


def merged(changes: dict[str, Change], change: Change) -> None:
    """Takes in a later change of the same paths: before the first, after the last."""
    known = changes.get(change.path)
    before = change.before if known is None else known.before
    if before == change.after and is_known(before):
        changes.pop(change.path, None)
    else:
        changes[change.path] = Change(change.path, before, change.after)


class Tree:
    """One workspace. `root` is resolved, `kept` is where what it looked like outlives the daemon. All methods block and
    may be called from any thread; looks take turns."""

    def __init__(
        self, root: Path, guard: Guard, blobs: Blobs, limits: Limits = LIMITS, kept: IndexFile | None = None
    ) -> None:
        self.root = root
        self.blobs = blobs
        self.guard = guard
        self._limits = limits
        self._kept = kept
        self._index: dict[str, Seen] | None = None if kept is not None else {}
        """None before the first look, which loads what is kept."""
        self._read = 0
        self._trouble: str | None = "nothing was looked at yet"
        self._losses = 0
        self._not_before = 0.0
        self._noted: dict[str, Node | None] = {}
        self._open: list[Window] = []
        self._watching: list[Window] = []
        self._looking = threading.Lock()

    def begin(self, cancel: threading.Event | None = None) -> Window:
        """Before a command. `end` the window whatever becomes of the command."""
        with self._looking:
            self._look(cancel, self._open[0] if self._open else None)
            window = Window(trouble=self._trouble)
            self._open.append(window)
        return window

    def end(self, window: Window, cancel: threading.Event | None = None) -> None:
        """After the command: `window` says what it changed. With two at a time the first to end is the author."""
        with self._looking:
            self._open.remove(window)
            if window.trouble is None:
                self._look(cancel, window)
                window.trouble = self._trouble
        _close(window)

    def watch(self, *, look: bool) -> Window:
        """Begins to note what changes outside of commands, from now on; without `look` from the last look on."""
        with self._looking:
            if look:
                self._look(None, self._open[0] if self._open else None)
            window = Window(trouble=self._trouble)
            self._watching.append(window)
        return window

    def seen_by(self, window: Window) -> frozenset[str]:
        """The paths that a watching window has noted by now."""
        with self._looking:
            self._look(None, self._open[0] if self._open else None)
            return frozenset(window.changes)

    def unwatch(self, window: Window) -> None:
        """`window` says from here on what changed outside of commands while it watched."""
        with self._looking:
            if window.trouble is None:
                self._look(None, self._open[0] if self._open else None)
                window.trouble = self._trouble
            self._watching.remove(window)
        _close(window)

    def note(self, nodes: Mapping[str, Node | None]) -> None:
        """What was changed here in another way than by a command, and recorded by who did it."""
        self._noted |= nodes

    def save(self) -> None:
        """Keeps what the last look saw, for the next daemon."""
        with self._looking:
            if self._kept is not None and self._index is not None and self._read:
                self._kept.save(self._index)
                self._read = 0

    def _look(self, cancel: threading.Event | None, author: Window | None) -> None:
        """What changed since the last look is the author's; without one it is noted by the windows that watch."""
        if time.monotonic() < self._not_before:
            return
        if self._index is None:
            assert self._kept is not None
            self._index = self._kept.load(self.blobs.names)
        known = self._index if self._losses == self.blobs.losses else {}
        whole = self._trouble is None and known is self._index
        found, stopped = self._found(known, cancel)
        noted, self._noted = self._noted, {}
        if whole and stopped is None:
            changes = [left for change in _changes(known, found) if (left := _without(noted, change)) is not None]
            for window in self._watching if author is None else [author]:
                window.add(changes)
        # What a look that was cut short did not come to is no news, but need not be read again.
        self._index = found if stopped is None else {**known, **found}
        self._losses = self.blobs.losses
        self._trouble = stopped
        if self._kept is not None and self._read >= _WORTH_SAVING:
            self._kept.save(self._index)
            self._read = 0
        if stopped is not None and not (cancel is not None and cancel.is_set()):
            self._not_before = time.monotonic() + _PAUSE_S

    def _found(self, known: Mapping[str, Seen], cancel: threading.Event | None) -> tuple[dict[str, Seen], str | None]:
        walk = Walk(self.root, self.root, self.guard, limits=self._limits, cancel=cancel)
        found: dict[str, Seen] = {}
        room = MOST_BYTES
        try:
            for entry in walk:
                seen = self._seen(entry, known.get(entry.name), room)
                if seen is not None:
                    found[entry.name] = seen
                    room -= seen.node.size if seen.node.blob else 0
        except OSError as error:
            return found, f"the folder could not be read ({error.strerror})"
        return found, walk.stopped

    def _seen(self, entry: Entry, known: Seen | None, room: int) -> Seen | None:
        """The entry as it is now; None for one that is gone or has a name that cannot be told in a log."""
        path = f"{self.root}/{entry.name}"
        looked = time.time_ns()
        try:
            entry.name.encode()
            state = os.lstat(path)
        except (OSError, UnicodeEncodeError):
            return None
        if entry.kind is Kind.DIRECTORY:
            return Seen((0, 0, 0, 0, state.st_mode), Node("directory", state.st_mode & 0o7777), settled=True)
        stamp = (state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino, state.st_mode)
        if known is not None and known.settled and known.stamp == stamp:
            return known
        self._read += 1
        node = node_at(self.root, Path(path), self.blobs, min(MOST_FILE, room))
        return None if node is None else Seen(stamp, node, settled=_is_settled(state, looked))


def _is_settled(state: os.stat_result, looked_ns: int) -> bool:
    newest = max(state.st_mtime_ns, state.st_ctime_ns)
    coarse = not state.st_mtime_ns % _SECOND_NS and not state.st_ctime_ns % _SECOND_NS
    return newest < looked_ns - (_COARSE_NS if coarse else _TICK_NS)


def _changes(before: Mapping[str, Seen], after: Mapping[str, Seen]) -> Iterable[Change]:
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old is not new and not _is_same(old, new):
            yield Change(name, _node(old), _node(new))


def _node(seen: Seen | None) -> Node | None:
    return None if seen is None else seen.node


def _is_same(old: Seen | None, new: Seen | None) -> bool:
    if old is None or new is None:
        return False
    return old.node == new.node and (is_known(new.node) or old.stamp == new.stamp)


def _without(noted: Mapping[str, Node | None], change: Change) -> Change | None:
    """What is left of a change besides the part that somebody told himself."""
    if change.path not in noted:
        return change
    told = noted[change.path]
    return None if told == change.after else Change(change.path, told, change.after)


def _close(window: Window) -> None:
    """Bounds what one window tells."""
    if window.trouble is None and len(window.changes) > MOST_CHANGES:
        number = len(window.changes)
        window.trouble = f"it changed {number:,} files, more than the {MOST_CHANGES:,} that are recorded"
    if window.trouble is not None:
        window.changes.clear()
