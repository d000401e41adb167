"""What the model requests of all sessions used: a table beside the log, filled by whoever adds events.

It holds the parts that are billed by (`hd.protocol.billing`), a hundredth of the log, so that the cost of a year is
added up without reading every answer again.
"""

import sqlite3
from collections.abc import Iterable
from typing import Final

from hd.protocol.billing import TYPES, part

TABLES: Final = ("CREATE TABLE billed (place INTEGER PRIMARY KEY, body BLOB NOT NULL)",)


def add(connection: sqlite3.Connection, events: Iterable[tuple[int, str, bytes]]) -> None:
    """Takes in (place, type, body) of events that were added."""
    rows = [(place, kept) for place, kind, body in events if (kept := part(kind, body)) is not None]
    if rows:
        connection.executemany("INSERT INTO billed (place, body) VALUES (?, ?)", rows)


def copy(connection: sqlite3.Connection, first: int, last: int, shift: int) -> None:
    """What stands from `first` to `last` again, `shift` places later."""
    query = "INSERT INTO billed (place, body) SELECT place + ?, body FROM billed WHERE place >= ? AND place <= ?"
    connection.execute(query, (shift, first, last))


def remove(connection: sqlite3.Connection, first: int, last: int) -> None:
    connection.execute("DELETE FROM billed WHERE place >= ? AND place <= ?", (first, last))


def create(connection: sqlite3.Connection) -> None:
    """The step from a database without this table: makes and fills it."""
    for statement in TABLES:
        connection.execute(statement)
    marks = ", ".join("?" * len(TYPES))
    found = connection.execute(f"SELECT place, type, body FROM event WHERE type IN ({marks}) ORDER BY place", TYPES)
    while rows := found.fetchmany(500):
        add(connection, rows)
