"""The queries for sessions and their logs. Each function runs to its end on one connection, in the reader's thread."""

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass

from hd.session.store import logs
from hd.session.store.base import PAGE_BYTES, PAGE_EVENTS, SessionRow
from hd.session.store.pages import PageCut
from hd.session.store.schema import place, seq_of

_SESSION = """
SELECT s.id, s.created_at, s.cwd, s.parent, s.origin, s.workspace_id, s.extra, s.updated_at,
  coalesce((SELECT max(place) FROM event WHERE place >= s.number << 32 AND place < (s.number + 1) << 32) & 0xffffffff,
    -1),
  p.body, coalesce(p.as_of_seq, -1)
FROM session s LEFT JOIN projection p ON p.number = s.number
"""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some bodies of a log in order, and the seq at which the next piece begins."""

    bodies: list[bytes]
    next_seq: int


def log_ends(connection: sqlite3.Connection) -> list[tuple[str, int, int]]:
    """(id, number, head) of every session."""
    numbers = connection.execute("SELECT id, number FROM session").fetchall()
    return [(session_id, number, logs.head(connection, number)) for session_id, number in numbers]


def sessions(connection: sqlite3.Connection) -> list[SessionRow]:
    return [SessionRow(*row) for row in connection.execute(f"{_SESSION} ORDER BY s.updated_at DESC, s.number DESC")]


def session(connection: sqlite3.Connection, number: int) -> SessionRow:
    return SessionRow(*connection.execute(f"{_SESSION} WHERE s.number = ?", (number,)).fetchone())


def subagents(connection: sqlite3.Connection, session_id: str) -> list[str]:
    """What agents of a session started, at any depth."""
    found = connection.execute(
        """WITH RECURSIVE below(id) AS (
             SELECT id FROM session WHERE parent = ? AND origin = 'subagent'
             UNION SELECT s.id FROM session s JOIN below b ON s.parent = b.id WHERE s.origin = 'subagent')
           SELECT id FROM below""",
        (session_id,),
    )
    return [found_id for (found_id,) in found]


def piece(
    connection: sqlite3.Connection, number: int, from_seq: int, to_seq: int, types: Collection[str] | None
) -> Piece:
    """The log from `from_seq` to `to_seq` (inclusive), as far as one piece may go."""
    wanted = "" if types is None else f"AND type IN ({', '.join('?' * len(types))})"
    cursor = connection.execute(
        f"SELECT place, body FROM event WHERE place >= ? AND place <= ? {wanted} ORDER BY place",
        (place(number, from_seq), place(number, to_seq), *(types or ())),
    )
    bodies: list[bytes] = []
    size = 0
    try:
        for key, body in cursor:
            bodies.append(body)
            size += len(body)
            if len(bodies) == PAGE_EVENTS or size >= PAGE_BYTES:
                return Piece(bodies, seq_of(key) + 1)
    finally:
        cursor.close()
    return Piece(bodies, to_seq + 1)


def page_start(connection: sqlite3.Connection, number: int, last_seq: int, cut: PageCut) -> int:
    """Where the page starts that ends at `last_seq`, or goes on there with what `cut` took already."""
    # The length of a body stands in its row, so that no long one is read for it.
    cursor = connection.execute(
        "SELECT place, length(body), page_from FROM event WHERE place >= ? AND place <= ? ORDER BY place DESC",
        (place(number, 0), place(number, last_seq)),
    )
    try:
        for key, size, page_from in cursor if last_seq >= 0 else ():
            if not cut.takes(seq_of(key), size, page_from):
                break
    finally:
        cursor.close()
    return cut.start


def partial(connection: sqlite3.Connection, number: int) -> bytes | None:
    row = connection.execute("SELECT body FROM partial WHERE number = ?", (number,)).fetchone()
    return None if row is None else row[0]


def setting(connection: sqlite3.Connection, key: str) -> bytes | None:
    row = connection.execute("SELECT body FROM setting WHERE key = ?", (key,)).fetchone()
    return None if row is None else row[0]


def marked(connection: sqlite3.Connection, mark: str) -> list[str]:
    """The sessions that carry a mark (`archived` or `pinned`), in the order in which they got it."""
    return [row[0] for row in connection.execute(f"SELECT id FROM session WHERE {mark} IS NOT NULL ORDER BY {mark}")]
