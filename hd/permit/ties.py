"""Looks up what a command would run, so that a rule for it holds for that and nothing else."""

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hd.permit import programs
from hd.permit.rules import Ties

_RUN_FILES: Final = programs.INTERPRETERS | {
    *("deno", "bun", "tsx", "ts-node", "lua", "Rscript", "julia", "go", "awk", "gawk", "pwsh"),
}
"""Programs that run a file which they are given."""
_LARGEST: Final = 64 << 20
"""Bytes of a file that is looked through: a digest of more takes longer than people wait."""


@dataclass(frozen=True, slots=True)
class DiskTies:
    """The ties of commands that run in the workspace `folder` with the search path `path`. It blocks.

    What is seen here may be another a moment later; who can change it in that moment can write there anyway.
    """

    folder: Path
    path: str

    def __call__(self, argv: Sequence[str]) -> Ties | None:
        """None where the program is not found, or what of the workspace it would run cannot be looked through."""
        found = self._program(argv[0])
        if found is None:
            return None
        contents: list[tuple[str, str]] = []
        for place in dict.fromkeys([found, *self._scripts(argv)]):
            real = Path(os.path.realpath(place))
            if not self._is_own(place) and not self._is_own(real):
                continue
            digest = _digest(real)
            if digest is None:
                return None
            contents.append((str(real), digest))
        return Ties(os.path.realpath(found), tuple(contents))

    def _program(self, word: str) -> Path | None:
        """What a shell runs by this word, before links are followed."""
        if "/" in word:
            places = [self.folder / word]
        else:
            places = [self.folder / folder / word for folder in self.path.split(os.pathsep)]
        return next((place for place in places if _runs(place)), None)

    def _scripts(self, argv: Sequence[str]) -> Iterator[Path]:
        """The files that an interpreter is given: one of them is what it runs."""
        name = Path(argv[0]).name
        if name in _RUN_FILES or name.rstrip("0123456789.") in _RUN_FILES:
            yield from (place for place in (self.folder / word for word in argv[1:]) if place.is_file())

    def _is_own(self, place: Path) -> bool:
        return Path(os.path.normpath(place)).is_relative_to(self.folder)


def _runs(place: Path) -> bool:
    try:
        return stat.S_ISREG(place.stat().st_mode) and os.access(place, os.X_OK)
    except (OSError, ValueError):
        return False


def _digest(place: Path) -> str | None:
    try:
        with place.open("rb") as file:
            if os.fstat(file.fileno()).st_size > _LARGEST:
                return None
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
