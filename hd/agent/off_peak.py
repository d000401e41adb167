"""When the model of a session costs less, and the turns that wait for it between two steps."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.session.live import LiveSession
from pricing import PriceTable, off_peak_from

LOOK_S: Final = 20.0
"""Seconds between two looks at the clock: a machine may sleep, and a clock may be set."""


class OffPeak:
    """Goes by `tables`. `default` is the selection of a session that has chosen no model."""

    def __init__(self, tables: PriceTable, default: Callable[[], Mapping[str, Any]]) -> None:
        self._tables = tables
        self._default = default
        self._waits: dict[str, _Wait] = {}

    def route(self, session: LiveSession) -> tuple[str, str]:
        """Provider and model of the next request."""
        chosen = session.value("modelSelection").next or self._default()
        return str(chosen.get("provider")), str(chosen.get("model"))

    def cheap_at(self, session: LiveSession, now: int) -> int | None:
        """The first moment (ms) from `now` on at which the next request is off-peak; None where nobody knows."""
        return off_peak_from(*self.route(session), now, self._tables)

    def paused_until(self, session_id: str) -> int | None:
        """Until when (ms) the turn of a session waits; None where none does."""
        wait = self._waits.get(session_id)
        return None if wait is None else wait.until

    def go_on(self, session_id: str) -> None:
        """Ends the wait of the session's turn, if it waits."""
        if session_id in self._waits:
            self._waits[session_id].woken.set()

    @contextmanager
    def waiting(self, session_id: str, until: int) -> Iterator["_Wait"]:
        """Makes a wait known while the block lasts."""
        wait = self._waits[session_id] = _Wait(until)
        try:
            yield wait
        finally:
            del self._waits[session_id]


@dataclass(slots=True)
class _Wait:
    """`until` in ms; `woken` once somebody wants the turn to go on."""

    until: int
    woken: asyncio.Event = field(default_factory=asyncio.Event)

    async def look(self, left_ms: int) -> None:
        """Returns when it is time to look at the clock again."""
        with suppress(TimeoutError):
            async with asyncio.timeout(min(LOOK_S, left_ms / 1000)):
                await self.woken.wait()


class Pause:
    """What one turn does about peak hours: it waits if every person's message in it said that it may."""

    def __init__(self, session: LiveSession, off_peak: OffPeak, turn: int) -> None:
        self._session = session
        self._off_peak = off_peak
        self._turn = turn
        self._may_wait = False

    def entered(self, messages: Iterable[Mapping[str, Any]]) -> None:
        """Takes note of the messages that began the turn, or were sent into it."""
        asked = [_may_wait(message) for message in messages if _is_persons(message)]
        if asked:
            self._may_wait = all(asked)

    async def waited(self, step: int) -> bool:
        """Keeps the request behind `step` back until it costs less; whether it had to wait.

        Whoever sends a message is there and wants an answer, so that ends the wait, as does `OffPeak.go_on`; the turn
        then goes to its end at any price.
        """
        until = self._until()
        if until is None:
            return False
        since = self._session.now()
        with self._off_peak.waiting(self._session.id, until) as wait:
            self._tell(step, since, until)
            while until is not None and not wait.woken.is_set():
                if until != wait.until:
                    self._tell(step, since, until)
                    wait.until = until
                await wait.look(until - self._session.now())
                until = self._until()
            self._may_wait = self._may_wait and not wait.woken.is_set()
        self._tell(step, since, None)
        return True

    def _until(self) -> int | None:
        """Until when (ms) the next request has to wait now; None where it need not."""
        inbox = self._session.value("inbox")
        waiting = (*inbox.next_turn, *inbox.next_step)
        if not self._may_wait or any(_is_persons(one) and not _may_wait(one) for one in waiting):
            return None
        now = self._session.now()
        at = self._off_peak.cheap_at(self._session, now)
        return None if at is None or at <= now else at

    def _tell(self, step: int, since: int, until: int | None) -> None:
        data: dict[str, Any] = {"turn": self._turn, "step": step, "reason": None, "sinceMs": since}
        if until is not None:
            data |= {"reason": "peak", "untilMs": until}
        self._session.record(Draft(ev.LLM_WAITING, data))


def _is_persons(message: Mapping[str, Any]) -> bool:
    return (message.get("source") or {}).get("kind") == "user"


def _may_wait(message: Mapping[str, Any]) -> bool:
    return (message.get("source") or {}).get("offPeak") is True
