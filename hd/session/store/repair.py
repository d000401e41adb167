"""The repair of a damaged database, which only a person asks for.

The damaged file is set aside under a name that is told, never changed and never deleted; what can be read is copied
into a new one. A log is kept up to its first missing event, because a log with a hole cannot be folded.
"""

import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from hd.protocol.ids import new_session_id
from hd.session.store import billed, copies, said, schema
from hd.session.store.check import read_only

_SMALL_TABLES = ("workspace", "session", "projection", "partial", "setting")


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair did. `lost` names, one line each, what could not be read."""

    aside: Path
    sessions: int
    events: int
    lost: tuple[str, ...]


def repair(path: Path) -> Repaired:
    """Sets the database at `path` aside and copies what can be read into a new one. Nobody else may have it open."""
    aside = _set_aside(path)
    schema.create_private(path)
    source, target = read_only(aside), sqlite3.connect(path, isolation_level=None)
    try:
        schema.prepare(target, path)
        target.execute("BEGIN IMMEDIATE")
        lost = [f"some rows of the table {table}" for table in _SMALL_TABLES if not _copy_table(source, target, table)]
        unfinished = set(copies.left_over(target))
        lost += [
            f"the header of {session_id}: its log is kept under this name"
            for session_id in _adopt(source, target, unfinished)
        ]
        sessions, events = 0, 0
        for number, session_id in target.execute("SELECT number, id FROM session").fetchall():
            copied, complete = _copy_log(source, target, number)
            sessions, events = sessions + 1, events + copied
            if not complete:
                # What was kept of the whole log is not true of the part that is left.
                target.execute("DELETE FROM projection WHERE number = ?", (number,))
                lost.append(f"the events of {session_id} from number {copied} on")
        target.execute("COMMIT")
    finally:
        source.close()
        target.close()
    return Repaired(aside, sessions, events, tuple(lost))


def _set_aside(path: Path) -> Path:
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    names = (path.with_name(f"{path.name}.damaged-{stamp}{'' if n == 0 else f'-{n}'}") for n in count())
    aside = next(name for name in names if not name.exists())
    for tail in ("-wal", "-shm", ""):
        file = path.with_name(path.name + tail)
        if file.exists():
            file.rename(aside.with_name(aside.name + tail))
    return aside


def _rows(source: sqlite3.Connection, query: str, values: Sequence[int] = ()) -> Iterator[tuple[Any, ...] | None]:
    """The rows of a query; a final None stands for the rest, which cannot be read."""
    try:
        cursor = source.execute(query, values)
        while (row := cursor.fetchone()) is not None:
            yield row
    except sqlite3.DatabaseError:
        yield None


def _copy_table(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> bool:
    """Copies from both ends, so that one unreadable page costs only its own rows; True when all could be read."""
    columns = [row[1] for row in target.execute(f"PRAGMA table_info({table})")]
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    for order in ("ASC", "DESC"):
        complete = True
        for row in _rows(source, f"SELECT {names} FROM {table} NOT INDEXED ORDER BY rowid {order}"):
            if row is None:
                complete = False
            else:
                target.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", row)
        if complete:
            return order == "ASC"
    return False


def _adopt(source: sqlite3.Connection, target: sqlite3.Connection, unfinished: Collection[int]) -> Iterator[str]:
    """Makes a session for every log whose session could not be read; an unfinished copy never had one."""
    number = -1
    while True:
        found = next(
            _rows(source, "SELECT place, time FROM event WHERE place >= ? LIMIT 1", [schema.place(number + 1, 0)]), None
        )
        if found is None:
            return
        number = found[0] >> schema.SEQ_BITS
        known = target.execute("SELECT 1 FROM session WHERE number = ?", [number]).fetchone()
        if known is None and number not in unfinished:
            session_id = new_session_id()
            target.execute(
                "INSERT INTO session (number, id, created_at, updated_at, extra) VALUES (?, ?, ?, ?, ?)",
                [number, session_id, found[1], found[1], b"{}"],
            )
            yield session_id


def _copy_log(source: sqlite3.Connection, target: sqlite3.Connection, number: int) -> tuple[int, bool]:
    """Copies a log up to its first missing event: how many, and whether that was all there was."""
    query = "SELECT place, time, type, page_from, body FROM event WHERE place >= ? AND place < ? ORDER BY place"
    copied = 0
    for row in _rows(source, query, (schema.place(number, 0), schema.place(number + 1, 0))):
        if row is None or schema.seq_of(row[0]) != copied:
            return copied, False
        target.execute("INSERT INTO event (place, time, type, page_from, body) VALUES (?, ?, ?, ?, ?)", row)
        for beside in (said, billed):
            beside.add(target, [(row[0], row[2], row[4])])
        copied += 1
    return copied, True
