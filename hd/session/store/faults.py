"""What an error of SQLite means to us: full, damaged, or not ours to explain."""

import sqlite3
from pathlib import Path

from hd.errors import HdError, StoreDamaged, StoreFull

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_REFUSED = {
    sqlite3.SQLITE_IOERR: "the disk reported an input/output error",
    sqlite3.SQLITE_READONLY: "the file or its disk is read-only",
    sqlite3.SQLITE_CANTOPEN: "a file of the database cannot be opened",
    sqlite3.SQLITE_BUSY: "another process holds the database",
    sqlite3.SQLITE_LOCKED: "another process holds the database",
    sqlite3.SQLITE_NOMEM: "there is no memory left",
}


def fault(error: sqlite3.Error, path: Path) -> HdError:
    """The leaf of the error tree for an error that SQLite raised on the database at `path`."""
    code = primary_code(error)
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(
            f"The disk of {path} is full. What was recorded is held in memory; make room on that disk, and it is "
            "written with the next step."
        )
    if code in _REFUSED:
        return StoreFull(
            f"The database {path} cannot work: {_REFUSED[code]}. What was recorded is held in memory and written once "
            "that is mended."
        )
    if code in _DAMAGED:
        return damaged(path, "a part of it is damaged")
    return damaged(path, f"it does not hold what this daemon wrote ({error})")


def damaged(path: Path, what: str) -> StoreDamaged:
    return StoreDamaged(
        f"{path} cannot be used: {what}. The file was not changed; `hd doctor --repair` sets it aside and saves what "
        "can be read."
    )


def primary_code(error: sqlite3.Error) -> int | None:
    """SQLite's error code without the extension; None on errors of the Python module itself."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
