"""The look at a database before it is used. It never changes a byte."""

import sqlite3
import time
from pathlib import Path
from typing import Any

import msgspec

from hd.errors import StoreDamaged
from hd.session.store import reads, schema
from hd.session.store.faults import damaged, fault

_MAGIC = b"SQLite format 3\0"


def look(path: Path, *, budget_s: float = 0.3) -> None:
    """Returns when the file can be used, also when it is missing or empty; `StoreDamaged` otherwise.

    The check of all pages stops after `budget_s` seconds: what it did not reach is met when it is read.
    """
    if not path.exists() or path.stat().st_size == 0:
        return
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise damaged(path, "it is no SQLite database")
    connection = read_only(path)
    try:
        _look_inside(connection, path, budget_s)
    except sqlite3.Error as error:
        raise fault(error, path) from None
    finally:
        connection.close()


def _look_inside(connection: sqlite3.Connection, path: Path, budget_s: float) -> None:
    if schema.is_blank(connection):
        return
    if connection.execute("PRAGMA application_id").fetchone()[0] != schema.APPLICATION:
        raise damaged(path, "it is a database of another program")
    version = schema.version(connection)
    if version > schema.newest():
        raise StoreDamaged(
            f"{path} was written by a newer hd (its form is {version}, this one knows {schema.newest()}). Nothing was "
            "changed; install the newer hd again, or start with another HD_HOME."
        )
    problem = _first_problem(connection, budget_s)
    if problem is not None:
        raise damaged(path, f"a part of it is damaged ({problem})")


def _first_problem(connection: sqlite3.Connection, budget_s: float) -> str | None:
    deadline = time.monotonic() + budget_s
    connection.set_progress_handler(lambda: time.monotonic() > deadline, 2000)
    try:
        verdict = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        return None
    finally:
        connection.set_progress_handler(None, 0)
    return None if verdict == "ok" else " ".join(verdict.split())


def kept_setting(path: Path, key: str) -> Any:
    """What a database keeps under a key, beside whoever uses it; None where it keeps nothing. `StoreDamaged` &c."""
    look(path)
    if not path.exists() or path.stat().st_size == 0:
        return None
    connection = read_only(path)
    try:
        body = None if schema.is_blank(connection) else reads.setting(connection, key)
        return None if body is None else msgspec.json.decode(body)
    except sqlite3.Error as error:
        raise fault(error, path) from None
    finally:
        connection.close()


def read_only(path: Path) -> sqlite3.Connection:
    """A connection that can change nothing; it may be handed to another thread."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA busy_timeout = 5000")
    return connection
