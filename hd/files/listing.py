"""What one folder holds, for people and the model."""

import os
from dataclasses import dataclass
from pathlib import Path

from hd.files import disk
from hd.files.encoding import shown
from hd.files.guard import Guard
from hd.files.scan import Entry, Kind, relative_name, scan, scope_above

MOST_ENTRIES = 1_000


@dataclass(frozen=True, slots=True)
class Item:
    """An entry with the size in bytes of a file, and where a link inside the workspace leads (relative to it)."""

    entry: Entry
    size: int | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """Folders first, then the rest, each by name. `more` is how many were left out."""

    name: str
    items: tuple[Item, ...]
    more: int = 0

    def rows(self) -> list[str]:
        """One line for each item: folders with `/`, files with their size, links with where they lead."""
        left_out = [f"… and {self.more:,} more"] if self.more else []
        return [*(_row(item) for item in self.items), *left_out]


def listing(root: Path, folder: Path, guard: Guard, most: int = MOST_ENTRIES) -> Listing:
    """The listing of a folder (resolved, inside `root`); OSError if it is none."""
    base = relative_name(root, folder)
    with disk.folder_of(root, folder / "_") as descriptor:
        scope = scope_above(root, folder).inside(descriptor, base)
        entries = sorted(scan(descriptor, root, base, guard, scope), key=_order)
        items = tuple(_item(descriptor, root, entry) for entry in entries[:most])
    return Listing(base, items, max(len(entries) - most, 0))


def _order(entry: Entry) -> tuple[bool, str]:
    return entry.kind is not Kind.DIRECTORY, entry.name


def _row(item: Item) -> str:
    name = shown(item.entry.base)
    ignored = "  (ignored)" if item.entry.ignored else ""
    if item.entry.kind is Kind.DIRECTORY:
        return f"{name}/{ignored}"
    if item.entry.kind is Kind.LINK:
        return f"{name} -> {'a place outside the workspace' if item.target is None else shown(item.target)}{ignored}"
    if item.size is None:
        return f"{name}  (not a regular file)"
    return f"{name}  {item.size:,} bytes{ignored}"


def _item(folder: int, root: Path, entry: Entry) -> Item:
    if entry.kind is Kind.LINK:
        real = Path(os.path.realpath(root / entry.name))
        return Item(entry, target=relative_name(root, real) or "." if real.is_relative_to(root) else None)
    if entry.kind is not Kind.FILE:
        return Item(entry)
    try:
        return Item(entry, size=os.stat(entry.base, dir_fd=folder, follow_symlinks=False).st_size)
    except OSError:
        return Item(entry)
