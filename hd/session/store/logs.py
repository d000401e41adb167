"""The statements by which logs grow, for the writer's connection."""

import sqlite3
from collections.abc import Sequence

from hd.session.store import said
from hd.session.store.base import StoredEvent, page_from
from hd.session.store.schema import place

_INSERT = "INSERT INTO event (place, time, type, page_from, body) VALUES (?, ?, ?, ?, ?)"
_COPY = """
INSERT INTO event (place, time, type, page_from, body)
SELECT place + :shift, time, type, page_from, body FROM event WHERE place >= :first AND place <= :last ORDER BY place
"""


def add(connection: sqlite3.Connection, number: int, events: Sequence[StoredEvent]) -> None:
    """Puts events behind those of the session of this number."""
    rows = [(place(number, event.seq), event.time, event.type, page_from(event), event.body) for event in events]
    connection.executemany(_INSERT, rows)
    said.add(connection, ((row[0], row[2], row[4]) for row in rows))


def copy(connection: sqlite3.Connection, source: int, target: int, through_seq: int) -> None:
    """The log of one session up to `through_seq` becomes that of another, whose log is empty."""
    span = {
        "shift": place(target, 0) - place(source, 0),
        "first": place(source, 0),
        "last": place(source, through_seq),
    }
    connection.execute(_COPY, span)
    said.copy(connection, span["first"], span["last"], span["shift"])
