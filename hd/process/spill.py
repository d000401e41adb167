"""The whole output of a command that wrote more than the model is shown, in a file of its own.

The file begins when it is worth one, so a folder of spills holds only long outputs. It is bounded in size, the folder
in files: the oldest go first. A disk that is full costs the file and never the command.
"""

import os
import re
from pathlib import Path
from typing import Final, TextIO

SPILL_AFTER: Final = 32 * 1024
SPILL_CAP: Final = 16 * 1024 * 1024
_FILES: Final = 64


class Spill:
    """A file that comes into being with the first text written beyond `SPILL_AFTER` characters.

    `path` is None until then, and for good once the file could not be made or kept. Sizes are in characters for the
    start and in bytes for the cap; `capped` says that the end of the output is not in the file.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.path: Path | None = None
        self.capped = False
        self._folder = folder
        self._name = f"{re.sub(r'[^A-Za-z0-9._-]', '_', name).lstrip('.')[:100] or 'run'}.log"
        self._early: list[str] = []
        self._early_length = 0
        self._room = SPILL_CAP
        self._file: TextIO | None = None
        self._given_up = False

    def add(self, text: str) -> None:
        if self._given_up or self.capped or not text:
            return
        if self._file is None:
            self._early.append(text)
            self._early_length += len(text)
            if self._early_length <= SPILL_AFTER:
                return
            text = "".join(self._early)
            self._early.clear()
        try:
            self._write(text)
        except OSError:
            self._give_up()

    def close(self) -> None:
        try:
            if self._file is not None:
                self._file.close()
        except OSError:
            self._give_up()

    def _write(self, text: str) -> None:
        if self._file is None:
            self._file = self._open()
        encoded = text.encode("utf-8", "replace")
        if len(encoded) > self._room:
            self.capped = True
            encoded = encoded[: self._room]
        self._room -= len(encoded)
        self._file.write(encoded.decode("utf-8", "ignore"))

    def _open(self) -> TextIO:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _thin_out(self._folder)
        path = self._folder / self._name
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        self.path = path
        return os.fdopen(opened, "w", encoding="utf-8", newline="")

    def _give_up(self) -> None:
        self._given_up = True
        if self.path is not None:
            self.path.unlink(missing_ok=True)
            self.path = None


def _thin_out(folder: Path) -> None:
    """Makes room for one more file."""
    aged = sorted((entry.stat().st_mtime, entry.path) for entry in os.scandir(folder) if entry.name.endswith(".log"))
    for _, path in aged[: max(0, len(aged) - _FILES + 1)]:
        Path(path).unlink(missing_ok=True)
