"""The statements for workspaces and for the places and marks of sessions in them.

A session's row names its workspace and its rank there, so membership and order are one fact.
"""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime

from hd.errors import HdError, SessionConflict, SessionNotFound, WorkspaceNotFound
from hd.protocol.ids import new_id
from hd.session.store.base import SessionRow, WorkspaceRow
from hd.session.store.reads import marked
from hd.session.store.schema import SEQ_BITS


class WorkspaceNameConflict(HdError):
    """A name that another workspace has."""

    code = "workspace/name-conflict"


def iso(ms: int) -> str:
    """A moment in ms since the epoch as the dialect writes it: UTC, milliseconds, a final Z."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moved(order: Sequence[str], item: str, before: str | None) -> list[str]:
    """The order with an item of it put in front of another, or at the end. ValueError when one is not in it."""
    rest = [other for other in order if other != item]
    if len(rest) == len(order):
        raise ValueError(item)
    if before == item:
        return list(order)
    rest.insert(len(rest) if before is None else rest.index(before), item)
    return rest


def next_number(connection: sqlite3.Connection) -> int:
    """A number that no session has, and no copy of a log in the making (`hd.session.store.copies`)."""
    query = f"""SELECT 1 + max((SELECT coalesce(max(number), 0) FROM session),
    (SELECT coalesce(max(place) >> {SEQ_BITS}, 0) FROM event))"""
    return int(connection.execute(query).fetchone()[0])


def insert_session(connection: sqlite3.Connection, header: SessionRow, now: int, number: int | None = None) -> int:
    """Adds a session at the front of its workspace and gives its number: a new one, or the one begun for it."""
    if connection.execute("SELECT 1 FROM session WHERE id = ?", (header.id,)).fetchone() is not None:
        raise SessionConflict(f"There is a session {header.id} already.", {"sessionId": header.id})
    rank = None
    if header.workspace_id is not None:
        _touch(connection, header.workspace_id, now)
        query = "SELECT coalesce(min(rank), 1) - 1 FROM session WHERE workspace_id = ?"
        rank = connection.execute(query, (header.workspace_id,)).fetchone()[0]
    chosen = next_number(connection) if number is None else number
    connection.execute(
        """INSERT INTO session (number, id, created_at, updated_at, cwd, parent, origin, extra, workspace_id, rank)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            *(chosen, header.id, header.created_at, header.updated_at or header.created_at),
            *(header.cwd, header.parent, header.origin, header.extra, header.workspace_id, rank),
        ),
    )
    return chosen


def create(connection: sqlite3.Connection, path: str, title: str, now: int) -> tuple[WorkspaceRow, bool]:
    found = connection.execute("SELECT id FROM workspace WHERE path = ?", (path,)).fetchone()
    if found is not None:
        return one(connection, found[0]), False
    workspace_id = new_id()
    connection.execute(
        """INSERT INTO workspace (id, path, title, created_at, updated_at, rank)
        VALUES (?, ?, ?, ?, ?, (SELECT coalesce(min(rank), 1) - 1 FROM workspace))""",
        (workspace_id, path, title, iso(now), iso(now)),
    )
    return one(connection, workspace_id), True


def one(connection: sqlite3.Connection, workspace_id: str) -> WorkspaceRow:
    row = connection.execute(
        "SELECT id, path, title, created_at, updated_at FROM workspace WHERE id = ?", (workspace_id,)
    ).fetchone()
    if row is None:
        raise WorkspaceNotFound("There is no such workspace.", {"workspaceId": workspace_id})
    return WorkspaceRow(row[0], row[1], row[2], tuple(_session_order(connection, workspace_id)), row[3], row[4])


def every(connection: sqlite3.Connection) -> list[WorkspaceRow]:
    return [one(connection, workspace_id) for workspace_id in _order(connection)]


def rename(connection: sqlite3.Connection, workspace_id: str, title: str, now: int) -> WorkspaceRow:
    taken = "SELECT 1 FROM workspace WHERE title = ? AND id <> ?"
    if connection.execute(taken, (title, workspace_id)).fetchone() is not None:
        raise WorkspaceNameConflict("Another workspace has this name already; nothing was changed.", {"name": title})
    _touch(connection, workspace_id, now)
    connection.execute("UPDATE workspace SET title = ? WHERE id = ?", (title, workspace_id))
    return one(connection, workspace_id)


def delete(connection: sqlite3.Connection, workspace_id: str) -> None:
    one(connection, workspace_id)
    connection.execute("UPDATE session SET workspace_id = NULL, rank = NULL WHERE workspace_id = ?", (workspace_id,))
    connection.execute("DELETE FROM workspace WHERE id = ?", (workspace_id,))


def put(connection: sqlite3.Connection, workspace_id: str, before: str | None) -> list[str]:
    order = _order(connection)
    for asked in (workspace_id, before):
        if asked is not None and asked not in order:
            raise WorkspaceNotFound("There is no such workspace.", {"workspaceId": asked})
    order = moved(order, workspace_id, before)
    connection.executemany("UPDATE workspace SET rank = ? WHERE id = ?", enumerate(order))
    return order


def put_session(
    connection: sqlite3.Connection, workspace_id: str, session_id: str, before: str | None, now: int
) -> WorkspaceRow | None:
    workspace = one(connection, workspace_id)
    try:
        order = moved(workspace.session_ids, session_id, before)
    except ValueError:
        return None
    connection.executemany("UPDATE session SET rank = ? WHERE id = ?", enumerate(order))
    _touch(connection, workspace_id, now)
    return one(connection, workspace_id)


def mark(connection: sqlite3.Connection, name: str, session_id: str, on: bool) -> list[str]:
    """Sets or clears a mark (`archived` or `pinned`); setting it again keeps the old place."""
    if connection.execute("SELECT 1 FROM session WHERE id = ?", (session_id,)).fetchone() is None:
        raise SessionNotFound("There is no such session.", {"sessionId": session_id})
    value = f"coalesce({name}, (SELECT coalesce(max({name}), 0) + 1 FROM session))" if on else "NULL"
    connection.execute(f"UPDATE session SET {name} = {value} WHERE id = ?", (session_id,))
    return marked(connection, name)


def _order(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in connection.execute("SELECT id FROM workspace ORDER BY rank")]


def _session_order(connection: sqlite3.Connection, workspace_id: str) -> list[str]:
    query = "SELECT id FROM session WHERE workspace_id = ? ORDER BY rank"
    return [row[0] for row in connection.execute(query, (workspace_id,))]


def _touch(connection: sqlite3.Connection, workspace_id: str, now: int) -> None:
    changed = connection.execute("UPDATE workspace SET updated_at = ? WHERE id = ?", (iso(now), workspace_id))
    if changed.rowcount == 0:
        raise WorkspaceNotFound("There is no such workspace.", {"workspaceId": workspace_id})
