"""Contents by the hash of their bytes, in a folder that only their owner may read, bounded in size.

A blob is written beside its place and then named, so a kill leaves it whole or not there. It is not forced to the disk:
that would cost more than all the rest, and a blob that a loss of power damaged is found out by its hash and counts as
gone. When there are too many bytes the ones that were longest not used go, which are those of the oldest turns.
"""

import hashlib
import os
import secrets
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 1 << 30
_KEPT_SHARE: Final = 0.8
_PART: Final = ".part"


class Blobs:
    """The blobs in `folder`, which is made when the first one comes. Every method may be called from any thread.

    `losses` counts how often something was let go: who remembers that a blob is there asks it whether that still holds.
    """

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self.losses = 0
        self._folder = folder
        self._most = most_bytes
        self._size: int | None = None
        self._lock = threading.Lock()

    def put(self, content: bytes) -> str:
        """Keeps a content, as the one that was used last; OSError when the disk does not take it."""
        name = digest(content)
        place = self._place(name)
        try:
            os.utime(place)
        except FileNotFoundError:
            self._write(place, content)
        return name

    def get(self, name: str) -> bytes | None:
        """The content; None when it is no longer kept, or damaged."""
        try:
            content = self._place(name).read_bytes()
        except OSError:
            return None
        return content if digest(content) == name else None

    def has(self, name: str) -> bool:
        return self._place(name).exists()

    def names(self) -> set[str]:
        """All that are there, by one look at the folder; with what a killed daemon was writing."""
        found: set[str] = set()
        with suppress(FileNotFoundError):
            for part in os.listdir(self._folder):
                found.update(os.listdir(self._folder / part))
        return found

    def use(self, name: str) -> None:
        """Counts as used now, if it is there."""
        with suppress(OSError):
            os.utime(self._place(name))

    def _place(self, name: str) -> Path:
        return self._folder / name[:2] / name

    def _write(self, place: Path, content: bytes) -> None:
        part = place.with_name(f"{secrets.token_hex(8)}{_PART}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        try:
            descriptor = os.open(part, flags, 0o600)
        except FileNotFoundError:
            for folder in (self._folder, place.parent):
                folder.mkdir(mode=0o700, exist_ok=True)
            descriptor = os.open(part, flags, 0o600)
        try:
            with open(descriptor, "wb") as file:
                file.write(content)
            os.rename(part, place)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        self._count(len(content))

    def _count(self, added: int) -> None:
        with self._lock:
            self._size = self._total() if self._size is None else self._size + added
            if self._size > self._most:
                self._size = self._let_go()

    def _total(self) -> int:
        return sum(size for _, size, _ in self._all())

    def _let_go(self) -> int:
        """Removes the ones that were longest not used; the size of what is left in bytes."""
        found = sorted(self._all())
        size = sum(one[1] for one in found)
        for _, length, path in found:
            if size <= self._most * _KEPT_SHARE:
                break
            with suppress(OSError):
                os.unlink(path)
                size -= length
        self.losses += 1
        return size

    def _all(self) -> list[tuple[int, int, str]]:
        """(last use in ns, bytes, path) of each; what a killed daemon was writing counts as the rest."""
        found: list[tuple[int, int, str]] = []
        with suppress(FileNotFoundError), os.scandir(self._folder) as folders:
            for folder in folders:
                if folder.is_dir(follow_symlinks=False):
                    found += _in_folder(folder.path)
        return found


def _in_folder(path: str) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    with os.scandir(path) as blobs:
        for blob in blobs:
            with suppress(FileNotFoundError):
                state = blob.stat(follow_symlinks=False)
                found.append((state.st_mtime_ns, state.st_size, blob.path))
    return found


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
