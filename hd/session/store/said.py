"""What people and models said, as text that can be searched: a table beside the log, filled by whoever adds events.

The index knows groups of three characters, which serves every script; a shorter word is looked for in the text itself.
Only prompts of people and the text of answers are in it: no tool output, no thought, nothing that the daemon added.
"""

import sqlite3
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from hd.protocol import events as tags
from hd.protocol.messages import text_of

TABLES: Final = (
    "CREATE TABLE said (place INTEGER PRIMARY KEY, text TEXT NOT NULL)",
    "CREATE VIRTUAL TABLE said_index "
    "USING fts5 (text, content = 'said', content_rowid = 'place', tokenize = 'trigram')",
    "CREATE TRIGGER said_added AFTER INSERT ON said "
    "BEGIN INSERT INTO said_index (rowid, text) VALUES (new.place, new.text); END",
)
TYPES: Final = (tags.USER_MESSAGE, tags.ASSISTANT_MESSAGE)

LONGEST: Final = 200_000
"""Characters of one message that can be found."""

_INSERT: Final = "INSERT INTO said (place, text) VALUES (?, ?)"


class _Message(msgspec.Struct):
    content: list[dict[str, Any]] = []
    source: dict[str, Any] = {}


class _Answer(msgspec.Struct):
    message: _Message


class _UserEvent(msgspec.Struct):
    data: _Message


class _AnswerEvent(msgspec.Struct):
    data: _Answer


def text_in(kind: str, body: bytes) -> str:
    """What an event says; empty where that is nothing a person would look for."""
    try:
        if kind == tags.USER_MESSAGE:
            message = msgspec.json.decode(body, type=_UserEvent).data
            if message.source.get("kind") != "user":
                return ""
        elif kind == tags.ASSISTANT_MESSAGE:
            message = msgspec.json.decode(body, type=_AnswerEvent).data.message
        else:
            return ""
    except msgspec.DecodeError:
        return ""
    return text_of(message.content)[:LONGEST].strip()


def add(connection: sqlite3.Connection, events: Iterable[tuple[int, str, bytes]]) -> None:
    """Takes in (place, type, body) of events that were added."""
    rows = [(place, text) for place, kind, body in events if kind in TYPES and (text := text_in(kind, body))]
    if rows:
        connection.executemany(_INSERT, rows)


def copy(connection: sqlite3.Connection, first: int, last: int, shift: int) -> None:
    """What stands from `first` to `last` again, `shift` places later."""
    query = "INSERT INTO said (place, text) SELECT place + ?, text FROM said WHERE place >= ? AND place <= ?"
    connection.execute(query, (shift, first, last))


def remove(connection: sqlite3.Connection, first: int, last: int) -> None:
    """Forgets what stands from `first` to `last`; the index has to be told what it forgets."""
    span = (first, last)
    connection.execute(
        "INSERT INTO said_index (said_index, rowid, text) "
        "SELECT 'delete', place, text FROM said WHERE place >= ? AND place <= ?",
        span,
    )
    connection.execute("DELETE FROM said WHERE place >= ? AND place <= ?", span)


def create(connection: sqlite3.Connection) -> None:
    """The step from a database without these tables: makes and fills them."""
    for statement in TABLES:
        connection.execute(statement)
    marks = ", ".join("?" * len(TYPES))
    found = connection.execute(f"SELECT place, type, body FROM event WHERE type IN ({marks}) ORDER BY place", TYPES)
    while rows := found.fetchmany(500):
        add(connection, rows)
