"""The tables, and the steps from older ones.

Version 1 is the first; 2 adds what can be searched, 3 what is billed by. A database of an older version is brought up
to date in one transaction a step, after a backup beside it; the files of every past version are fixtures of the
tests. Adding a step: append it to `STEPS`, change `TABLES` to the result, and keep a dump of the old version under
`tests/session/store/fixtures/`.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from hd.session.store import billed, said

APPLICATION: Final = 0x68640001
"""SQLite's application id, by which a database is known to be one of ours."""

SEQ_BITS: Final = 32
"""An event's key is its session's number and its seq in one integer, so that a log lies together and in order."""

TABLES: Final = """
CREATE TABLE workspace (
  id TEXT PRIMARY KEY, path TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL, rank INTEGER NOT NULL
);
CREATE TABLE session (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  cwd TEXT, parent TEXT, origin TEXT, extra BLOB NOT NULL,
  workspace_id TEXT REFERENCES workspace (id) ON DELETE SET NULL, rank INTEGER,
  archived INTEGER, pinned INTEGER
);
CREATE INDEX session_place ON session (workspace_id, rank) WHERE workspace_id IS NOT NULL;
CREATE TABLE event (
  place INTEGER PRIMARY KEY, time INTEGER NOT NULL, type TEXT NOT NULL, page_from INTEGER, body BLOB NOT NULL
);
CREATE INDEX event_page ON event (place, page_from) WHERE page_from IS NOT NULL;
CREATE TABLE projection (number INTEGER PRIMARY KEY, as_of_seq INTEGER NOT NULL, body BLOB NOT NULL);
CREATE TABLE partial (number INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE setting (key TEXT PRIMARY KEY, body BLOB NOT NULL);
"""
ALL: Final = TABLES + "".join(f"{statement};\n" for statement in (*said.TABLES, *billed.TABLES))

Step = Callable[[sqlite3.Connection], None]

STEPS: Final[tuple[Step, ...]] = (said.create, billed.create)
"""Step i leads from version i + 1 to version i + 2."""


def newest(steps: Sequence[Step] = STEPS) -> int:
    return 1 + len(steps)


def place(number: int, seq: int) -> int:
    return number << SEQ_BITS | seq


def seq_of(key: int) -> int:
    return key & ((1 << SEQ_BITS) - 1)


def version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def is_blank(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]


def prepare(connection: sqlite3.Connection, path: Path, steps: Sequence[Step] = STEPS) -> Path | None:
    """Makes a blank database ours or an older one current. Gives the backup if one was needed."""
    if is_blank(connection):
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(
            f"BEGIN IMMEDIATE; {ALL} PRAGMA application_id = {APPLICATION}; "
            f"PRAGMA user_version = {newest(steps)}; COMMIT;"
        )
        return None
    old = version(connection)
    if old == newest(steps):
        return None
    backup = back_up(connection, path.with_name(f"{path.name}.v{old}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"))
    for number in range(old, newest(steps)):
        connection.execute("BEGIN IMMEDIATE")
        try:
            steps[number - 1](connection)
            connection.execute(f"PRAGMA user_version = {number + 1}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    return backup


def back_up(connection: sqlite3.Connection, target: Path) -> Path:
    """Copies the whole database to a new private file, which only gets its name when it is complete and on disk."""
    part = target.with_name(f"{target.name}.part")
    create_private(part)
    try:
        copy = sqlite3.connect(part)
        try:
            connection.backup(copy)
        finally:
            copy.close()
        descriptor = os.open(part, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return target


def create_private(path: Path) -> None:
    """Makes an empty file that only its owner can read; an existing one is emptied."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600))


def close_to_others(path: Path) -> None:
    """For a file that came from elsewhere, such as a backup; what SQLite lays beside it gets the same mode."""
    if path.stat().st_mode & 0o077:
        with suppress(PermissionError):
            path.chmod(0o600)
