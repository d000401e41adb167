"""The logs of a database, one after the other, beside whoever uses it. It never changes a byte."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from hd.session.store import reads, schema
from hd.session.store.check import read_only
from hd.session.store.faults import fault


@dataclass(frozen=True, slots=True)
class Log:
    """A session with the bodies of its events, which can be gone through once, before the next session is taken.

    `missing_from` is the first of its events that was once there and is not now; None where all are.
    """

    session_id: str
    bodies: Iterator[bytes]
    missing_from: int | None


def logs(path: Path) -> Iterator[Log]:
    """The sessions of the database at `path`, the oldest first; `StoreDamaged` &c. where it cannot be read."""
    try:
        with closing(read_only(path)) as connection:
            if schema.is_blank(connection):
                return
            kept = {row.id: row.as_of_seq for row in reads.sessions(connection)}
            for session_id, number, head in reads.log_ends(connection):
                missing_from = head + 1 if kept.get(session_id, -1) > head else None
                yield Log(session_id, _bodies(connection, number, head), missing_from)
    except sqlite3.Error as error:
        raise fault(error, path) from None


def _bodies(connection: sqlite3.Connection, number: int, head: int) -> Iterator[bytes]:
    seq = 0
    while seq <= head:
        piece = reads.piece(connection, number, seq, head, None)
        yield from piece.bodies
        seq = piece.next_seq
