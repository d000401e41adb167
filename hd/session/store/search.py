"""The search over what was said (`hd.session.store.said`), on a connection of its own: no reader waits for it."""

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hd.errors import HdError
from hd.session.store.check import read_only
from hd.session.store.faults import fault
from hd.session.store.schema import SEQ_BITS

SECONDS: Final = 5.0
"""A search that takes longer is given up."""

_GROUP: Final = 3
"""Characters of which the index knows groups."""


class SearchTooSlow(HdError):
    """The search was given up; a longer word is found faster."""

    retry_helps = True


@dataclass(frozen=True, slots=True)
class Hit:
    """A session, and the latest of its messages that holds all words."""

    session_id: str
    text: str


def search(path: Path, words: Sequence[str], most: int) -> list[Hit]:
    """The sessions with a message that holds every word, the last used first, on a connection of its own.

    Case does not count in words of at least three characters. `SearchTooSlow` after `SECONDS`.
    """
    query, values = _statement(words)
    deadline = time.monotonic() + SECONDS
    try:
        connection = read_only(path)
        try:
            connection.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
            return [Hit(*row) for row in connection.execute(query, (*values, most))]
        finally:
            connection.close()
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            raise SearchTooSlow(f"The search took more than {SECONDS:g} seconds. Look for a longer word.") from None
        raise fault(error, path) from None


def _statement(words: Sequence[str]) -> tuple[str, list[str]]:
    long = [word for word in words if len(word) >= _GROUP]
    short = [word for word in words if len(word) < _GROUP]
    conditions = ["text LIKE ? ESCAPE '!'"] * len(short)
    values = [f"%{_escaped(word)}%" for word in short]
    if long:
        conditions.insert(0, "place IN (SELECT rowid FROM said_index WHERE said_index MATCH ?)")
        values.insert(0, " ".join(_phrase(word) for word in long))
    return (
        f"""SELECT s.id, t.text FROM
        (SELECT max(place) AS latest FROM said WHERE {" AND ".join(conditions)} GROUP BY place >> {SEQ_BITS}) f
        JOIN said t ON t.place = f.latest JOIN session s ON s.number = f.latest >> {SEQ_BITS}
        ORDER BY s.updated_at DESC, s.number DESC LIMIT ?""",
        values,
    )


def _escaped(word: str) -> str:
    return word.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def _phrase(word: str) -> str:
    doubled = word.replace('"', '""')
    return f'"{doubled}"'
