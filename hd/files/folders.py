"""The folders of the whole machine, for a person who looks for one to work in. Names only, never a file's content.

What the guard keeps secret is neither shown nor entered, whatever link leads there: nobody works in such a place, and
a client need not know what is in it.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hd.errors import HdError
from hd.files.encoding import shown
from hd.files.guard import Guard

MOST_FOLDERS = 1_000
"""Folders that are shown of one; the rest is left out."""

MOST_SEEN = 20_000
"""Entries of one folder that are looked at."""


class FolderUnreadable(HdError):
    code = "directory-picker/unreadable"


class FolderExists(HdError):
    code = "directory-picker/exists"


class FolderNotMade(HdError):
    code = "directory-picker/create-failed"


class PickerUnavailable(HdError):
    """There is no window of the system here in which to pick a folder."""

    code = "directory-picker/unavailable"


@dataclass(frozen=True, slots=True)
class FolderListing:
    """`path` is absolute; `crumbs` lead from the root to it, itself included; `folders` are in it, by name."""

    path: Path
    crumbs: tuple[Path, ...]
    folders: tuple[Path, ...]
    truncated: bool


class Folders:
    """`home` is where a person begins. The methods block."""

    def __init__(self, guard: Guard, home: Path) -> None:
        self._guard = guard
        self.home = home

    def list(self, path: str | None = None) -> FolderListing:
        """`FolderUnreadable` when there is no such folder or it may not be shown."""
        place = self._admitted(path or str(self.home), "shown")
        found: list[str] = []
        truncated = False
        try:
            with os.scandir(place) as entries:
                for number, entry in enumerate(entries):
                    if number == MOST_SEEN:
                        truncated = True
                        break
                    if self._is_folder(entry):
                        found.append(entry.name)
        except OSError as error:
            raise _unreadable(place, error) from error
        found.sort(key=lambda name: (name.casefold(), name))
        shown_names = found[:MOST_FOLDERS]
        folders = tuple(place / name for name in shown_names if self._is_open(place / name))
        return FolderListing(place, (*reversed(place.parents), place), folders, truncated or len(found) > MOST_FOLDERS)

    def create(self, path: str, name: str) -> Path:
        """A new folder `name` in an existing one; `FolderExists`, `FolderNotMade`, `FolderUnreadable`."""
        above = self._admitted(path, "changed")
        details = {"path": str(above / name) if _is_name(name) else path}
        if not _is_name(name):
            raise FolderNotMade(f"{shown(name)!r} is no name for a folder. Nothing was made.", details)
        made = above / name
        if not self._is_open(made):
            raise FolderNotMade(f"{shown(str(made))} is kept secret. Nothing was made.", details)
        try:
            made.mkdir()
        except FileExistsError as error:
            raise FolderExists(f"{shown(str(made))} exists already. Nothing was made.", details) from error
        except (OSError, ValueError) as error:
            raise FolderNotMade(f"{shown(str(made))} cannot be made: {_reason(error)}.", details) from error
        return made

    def _admitted(self, path: str, what: str) -> Path:
        given = Path(os.path.expanduser(path))
        details = {"path": path}
        if not given.is_absolute() or "\0" in path:
            raise FolderUnreadable(f"{shown(path)!r} is no absolute path.", details)
        place = Path(os.path.normpath(given))
        if not self._is_open(place):
            raise FolderUnreadable(f"{shown(path)} is kept secret; it is not {what} here.", details)
        return place

    def _is_open(self, place: Path) -> bool:
        """Whether the guard lets it be, by its own name and by where it leads."""
        try:
            real = Path(os.path.realpath(place))
        except (OSError, ValueError):
            return False
        return self._guard.why(place) is None and self._guard.why(real) is None

    def _is_folder(self, entry: "os.DirEntry[str]") -> bool:
        try:
            return entry.is_dir()
        except OSError:
            return False


def _is_name(name: str) -> bool:
    return name not in ("", ".", "..") and "/" not in name and "\0" not in name


def _unreadable(place: Path, error: OSError) -> FolderUnreadable:
    return FolderUnreadable(f"{shown(str(place))} cannot be listed: {_reason(error)}.", {"path": str(place)})


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def row(place: Path) -> dict[str, Any]:
    """A folder as it crosses the wire."""
    return {"name": place.name or str(place), "path": str(place), "hidden": place.name.startswith(".")}
