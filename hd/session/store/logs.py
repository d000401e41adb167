"""The statements of the writer's connection by which logs, and what is kept beside them, grow and are copied."""

import sqlite3
from collections.abc import Sequence

from hd.session.store import billed, said
from hd.session.store.base import StoredEvent, page_from
from hd.session.store.schema import place, seq_of

SAVE_PROJECTIONS = (
    "INSERT INTO projection (number, as_of_seq, body) VALUES (?, ?, ?) "
    "ON CONFLICT (number) DO UPDATE SET as_of_seq = excluded.as_of_seq, body = excluded.body"
)
SAVE_PARTIAL = (
    "INSERT INTO partial (number, body) VALUES (?, ?) ON CONFLICT (number) DO UPDATE SET body = excluded.body"
)
_INSERT = "INSERT INTO event (place, time, type, page_from, body) VALUES (?, ?, ?, ?, ?)"
_COPY = """
INSERT INTO event (place, time, type, page_from, body)
SELECT place + :shift, time, type, page_from, body FROM event WHERE place >= :first AND place <= :last ORDER BY place
"""


def add(connection: sqlite3.Connection, number: int, events: Sequence[StoredEvent]) -> None:
    """Puts events behind those of the session of this number."""
    rows = [(place(number, event.seq), event.time, event.type, page_from(event), event.body) for event in events]
    connection.executemany(_INSERT, rows)
    for beside in (said, billed):
        beside.add(connection, ((row[0], row[2], row[4]) for row in rows))


def copy(connection: sqlite3.Connection, source: int, target: int, first_seq: int, last_seq: int) -> None:
    """The events of one session from `first_seq` to `last_seq` go behind those of another, with the same seqs."""
    span = {
        "shift": place(target, 0) - place(source, 0),
        "first": place(source, first_seq),
        "last": place(source, last_seq),
    }
    connection.execute(_COPY, span)
    for beside in (said, billed):
        beside.copy(connection, span["first"], span["last"], span["shift"])


def remove(connection: sqlite3.Connection, number: int, first_seq: int, last_seq: int) -> None:
    """Takes events from the end of what a session number has."""
    first, last = place(number, first_seq), place(number, last_seq)
    for beside in (said, billed):
        beside.remove(connection, first, last)
    connection.execute("DELETE FROM event WHERE place >= ? AND place <= ?", (first, last))


def head(connection: sqlite3.Connection, number: int) -> int:
    """The last seq of the session of this number, -1 when it has no events."""
    query = "SELECT max(place) FROM event WHERE place >= ? AND place < ?"
    last = connection.execute(query, (place(number, 0), place(number + 1, 0))).fetchone()[0]
    return -1 if last is None else seq_of(last)
