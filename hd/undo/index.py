"""What a tree looked like at its last look, kept over a restart so that the next daemon need not read every file again.

Nothing is told by it: the first look of a daemon tells no changes. It only says which content stands behind a state of
the disk (size, times, inode, mode) that was settled when it was read. A file that is damaged, of another folder, of
another form or from the future is none, and so is what is said of a content that is no longer kept.
"""

import hashlib
import logging
import os
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from hd.protocol.projections.changes import Node

_log = logging.getLogger(__name__)

Stamp = tuple[int, int, int, int, int]
"""Size, mtime and ctime in ns, inode, `st_mode`."""

MOST_FILES: Final = 64
"""Workspaces of which an index is kept, the last used ones."""

_FORM: Final = 1
_DIGEST: Final = 32


@dataclass(frozen=True, slots=True)
class Seen:
    """A node and the state of the disk that it was read at.

    It is not settled while another change at that moment would have left the same stamp, as times have a granularity.
    """

    stamp: Stamp
    node: Node
    settled: bool


class _Entry(msgspec.Struct, array_like=True, frozen=True, gc=False):
    name: str
    stamp: Stamp
    kind: str
    mode: int
    blob: str
    size: int


class _Body(msgspec.Struct, array_like=True, frozen=True):
    """`device` and `inode` are those of the folder, `saved` is in ns of the epoch."""

    form: int
    device: int
    inode: int
    saved: int
    entries: list[_Entry]


class IndexFile:
    """The index of the folder `root`, below `folder`. Its methods block."""

    def __init__(self, folder: Path, root: Path, clock: Callable[[], int] = time.time_ns) -> None:
        self._folder = folder
        self._root = root
        self._clock = clock
        self._place = folder / hashlib.sha256(os.fsencode(root)).hexdigest()[:24]

    def load(self, held: Callable[[], Collection[str]]) -> dict[str, Seen]:
        """What was kept of contents that are still there (`held`); nothing where nothing usable is kept."""
        try:
            raw = self._place.read_bytes()
            if hashlib.sha256(raw[_DIGEST:]).digest() != raw[:_DIGEST]:
                return {}
            body = msgspec.msgpack.decode(raw[_DIGEST:], type=_Body)
            root = os.stat(self._root)
        except (OSError, msgspec.DecodeError):
            return {}
        if (body.form, body.device, body.inode) != (_FORM, root.st_dev, root.st_ino) or body.saved > self._clock():
            return {}
        blobs = held()
        return {
            one.name: Seen(one.stamp, Node(one.kind, one.mode, one.blob, one.size), settled=True)
            for one in body.entries
            if one.blob in blobs
        }

    def save(self, seen: Mapping[str, Seen]) -> None:
        """Keeps what is settled; where the disk does not take it, the next daemon reads the files again."""
        entries = [
            _Entry(name, one.stamp, one.node.kind, one.node.mode, one.node.blob, one.node.size)
            for name, one in seen.items()
            if one.settled and one.node.blob
        ]
        try:
            root = os.stat(self._root)
            raw = msgspec.msgpack.encode(_Body(_FORM, root.st_dev, root.st_ino, self._clock(), entries))
            self._write(hashlib.sha256(raw).digest() + raw)
        except OSError as error:
            _log.warning("the index of a workspace could not be kept: %s", error)

    def _write(self, raw: bytes) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        part = self._place.with_suffix(f".{os.getpid()}.part")
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(raw)
        os.rename(part, self._place)
        by_age = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        for old in by_age[:-MOST_FILES]:
            with suppress(FileNotFoundError):
                old.unlink()
