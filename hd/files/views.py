"""A workspace's files as clients see them: through the guard like everything else, and never changed.

A version names one state of a file: two reads that give the same one saw the same bytes.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from hd.files import disk
from hd.files.content import file_text
from hd.files.encoding import shown
from hd.files.errors import Code, FileError, from_os
from hd.files.guard import Guard
from hd.files.layer import SIZE_LIMIT, FileLayer
from hd.files.listing import Item, Listing
from hd.files.refusals import refusal
from hd.files.scan import Kind, kind_of

T = TypeVar("T")

MOST_LINES = 2_000
MOST_BYTES = 4 << 20
"""Of one answer."""

_NOTHING_READ = "Nothing was read."


@dataclass(frozen=True, slots=True)
class Lines:
    """`offset` is the number of the first line, from 1; `eof` says that the file ends with the last one."""

    path: Path
    state: os.stat_result
    offset: int
    lines: tuple[str, ...]
    eof: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """`offset` counts bytes from 0; `eof` says that the file ends with the last one."""

    path: Path
    state: os.stat_result
    offset: int
    content: bytes
    eof: bool


class Views:
    """The files below `root`. All methods block and raise `WorkspaceFileError`."""

    def __init__(self, root: Path, guard: Guard) -> None:
        self._files = FileLayer(root, guard)
        self.root = self._files.root

    def list(self, path: str) -> Listing:
        try:
            return self._files.list(path or ".")
        except FileError as error:
            raise refusal(error, path) from error

    def stat(self, path: str) -> tuple[Path, os.stat_result]:
        """The place and its state; a link is followed if it stays inside."""
        try:
            return self._stat(path)
        except FileError as error:
            raise refusal(error, path) from error

    def read(self, path: str, offset: int = 1, limit: int = MOST_LINES) -> Lines:
        """Lines of a text file, at most `MOST_LINES`."""
        try:
            real = self._files.resolve(path or ".")
            found = self._on_disk(real, lambda folder: disk.read(folder, real.name, SIZE_LIMIT))
            lines = file_text(real, found.raw).lines
        except FileError as error:
            raise refusal(error, path) from error
        end = offset - 1 + min(limit, MOST_LINES)
        return Lines(real, found.state, offset, tuple(lines[offset - 1 : end]), end >= len(lines))

    def read_bytes(self, path: str, offset: int = 0, length: int = MOST_BYTES, base: str | None = None) -> Piece:
        """Bytes of any file, at most `MOST_BYTES`. With `base`, a file, a relative path begins at that one's folder."""
        named = path if base is None else os.path.join(os.path.dirname(base), path)
        try:
            real = self._files.resolve(named or ".")
            wanted = min(length, MOST_BYTES)
            found = self._on_disk(real, lambda folder: disk.read_part(folder, real.name, offset, wanted))
        except FileError as error:
            raise refusal(error, path) from error
        return Piece(real, found.state, offset, found.raw, offset + len(found.raw) >= found.state.st_size)

    def versions(self, path: str) -> dict[Path, str]:
        """The versions of a file, or of all that a folder holds; nothing where nothing is."""
        try:
            place, state = self._stat(path)
            if kind_of(state.st_mode) is not Kind.DIRECTORY:
                return {place: version(state)}
            names = [self.root / item.entry.name for item in self._files.list(path or ".").items]
        except FileError as error:
            if error.code in (Code.NOT_FOUND, Code.NOT_A_DIRECTORY):
                return {}
            raise refusal(error, path) from error
        return {name: found for name in names if (found := _version_of(name)) is not None}

    def _stat(self, path: str) -> tuple[Path, os.stat_result]:
        real = self._files.resolve(path or ".")
        if real == self.root:
            return real, os.stat(real)
        return real, self._on_disk(real, lambda folder: os.stat(real.name, dir_fd=folder, follow_symlinks=False))

    def _on_disk(self, real: Path, act: Callable[[int], T]) -> T:
        if real == self.root:
            raise FileError(Code.NOT_A_FILE, f"That is the workspace itself, a folder. {_NOTHING_READ}")
        try:
            with disk.folder_of(self.root, real) as folder:
                return act(folder)
        except OSError as error:
            raise from_os(error, self._files.name(real), _NOTHING_READ) from error


def version(state: os.stat_result) -> str:
    return f"{state.st_dev}:{state.st_ino}:{state.st_size}:{state.st_mtime_ns}:{state.st_ctime_ns}"


def _version_of(place: Path) -> str | None:
    try:
        return version(os.lstat(place))
    except OSError:
        return None


def entry_row(item: Item, root: Path) -> dict[str, Any]:
    """An entry of a folder as it crosses the wire. A link counts as what it leads to, if that is inside."""
    kind = item.entry.kind
    if kind is Kind.LINK:
        kind = Kind.OTHER if item.target is None else _kind_at(root / item.target)
    row: dict[str, Any] = {
        "name": shown(item.entry.base),
        "type": kind.value if kind in (Kind.FILE, Kind.DIRECTORY) else Kind.OTHER.value,
    }
    return row if item.size is None else {**row, "size": item.size}


def _kind_at(place: Path) -> Kind:
    try:
        return kind_of(os.lstat(place).st_mode)
    except OSError:
        return Kind.OTHER
