"""The whole outputs of commands, each in a private file of its own that outlives the daemon.

Bounded in every way: a file in size, the folder in files and in bytes; the oldest go first. A disk that is full costs
the file and never the command. What the files hold is cleaned text (`hd.process.output`) and not rid of secrets: who
reads one for somebody else hides them.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

SPILL_CAP: Final = 16 << 20
FOLDER_CAP: Final = 512 << 20
MOST_FILES: Final = 1_000
CAPPED: Final = f"\n[… the output went on; of one command {SPILL_CAP >> 20} MiB are kept …]\n"
_BLOCK: Final = 256 * 1024
_SUFFIX: Final = ".log"


class Spill:
    """The file of one output. `path` is None where it was not made or kept; `capped` says that its end is missing."""

    def __init__(self, folder: Path, name: str) -> None:
        self.path: Path | None = folder / f"{_safe(name)}{_SUFFIX}"
        self.capped = False
        self.size = 0
        self._file: BinaryIO | None = None
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            opened = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            # Unbuffered: what a command wrote before its daemon was killed is there for the next one.
            self._file = os.fdopen(opened, "wb", buffering=0)
        except OSError:
            self._give_up()

    def add(self, text: str) -> None:
        if self._file is None or self.capped or not text:
            return
        encoded = text.encode("utf-8", "replace")
        room = SPILL_CAP - self.size
        if len(encoded) > room:
            self.capped = True
            encoded = encoded[:room].decode("utf-8", "ignore").encode() + CAPPED.encode()
        try:
            self._write(encoded)
        except OSError:
            self._give_up()

    def close(self) -> None:
        try:
            if self._file is not None:
                self._file.close()
        except OSError:
            self._give_up()

    def _write(self, encoded: bytes) -> None:
        assert self._file is not None
        left = memoryview(encoded)
        while left:
            written = self._file.write(left)
            self.size += written
            left = left[written:]

    def _give_up(self) -> None:
        file, path = self._file, self.path
        self._file = self.path = None
        if file is not None:
            with suppress(OSError):
                file.close()
        if path is not None:
            with suppress(OSError):
                path.unlink()


class Spills:
    """The folder of all outputs of a daemon, and of those before it in the same home."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sizes: dict[str, int] | None = None
        """By file, the oldest first; looked up in the folder once."""

    def begin(self, name: str) -> Spill:
        """The file for a new output, with room made for it. One of the same name is begun anew."""
        sizes = self._known()
        total = sum(sizes.values())
        for old in list(sizes):
            if len(sizes) < MOST_FILES and total <= FOLDER_CAP - SPILL_CAP:
                break
            total -= sizes.pop(old)
            with suppress(OSError):
                (self._folder / old).unlink()
        return Spill(self._folder, name)

    def end(self, spill: Spill) -> None:
        """Closes the file and counts it."""
        spill.close()
        if spill.path is not None:
            self._known()[spill.path.name] = spill.size

    def blocks(self, name: str) -> Iterator[str] | None:
        """The output in pieces of whole lines, of about 256 KiB each; None where it is not kept (any more). Blocks."""
        path = self._folder / f"{_safe(name)}{_SUFFIX}"
        try:
            opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            return None
        return _blocks(os.fdopen(opened, "rb"))

    def _known(self) -> dict[str, int]:
        if self._sizes is None:
            try:
                found = [(entry.stat(), entry.name) for entry in os.scandir(self._folder)]
            except OSError:
                found = []
            aged = sorted((stat.st_mtime_ns, name, stat.st_size) for stat, name in found if name.endswith(_SUFFIX))
            self._sizes = {name: size for _, name, size in aged}
        return self._sizes


def _blocks(file: BinaryIO) -> Iterator[str]:
    with file:
        while block := file.read(_BLOCK) + file.readline():
            yield block.decode("utf-8", "replace")


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", name).lstrip(".")[:100] or "run"
