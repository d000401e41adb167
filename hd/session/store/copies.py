"""A log copied to another session a slice at a time, so that nobody else's writes wait for the whole of it.

Until the last step there is no session of the copy's number, so no reader meets a part of it. What a kill or a full
disk leaves is known by its mark and removed, at the latest when the database is opened the next time.
"""

import sqlite3
import time
from collections.abc import Callable, Sequence
from typing import Final

from hd.session.store import logs
from hd.session.store.base import SessionRow, StoredEvent
from hd.session.store.workspaces import insert_session, next_number

SLICE_S: Final = 0.005
"""Seconds of one slice, without its commit."""

STRIDE: Final = 64
"""Events between two looks at the clock."""

_MARK: Final = "store/copying/"


def begin(connection: sqlite3.Connection, source: int) -> int:
    """Copies the first event, by which the number of the copy, which is given, is nobody else's from here on."""
    number = next_number(connection)
    logs.copy(connection, source, number, 0, 0)
    connection.execute("INSERT INTO setting (key, body) VALUES (?, 'null')", (f"{_MARK}{number}",))
    return number


def some(
    connection: sqlite3.Connection,
    source: int,
    target: int,
    span: tuple[int, int],
    ticks: Callable[[], float] = time.monotonic,
) -> int:
    """Copies events of the span (first and last seq) for about `SLICE_S`; the seq at which the next slice begins."""
    at, last = span
    end = ticks() + SLICE_S
    while at <= last:
        stride = min(at + STRIDE - 1, last)
        logs.copy(connection, source, target, at, stride)
        at = stride + 1
        if ticks() >= end:
            break
    return at


def finish(
    connection: sqlite3.Connection, number: int, header: SessionRow, tail: Sequence[StoredEvent], now: int
) -> int:
    """Makes the copy a session, with `tail` behind it."""
    insert_session(connection, header, now, number)
    logs.add(connection, number, tail)
    connection.execute("DELETE FROM setting WHERE key = ?", (f"{_MARK}{number}",))
    return number


def discard(connection: sqlite3.Connection, number: int, ticks: Callable[[], float] = time.monotonic) -> bool:
    """Removes events of a copy that came to nothing for about `SLICE_S`; True when there is nothing left of it."""
    end = ticks() + SLICE_S
    while (head := logs.head(connection, number)) >= 0:
        logs.remove(connection, number, max(0, head - STRIDE + 1), head)
        if ticks() >= end:
            return False
    connection.execute("DELETE FROM setting WHERE key = ?", (f"{_MARK}{number}",))
    return True


def left_over(connection: sqlite3.Connection) -> list[int]:
    """The numbers of copies that were begun and neither finished nor removed."""
    keys = connection.execute("SELECT key FROM setting WHERE key >= ? AND key < ?", (_MARK, f"{_MARK}:")).fetchall()
    return [int(key.removeprefix(_MARK)) for (key,) in keys]


def sweep(connection: sqlite3.Connection) -> None:
    """Removes all that was left over; before anybody else writes."""
    for number in left_over(connection):
        removed = False
        while not removed:
            connection.execute("BEGIN IMMEDIATE")
            try:
                removed = discard(connection, number)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
