"""The registry: which sessions exist, which of them are in memory, and how one gets there."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from weakref import WeakValueDictionary

import msgspec

from hd.errors import HdError, SessionConflict, SessionNotFound, StoreDamaged
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.forms import read
from hd.protocol.ids import new_session_id
from hd.protocol.projections import State
from hd.protocol.projections.base import Projection
from hd.session import summary
from hd.session.fork import Mark, cut, emptied, end_of_seed
from hd.session.hub import Hub
from hd.session.live import Header, LiveSession
from hd.session.repair import kept_partial, needs_repair, repair
from hd.session.residents import IDLE_S, Resting, Tenant, overdue
from hd.session.store.base import SessionRow, Store

_log = logging.getLogger(__name__)

Announce = Callable[[str, list[Any]], None]
"""Tells every client a host event: its name and arguments (WIRE 5.1)."""


SWEEP_S = 15.0
"""Seconds between two looks at what may be dropped from memory."""


class Registry:
    """Sessions by id. Cold ones are rows of the store; a live one has its log folded in memory, until nobody needs it.

    A live session is only had by holding it (`hold`), and only what nobody holds is dropped. `opening` is what a log
    without events is given on load: its daemon was killed between the row and the first event. `ticks` is a clock in
    seconds that nobody sets.
    """

    def __init__(
        self,
        store: Store,
        hub: Hub,
        *,
        projections: Sequence[Projection[Any]],
        clock: Callable[[], int],
        announce: Announce,
        opening: Sequence[Draft] = (),
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store = store
        self.hub = hub
        self.live: dict[str, LiveSession] = {}
        self.dropped: set[str] = set()
        """The ids of those that were in memory and are not now; for a client nothing is different about them."""
        self.unreadable: set[str] = set()
        """The ids of those whose log was found not to be readable; a list says so from then on."""
        self._tenants: list[Tenant] = []
        self._ticks = ticks
        self._projections = tuple(projections)
        self.public_keys = frozenset(p.key for p in self._projections if p.view is not None)
        self._clock = clock
        self._announce = announce
        self._opening = tuple(opening)
        self._loading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def create(
        self, *, cwd: str, opening: Sequence[Draft], workspace_id: str | None = None, session_id: str | None = None
    ) -> Header:
        """A new session whose log begins with `opening`. The same own id again gives the session that has it.

        `SessionConflict` when that session works in another folder.
        """
        chosen = session_id or new_session_id()
        async with self._lock(chosen):
            if session_id is not None:
                existing = await self._existing(chosen)
                if existing is not None:
                    if existing.cwd != cwd:
                        raise SessionConflict(
                            f"The session {chosen} exists already and works in another folder.",
                            {"sessionId": chosen, "requestedCwd": cwd, "existingCwd": existing.cwd},
                        )
                    return existing
            header = Header(chosen, self._clock(), cwd)
            await self.store.create_session(header.row(workspace_id))
            session = self._enter(self._session(header, self._initial(header)))
            with session.holds.held():
                session.record(*opening)
                session.save_projections()
                await session.written(durable=True)
                self._announce("api-session/added", [summary.of_live(session)])
        return header

    async def _existing(self, session_id: str) -> Header | None:
        try:
            return (self.live.get(session_id) or await self._load(session_id)).header
        except SessionNotFound:
            return None

    async def fork(self, session_id: str, at_seq: int | None = None) -> Header:
        """A new session that begins with this one's log up to the turn at `at_seq` (`hd.session.fork.cut`).

        `ForkUnavailable` when there is no whole turn to begin with. What waited in the inbox stays with the parent.
        """
        parent = await self.store.session(session_id)
        through = cut(await self._turn_marks(session_id), parent.head, at_seq, session_id)
        now = self._clock()
        header = replace(
            Header.of(parent),
            id=new_session_id(),
            created_at=now,
            parent=session_id,
            is_seeded=True,
            # Whoever forks is a person, also where a model started the parent.
            origin=None,
            delegation_depth=None,
        )
        async with self._lock(header.id):
            await self.store.copy_session(
                header.row(parent.workspace_id), session_id, through, [end_of_seed(through, now)]
            )
            session = await self._load(header.id)
            with session.holds.held():
                session.record(*emptied(session.value("inbox"), session.value("later")))
                session.save_projections()
                await session.written(durable=True)
                self._announce("api-session/added", [summary.of_live(session)])
        return header

    async def _turn_marks(self, session_id: str) -> list[Mark]:
        """Page by page, so that the loop is not held by a long session."""
        pages = self.store.pages(session_id, types=(ev.TURN_START, ev.TURN_END))
        return [msgspec.json.decode(body, type=Mark) async for page in pages for body in page]

    @asynccontextmanager
    async def hold(self, session_id: str) -> AsyncIterator[LiveSession]:
        """The live session, in memory while the block lasts; loaded and repaired if it is cold. `SessionNotFound`."""
        session = self.live.get(session_id)
        if session is None:
            async with self._lock(session_id):
                session = self.live.get(session_id)
                if session is None:
                    session = await self._load(session_id)
                    self._announce("api-session/added", [summary.of_live(session)])
        # Between the look into `live` and this line nothing waits: leaving a lock does not.
        with session.holds.held():
            yield session

    async def subagents(self, session_id: str) -> list[str]:
        """The sessions that agents of a session started, and those that agents of these did."""
        return await self.store.subagents(session_id)

    def admit(self, *tenants: Tenant) -> None:
        """Has these asked before a session is dropped, and told when it is."""
        self._tenants += tenants

    async def sweep(self, idle_s: float = IDLE_S) -> list[str]:
        """Drops what nobody needs in memory; gives the ids. `StoreFull`: what is not on disk is not dropped."""
        resting = [self._resting(session) for session in self.live.values() if self._rests(session)]
        chosen = {session_id: self.live[session_id] for session_id in overdue(resting, self._ticks(), idle_s=idle_s)}
        if not chosen:
            return []
        looks = {session_id: self._resting(session) for session_id, session in chosen.items()}
        for session in chosen.values():
            session.save_projections()
        await self.store.flush()
        # Who came meanwhile has it in hand, or had it and let go, which shows in `since`.
        still = [s for s in chosen.values() if self._rests(s) and self._resting(s) == looks[s.id] and not s.holds.ended]
        for session in still:
            self._drop(session)
        return [session.id for session in still]

    async def keep_sweeping(self) -> None:
        """Sweeps every now and then, until it is cancelled."""
        while True:
            await asyncio.sleep(SWEEP_S)
            try:
                await self.sweep()
            except HdError as error:
                _log.warning("nothing was dropped from memory: %s", error.message)
            except Exception:
                _log.exception("the look at what may be dropped from memory failed; it is tried again")

    def _rests(self, session: LiveSession) -> bool:
        return not session.holds.count and all(tenant.rests(session.id) for tenant in self._tenants)

    def _resting(self, session: LiveSession) -> Resting:
        return Resting(session.id, session.holds.since, session.weight)

    def _drop(self, session: LiveSession) -> None:
        session.holds.end()
        del self.live[session.id]
        self.dropped.add(session.id)
        for tenant in self._tenants:
            tenant.leave(session.id)

    def _lock(self, session_id: str) -> asyncio.Lock:
        """The lock of an id while anybody holds or awaits it; ids come from clients and may be anything."""
        lock = self._loading.get(session_id)
        if lock is None:
            lock = self._loading[session_id] = asyncio.Lock()
        return lock

    def _initial(self, header: Header) -> State:
        return State.initial(self._projections, workingDirectory=header.cwd, agentPreset=header.agent_preset)

    def _session(self, header: Header, state: State, weight: int = 0) -> LiveSession:
        return LiveSession(header, state, self.store, self.hub, self._clock, self._ticks, weight)

    def _enter(self, session: LiveSession) -> LiveSession:
        self.live[session.id] = session
        self.dropped.discard(session.id)
        return session

    async def _load(self, session_id: str) -> LiveSession:
        """The session folded from its log and closed if it was open; only then can anybody reach it."""
        row = await self.store.session(session_id)
        if summary.is_cut(row):
            raise StoreDamaged(
                f"The log of this session ends at event {row.head}, though event {row.as_of_seq} was recorded once. "
                "Nothing was changed, and the other sessions are not touched; `hd doctor` says more.",
                {"sessionId": session_id, "seq": row.head},
            )
        state, weight = self._initial(Header.of(row)), 0
        try:
            async for page in self.store.pages(session_id):
                state = state.fold(read(msgspec.json.decode(body)) for body in page)
                weight += sum(map(len, page))
            session = self._session(Header.of(row), state, weight)
            if state.seq < 0 and self._opening:
                session.record(*self._opening)
                session.save_projections()
            if needs_repair(state):
                await self._repair(session)
        except (ValueError, KeyError, TypeError, AttributeError, msgspec.DecodeError) as error:
            self.unreadable.add(session_id)
            _log.exception("the log of %s cannot be read behind event %d", session_id, state.seq)
            raise StoreDamaged(
                f"The log of this session cannot be read behind event {state.seq}. Nothing of it was changed, and the "
                "other sessions are not touched; `hd doctor` says more.",
                {"sessionId": session_id, "seq": state.seq},
            ) from error
        return self._enter(session)

    async def _repair(self, session: LiveSession) -> None:
        partial = kept_partial(await self.store.partial(session.id))
        used = session.value("modelSelection").last_used or {}
        session.record(*repair(session.state, partial, used.get("provider", "unknown"), used.get("model", "unknown")))
        self.store.keep_partial(session.id, None)
        session.save_projections()
        await session.written(durable=True)

    async def repair_interrupted(self) -> list[str]:
        """Closes what the last daemon left open; gives the ids of the sessions that had an open turn.

        A session is looked at when its kept projections are behind its log, which a clean turn end never leaves. One
        that cannot be read keeps nobody from the others.
        """
        repaired: list[str] = []
        for row in await self.store.sessions():
            if row.as_of_seq == row.head or row.id in self.live:
                continue
            try:
                async with self.hold(row.id) as session:
                    if session.value("turn").number and session.state.seq != row.head:
                        repaired.append(row.id)
                    else:
                        session.save_projections()
            except StoreDamaged:
                continue
        return repaired

    async def summaries(self) -> list[dict[str, Any]]:
        """All sessions, last updated first (WIRE 10, `SessionSummary`)."""
        rows = await self.store.sessions()
        found = [self._summary(row) for row in rows]
        return sorted(found, key=lambda shown: -int(shown["updatedAt"]))

    def _summary(self, row: SessionRow) -> dict[str, Any]:
        session = self.live.get(row.id)
        if session is not None:
            return summary.of_live(session)
        return summary.of_row(row, readable=row.id not in self.unreadable)
