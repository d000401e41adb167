"""Sends what is held when its model costs less.

What is held is a fact of its session's log and nowhere else; where something is held is read from the kept projections
at the start, so that nobody has to read every log. The clock is looked at every little while and not waited for in one
piece: a machine may sleep, a clock may be set.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import msgspec

from hd.agent.agents import Agents
from hd.agent.off_peak import LOOK_S, OffPeak
from hd.errors import HdError, SessionNotFound, StoreFull
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.ids import new_id
from hd.protocol.projections.later import Held
from hd.session.live import LiveSession
from hd.session.registry import Registry

_log = logging.getLogger(__name__)

MOST: Final = 20
"""Messages that a session may hold: all of them are shown wherever it is."""

AGAIN_MS: Final = 600_000
"""After so long what could not be sent is tried again."""


class _Kept(msgspec.Struct):
    """Of the kept projections of a session, what it holds."""

    later: list[msgspec.Raw] = []


class Later:
    """Holds messages, and sends each once: when its model costs less, or when somebody says so before.

    `off_peak` knows when that is.
    """

    def __init__(self, registry: Registry, agents: Agents, off_peak: OffPeak, clock: Callable[[], int]) -> None:
        self._registry = registry
        self._agents = agents
        self.off_peak = off_peak
        self._clock = clock
        self._due: dict[str, int] = {}
        """When each session that holds something is to be looked at (ms)."""
        self._news = asyncio.Event()
        self._one_at_a_time = asyncio.Lock()

    async def load(self) -> None:
        """Takes up what was held when the last daemon ended; after the repair, which brings what is kept up to date.

        All of it is looked at once, because the prices may be others by now.
        """
        for row in await self._registry.store.sessions():
            try:
                held = msgspec.json.decode(row.projections or b"{}", type=_Kept).later
            except msgspec.DecodeError:
                continue  # It is written anew when the session is loaded, and looked at then.
            if held:
                self._due[row.id] = 0
        self._news.set()

    async def hold(self, session: LiveSession, text: str, at: int, *, pause: bool) -> None:
        """Holds a message until `at` (ms); it is on disk when this returns."""
        session.record(
            Draft(ev.LATER_HELD, {"id": new_id(), "text": text, "at": at, **({"pause": True} if pause else {})})
        )
        self._note(session)
        self._news.set()
        await session.written(durable=True)

    async def send(self, session: LiveSession, held: Held, *, pause: bool) -> bool:
        """Sends a message; False where somebody took it meanwhile.

        It is in the inbox before it is let go, and the inbox takes the same one in once.
        """
        async with self._one_at_a_time:
            if not _holds(session, held):
                return False
            content = [{"type": "text", "text": held.text}]
            await self._agents.of(session).prompt(content, request_id=f"later-{held.id}", steer=False, off_peak=pause)
            await self._take(session, held, "sent")
            return True

    async def drop(self, session: LiveSession, held: Held) -> bool:
        """Removes a message; False where somebody took it meanwhile."""
        async with self._one_at_a_time:
            if not _holds(session, held):
                return False
            await self._take(session, held, "removed")
            return True

    async def run(self) -> None:
        """Sends what is due, until it is cancelled."""
        while True:
            await self.send_due()
            await self._wait()

    async def send_due(self) -> None:
        """Looks once at every session of which something is due."""
        now = self._clock()
        for session_id in [session_id for session_id, at in self._due.items() if at <= now]:
            try:
                async with self._registry.hold(session_id) as session:
                    await self._look(session)
            except StoreFull as error:
                _log.warning("what is held in %s waits for the disk: %s", session_id, error.message)
            except SessionNotFound:
                self._due.pop(session_id, None)
            except Exception as error:
                # Its log has it still. To try each time would only fill the daemon's log.
                self._due[session_id] = now + AGAIN_MS
                told = error.message if isinstance(error, HdError) else type(error).__name__
                _log.warning("what is held in %s was not sent, and is tried again in ten minutes: %s", session_id, told)

    async def _look(self, session: LiveSession) -> None:
        """Sends what a session holds where it is cheap, and else holds it until it is: nobody may have been here at the
        time, and the prices or the model may be others. Where no price is known, the time that was told counts.

        One that may pause begins its turn off-peak, so it goes into no queue.
        """
        held: tuple[Held, ...] = session.value("later")
        for one in held:
            now = session.now()
            cheap = self.off_peak.cheap_at(session, now)
            at = one.at if cheap is None else cheap
            if at > now and at != one.at:
                session.record(Draft(ev.LATER_HELD, {"id": one.id, "at": at}))
            elif at <= now and (not one.pause or self._agents.rests(session.id)):
                await self.send(session, one, pause=one.pause)
        self._note(session)

    async def _wait(self) -> None:
        """Until the next one is due, or one more is held. What is overdue waits for its session to come to rest."""
        now = self._clock()
        left_ms = [at - now for at in self._due.values() if at > now]
        with suppress(TimeoutError):
            async with asyncio.timeout(min([LOOK_S, *(ms / 1000 for ms in left_ms)]) if self._due else None):
                await self._news.wait()
        self._news.clear()

    async def _take(self, session: LiveSession, held: Held, how: str) -> None:
        session.record(Draft(ev.LATER_TAKEN, {"id": held.id, "how": how}))
        self._note(session)
        await session.written(durable=True)

    def _note(self, session: LiveSession) -> None:
        """Keeps when the session is to be looked at next."""
        waiting = [one.at for one in session.value("later")]
        session.save_projections()
        if waiting:
            self._due[session.id] = min(waiting)
        else:
            self._due.pop(session.id, None)


def _holds(session: LiveSession, held: Held) -> bool:
    return any(one.id == held.id for one in session.value("later"))
