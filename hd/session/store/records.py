"""The look at what sessions used (`hd.session.store.billed`), on a connection of its own: no writer waits for it."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hd.errors import StoreDamaged
from hd.protocol.billing import Records
from hd.session.store import schema
from hd.session.store.check import read_only
from hd.session.store.faults import fault
from hd.session.store.schema import SEQ_BITS


def read(path: Path, seen: Mapping[str, int], only: str | None = None) -> list[Records]:
    """The sessions, or that one, with records after the places `seen` (by session id); in the order of their making."""
    try:
        connection = read_only(path)
        try:
            if schema.version(connection) < schema.newest():
                raise StoreDamaged(f"{path} is of an older hd. Start `hd web` once, which brings it up to date.")
            return _read(connection, seen, only)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise fault(error, path) from None


_LATEST: Final = f"""
SELECT s.id, coalesce(json_extract(s.extra, '$.isSeeded'), 0), latest.place
FROM (SELECT max(place) AS place FROM billed GROUP BY place >> {SEQ_BITS}) latest
JOIN session s ON s.number = latest.place >> {SEQ_BITS}
ORDER BY s.number
"""


def _read(connection: sqlite3.Connection, seen: Mapping[str, int], only: str | None) -> list[Records]:
    connection.execute("BEGIN")  # One picture of the database for both questions.
    found = []
    for session_id, is_seeded, last in connection.execute(_LATEST).fetchall():
        first = last >> SEQ_BITS << SEQ_BITS
        after = seen.get(session_id, first - 1)
        if last > after and only in (None, session_id):
            query = "SELECT body FROM billed WHERE place > ? AND place <= ? ORDER BY place"
            bodies = [body for (body,) in connection.execute(query, (after, last))]
            found.append(Records(session_id, bool(is_seeded), bodies, last))
    return found


def titles(path: Path) -> dict[str, str]:
    """The titles of the sessions that have one, by session id."""
    query = "SELECT s.id, json_extract(p.body, '$.title') FROM session s JOIN projection p ON p.number = s.number"
    try:
        connection = read_only(path)
        try:
            return {session_id: title for session_id, title in connection.execute(query) if isinstance(title, str)}
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise fault(error, path) from None
