"""The store on SQLite: what the event loop sees.

One `Writer` thread changes the database, one reader thread with a connection of its own looks things up. Between them
this object keeps, for each session, its head and the events that are queued but not yet written, and lays those over
what the reader finds; so a full disk stops no reader.
"""

import asyncio
import sqlite3
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from hd.errors import HdError, SessionNotFound, StoreFull
from hd.protocol.billing import Records
from hd.session.store import check, copies, logs, reads, records, schema, search, workspaces
from hd.session.store.base import PAGE_EVENTS, SessionRow, StoredEvent, WorkspaceRow, page_from
from hd.session.store.faults import fault
from hd.session.store.pages import PageCut
from hd.session.store.writer import Append, Ask, Keep, Stop, Ticket, Writer

T = TypeVar("T")
Clock = Callable[[], int]

_SAVE_SETTING = "INSERT INTO setting (key, body) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body"


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass(slots=True)
class _Log:
    """A session as this object knows it: `pending` are the events up to `head` that are not in the database yet."""

    number: int
    head: int = -1
    pending: deque[StoredEvent] = field(default_factory=deque)


@dataclass(frozen=True, slots=True)
class _Opened:
    writing: sqlite3.Connection
    reading: sqlite3.Connection
    logs: dict[str, _Log]


class SqliteStore:
    """`Store` on one file. Made by `open`, on the event loop that uses it; closed by `close`."""

    def __init__(self, path: Path, opened: _Opened, loop: asyncio.AbstractEventLoop, clock: Clock) -> None:
        self.path = path
        self._logs = opened.logs
        self._reading = opened.reading
        self._loop = loop
        self._clock = clock
        self._closed = False
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="hd-store-reader")
        self._writer = Writer(opened.writing, path, lambda appends: self._call(self._trim, appends))
        self._writer.start()

    @classmethod
    async def open(cls, path: Path, *, clock: Clock = now_ms) -> "SqliteStore":
        """Creates, checks and if need be upgrades the database. `StoreDamaged` leaves the file as it was."""
        opened = await asyncio.to_thread(_open, path)
        return cls(path, opened, asyncio.get_running_loop(), clock)

    # Logs

    def append(self, session_id: str, events: Sequence[StoredEvent]) -> None:
        self._demand_open()
        log = self._log(session_id)
        for expected, event in enumerate(events, log.head + 1):
            if event.seq != expected:
                raise ValueError(f"event {event.seq} of {session_id} where {expected} comes next")
        if events:
            log.head = events[-1].seq
            log.pending.extend(events)
            self._writer.put(Append(session_id, log.number, tuple(events)))

    async def flush(self, *, durable: bool = False) -> None:
        self._demand_open()
        written: asyncio.Future[None] = self._loop.create_future()
        self._writer.put(Ticket(durable, lambda value, error: self._call(_settle, written, value, error)))
        await written

    def head(self, session_id: str) -> int:
        return self._log(session_id).head

    async def events(
        self, session_id: str, *, from_seq: int = 0, to_seq: int | None = None, types: Collection[str] | None = None
    ) -> list[bytes]:
        pieces = self.pages(session_id, from_seq=from_seq, to_seq=to_seq, types=types)
        return [body async for piece in pieces for body in piece]

    async def pages(
        self, session_id: str, *, from_seq: int = 0, to_seq: int | None = None, types: Collection[str] | None = None
    ) -> AsyncIterator[list[bytes]]:
        log = self._log(session_id)
        last = log.head if to_seq is None else min(to_seq, log.head)
        at = max(from_seq, 0)
        while at <= last:
            written = log.pending[0].seq if log.pending else log.head + 1
            if at < written:
                found = await self._read(reads.piece, log.number, at, min(last, written - 1), types)
            else:
                found = _from_memory(log.pending, at - written, last, types)
            at = found.next_seq
            if found.bodies:
                yield found.bodies

    async def page_start(self, session_id: str, *, before_seq: int | None, through_seq: int, messages: int) -> int:
        cut = PageCut(messages)
        log = self._log(session_id)
        last = min(through_seq, log.head, through_seq if before_seq is None else before_seq - 1)
        for event in reversed(log.pending):
            if event.seq <= last and not cut.takes(event.seq, len(event.body), page_from(event)):
                return cut.start
        written = log.pending[0].seq if log.pending else log.head + 1
        return await self._read(reads.page_start, log.number, min(last, written - 1), cut)

    async def search(self, words: Sequence[str], most: int) -> list[search.Hit]:
        return await self._beside(search.search, words, most)

    async def records(self, seen: Mapping[str, int], only: str | None = None) -> list[Records]:
        return await self._beside(records.read, seen, only)

    async def _beside(self, look: Callable[..., T], *args: Any) -> T:
        """Looks at the file on a connection of its own, after what was queued before has been written."""
        with suppress(StoreFull):
            await self.flush()
        return await asyncio.to_thread(look, self.path, *args)

    # Sessions

    async def create_session(self, header: SessionRow) -> None:
        def register(number: int) -> None:
            self._logs[header.id] = _Log(number)

        await self._ask(lambda c: workspaces.insert_session(c, header, self._clock()), register)

    async def copy_session(
        self, header: SessionRow, source: str, through_seq: int, tail: Sequence[StoredEvent]
    ) -> None:
        copied = self._log(source).number

        def register(number: int) -> None:
            self._logs[header.id] = _Log(number, through_seq + len(tail))

        number = await self._ask(partial(copies.begin, source=copied))
        try:
            at = 1
            while at <= through_seq:
                at = await self._ask(partial(copies.some, source=copied, target=number, span=(at, through_seq)))
            finish = partial(copies.finish, number=number, header=header, tail=tail, now=self._clock())
            await self._ask(finish, register)
        except HdError:
            with suppress(HdError):
                while not await self._ask(partial(copies.discard, number=number)):
                    pass
            raise

    async def sessions(self) -> list[SessionRow]:
        return [self._current(row) for row in await self._read(reads.sessions)]

    async def subagents(self, session_id: str) -> list[str]:
        return await self._read(reads.subagents, session_id)

    async def session(self, session_id: str) -> SessionRow:
        return self._current(await self._read(reads.session, self._log(session_id).number))

    def save_projections(self, session_id: str, as_of_seq: int, body: bytes, updated_at: int) -> None:
        number = self._log(session_id).number

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(logs.SAVE_PROJECTIONS, (number, as_of_seq, body))
            connection.execute("UPDATE session SET updated_at = ? WHERE number = ?", (updated_at, number))

        self._keep(work)

    def keep_partial(self, session_id: str, body: bytes | None) -> None:
        number = self._log(session_id).number

        def work(connection: sqlite3.Connection) -> None:
            if body is None:
                connection.execute("DELETE FROM partial WHERE number = ?", (number,))
            else:
                connection.execute(logs.SAVE_PARTIAL, (number, body))

        self._keep(work)

    async def partial(self, session_id: str) -> bytes | None:
        return await self._read(reads.partial, self._log(session_id).number)

    # Workspaces and marks

    async def create_workspace(self, path: str, title: str) -> tuple[WorkspaceRow, bool]:
        return await self._ask(lambda c: workspaces.create(c, path, title, self._clock()))

    async def workspaces(self) -> list[WorkspaceRow]:
        return await self._read(workspaces.every)

    async def rename_workspace(self, workspace_id: str, title: str) -> WorkspaceRow:
        return await self._ask(lambda c: workspaces.rename(c, workspace_id, title, self._clock()))

    async def delete_workspace(self, workspace_id: str) -> None:
        await self._ask(lambda c: workspaces.delete(c, workspace_id))

    async def place_workspace(self, workspace_id: str, before: str | None) -> list[str]:
        return await self._ask(lambda c: workspaces.put(c, workspace_id, before))

    async def place_session(self, workspace_id: str, session_id: str, before: str | None) -> WorkspaceRow | None:
        return await self._ask(lambda c: workspaces.put_session(c, workspace_id, session_id, before, self._clock()))

    async def archived(self) -> list[str]:
        return await self._read(reads.marked, "archived")

    async def set_archived(self, session_id: str, archived: bool) -> list[str]:
        return await self._ask(lambda c: workspaces.mark(c, "archived", session_id, archived))

    async def pinned(self) -> list[str]:
        return await self._read(reads.marked, "pinned")

    async def set_pinned(self, session_id: str, pinned: bool) -> list[str]:
        return await self._ask(lambda c: workspaces.mark(c, "pinned", session_id, pinned))

    # Settings

    async def load_setting(self, key: str) -> Any:
        body = await self._read(reads.setting, key)
        return None if body is None else msgspec.json.decode(body)

    async def save_setting(self, key: str, value: Any) -> None:
        if value is None:
            await self._ask(lambda c: c.execute("DELETE FROM setting WHERE key = ?", (key,)).rowcount)
        else:
            body = msgspec.json.encode(value)
            await self._ask(lambda c: c.execute(_SAVE_SETTING, (key, body)).rowcount)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        lost = await asyncio.to_thread(self._join)
        if lost:
            raise StoreFull(f"{self.path} could not be written to the end: the last {lost} events are lost.")

    def _join(self) -> int:
        """The reader leaves first, because only the last writing connection clears the log file away."""
        self._reader.submit(self._reading.close)
        self._reader.shutdown(wait=True)
        self._writer.put(Stop())
        return self._writer.join()

    # The two threads

    def _keep(self, work: Callable[[sqlite3.Connection], None]) -> None:
        self._demand_open()
        self._writer.put(Keep(work))

    async def _ask(self, work: Callable[[sqlite3.Connection], T], then: Callable[[T], None] | None = None) -> T:
        """Has a change made; `then` is called on the loop when it was, even if nobody waits for it any more."""
        self._demand_open()
        made: asyncio.Future[T] = self._loop.create_future()

        def settle(value: T, error: BaseException | None) -> None:
            if then is not None and error is None:
                then(value)
            _settle(made, value, error)

        self._writer.put(Ask(work, lambda value, error: self._call(settle, value, error)))
        return await made

    async def _read(self, query: Callable[..., T], *values: Any) -> T:
        self._demand_open()
        try:
            return await self._loop.run_in_executor(self._reader, partial(query, self._reading, *values))
        except sqlite3.Error as error:
            raise fault(error, self.path) from None

    def _call(self, act: Callable[..., None], *values: Any) -> None:
        """Runs something on the loop from the writer's thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(act, *values)

    def _trim(self, appends: Sequence[Append]) -> None:
        for change in appends:
            pending = self._logs[change.session_id].pending
            while pending and pending[0].seq <= change.events[-1].seq:
                pending.popleft()

    def _current(self, row: SessionRow) -> SessionRow:
        log = self._logs.get(row.id)
        return row if log is None or log.head == row.head else replace(row, head=log.head)

    def _log(self, session_id: str) -> _Log:
        try:
            return self._logs[session_id]
        except KeyError:
            raise SessionNotFound("There is no such session.", {"sessionId": session_id}) from None

    def _demand_open(self) -> None:
        if self._closed:
            raise RuntimeError("the store is closed")


def _settle(future: "asyncio.Future[Any]", value: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)


def _from_memory(pending: deque[StoredEvent], skip: int, last: int, types: Collection[str] | None) -> reads.Piece:
    events = [event for event in islice(pending, skip, skip + PAGE_EVENTS) if event.seq <= last]
    return reads.Piece([e.body for e in events if types is None or e.type in types], events[-1].seq + 1)


def _open(path: Path) -> _Opened:
    check.look(path)
    try:
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            schema.create_private(path)
        schema.close_to_others(path)
        writing = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
        try:
            schema.prepare(writing, path)
            copies.sweep(writing)
            for setting in ("journal_mode = WAL", "foreign_keys = ON", f"journal_size_limit = {16 << 20}"):
                writing.execute(f"PRAGMA {setting}")
            reading = check.read_only(path)
            ends = {session_id: _Log(number, head) for session_id, number, head in reads.log_ends(reading)}
        except BaseException:
            writing.close()
            raise
    except sqlite3.Error as error:
        raise fault(error, path) from None
    return _Opened(writing, reading, ends)
