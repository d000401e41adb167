"""The one thread that writes, with group commit.

It takes everything that is queued, writes it in one transaction, and only then answers. A batch that the disk refuses
is rolled back as a whole: its kept changes stay in `_held`, in order, and stand before the next batch; its asked
changes are answered with the error and forgotten.
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from hd.errors import HdError
from hd.session.store import logs
from hd.session.store.base import StoredEvent
from hd.session.store.faults import fault


@dataclass(frozen=True, slots=True)
class Append:
    """Events of one session; kept."""

    session_id: str
    number: int
    events: Sequence[StoredEvent]


@dataclass(frozen=True, slots=True)
class Keep:
    """Any other kept change."""

    work: Callable[[sqlite3.Connection], None]


@dataclass(frozen=True, slots=True)
class Ask:
    """A change somebody waits for. `answer` is called once, in the writer's thread, with the value or the error."""

    work: Callable[[sqlite3.Connection], Any]
    answer: Callable[[Any, BaseException | None], None]


@dataclass(frozen=True, slots=True)
class Ticket:
    """Answered when everything before it is written; `durable` demands that it is also on the disk itself."""

    durable: bool
    answer: Callable[[Any, BaseException | None], None]


@dataclass(frozen=True, slots=True)
class Stop:
    """The last thing in the queue."""


Change = Append | Keep | Ask | Ticket | Stop
Kept = Append | Keep

RETRY_S = 2.0
"""Seconds after which what the disk refused is tried again, though nobody asks for it."""

_PULSE = "INSERT INTO setting (key, body) VALUES ('store/pulse', 0) ON CONFLICT (key) DO UPDATE SET body = body + 1"


class Writer:
    """Owns the writing connection from `start` to the end of `join`.

    `written` is called in the writer's thread after each commit, with the appends that are now in the database.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, written: Callable[[Sequence[Append]], None]) -> None:
        self._connection = connection
        self._path = path
        self._written = written
        self._queue: SimpleQueue[Change] = SimpleQueue()
        self._held: list[Kept] = []
        self._behind = False
        self._full_sync: bool | None = None
        self._thread = Thread(target=self._run, name="hd-store-writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, change: Change) -> None:
        self._queue.put(change)

    def join(self) -> int:
        """Waits for the end of the thread; gives the number of events that could not be written."""
        self._thread.join()
        return sum(len(change.events) for change in self._held if isinstance(change, Append))

    def _run(self) -> None:
        stopping = False
        while not stopping:
            batch = self._take()
            stopping = bool(batch) and isinstance(batch[-1], Stop)
            self._settle(batch, durable=stopping or any(isinstance(c, Ticket) and c.durable for c in batch))
        self._connection.close()

    def _take(self) -> list[Change]:
        """Everything that is queued, nothing after a stop; nothing at all when it is time to try again what is held."""
        batch: list[Change] = []
        try:
            batch.append(self._queue.get(timeout=RETRY_S if self._held else None))
            while not isinstance(batch[-1], Stop):
                batch.append(self._queue.get_nowait())
        except Empty:
            pass
        return batch

    def _settle(self, batch: Sequence[Change], *, durable: bool) -> None:
        kept = [*self._held, *(c for c in batch if isinstance(c, Append | Keep))]
        changes: list[Change] = [*self._held, *batch]
        answers: list[tuple[Ask, Any, BaseException | None]] = []
        try:
            self._transact(changes, durable, answers)
        except sqlite3.Error as error:
            self._refuse(batch, kept, fault(error, self._path))
        except Exception as error:
            self._refuse(batch, kept, error)
        else:
            self._held = []
            appends = [c for c in kept if isinstance(c, Append)]
            if appends:
                self._written(appends)
            for ask, value, problem in answers:
                ask.answer(value, problem)
            for change in batch:
                if isinstance(change, Ticket):
                    change.answer(None, None)

    def _refuse(self, batch: Sequence[Change], kept: list[Kept], error: BaseException) -> None:
        self._held = kept
        for change in batch:
            if isinstance(change, Ask | Ticket):
                change.answer(None, error)

    def _transact(
        self, changes: Sequence[Change], durable: bool, answers: list[tuple[Ask, Any, BaseException | None]]
    ) -> None:
        work = any(isinstance(change, Append | Keep | Ask) for change in changes)
        if not work and not (durable and self._behind):
            return
        self._set_sync(full=durable)
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            if not work:
                connection.execute(_PULSE)  # the log file is only synced by a commit that writes to it
            for change in changes:
                if isinstance(change, Append):
                    logs.add(connection, change.number, change.events)
                elif isinstance(change, Keep):
                    change.work(connection)
                elif isinstance(change, Ask):
                    answers.append((change, *_attempt(connection, change)))
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        self._behind = not durable

    def _set_sync(self, *, full: bool) -> None:
        if self._full_sync is not full:
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
            self._full_sync = full


def _attempt(connection: sqlite3.Connection, ask: Ask) -> tuple[Any, BaseException | None]:
    """One asked change inside the batch: a refusal of ours undoes it alone, an error of SQLite the whole batch."""
    connection.execute("SAVEPOINT ask")
    try:
        value = ask.work(connection)
    except HdError as error:
        connection.execute("ROLLBACK TO ask")
        connection.execute("RELEASE ask")
        return None, error
    connection.execute("RELEASE ask")
    return value, None
