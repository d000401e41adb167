"""What a change of the file layer did, or with `dry_run` would do."""

from dataclasses import dataclass
from pathlib import Path

from hd.files.content import FileText
from hd.files.scan import Kind


@dataclass(frozen=True, slots=True)
class Written:
    """`before` is None for a new file. `other_links` counts hard links elsewhere, which keep the old content."""

    before: FileText | None
    after: FileText
    other_links: int = 0

    @property
    def created(self) -> bool:
        return self.before is None

    @property
    def changed(self) -> bool:
        return self.before is None or self.before.hash != self.after.hash

    @property
    def hash(self) -> str:
        return self.after.hash


@dataclass(frozen=True, slots=True)
class Edited:
    """`lines` are the numbers, from 1 and in the old text, at which a replaced span began. `apart_from` names in what
    the sought text was not exactly what stood there."""

    before: FileText
    after: FileText
    lines: tuple[int, ...]
    other_links: int = 0
    apart_from: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return len(self.lines)

    @property
    def first_line(self) -> int:
        return self.lines[0]

    @property
    def hash(self) -> str:
        return self.after.hash


@dataclass(frozen=True, slots=True)
class Deleted:
    """`size` is in bytes; `state` names the state in which it was, and is another after any change of it."""

    path: Path
    kind: Kind
    size: int
    state: str
