"""The one gate that every request to a model goes through before it is sent: answers, retries, summaries and titles.

A session's cap holds what it and its sub-agents cost, so a request is looked at by the caps of its session, by those of
the sessions that started it, and by that of the day. What a request is expected to cost is set aside until it was
answered, so that no two that are sent at once pass a cap together.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final, Protocol

from hd.agent.permission import People
from hd.agent.spending import card
from hd.billing.bill import EMPTY, Bill
from hd.billing.cost import HOUR_MS
from hd.billing.summary import day_of
from hd.errors import BudgetReached, SessionNotFound
from hd.ledger.budget import Refusal, Sending, Spent, expected_cost, refusal, whole_cents
from hd.ledger.caps import Caps, DayCap, session_cap, turn_cap
from hd.permit.approvals import APPROVAL_REQUEST, by, parse_approval
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.ids import new_id
from hd.session.live import SUBAGENT, LiveSession

LOOK_S: Final = 60.0
"""Seconds after which a cap that somebody is asked about is looked at again: a new day, or a cheaper hour, may have
come."""


class Books(Protocol):
    """What was billed (`hd.ledger.accounts`)."""

    async def today(self, now: int) -> Bill: ...

    async def of(self, session_ids: Sequence[str]) -> Bill: ...


class Sessions(Protocol):
    """Where the sessions are (`hd.session.registry`)."""

    def hold(self, session_id: str) -> AbstractAsyncContextManager[LiveSession]: ...

    async def subagents(self, session_id: str) -> Sequence[str]:
        """The sessions that a session started, and those that these did."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class _Pass:
    """A request on its way, of the first session of `line`; the others started it, each the one before."""

    line: tuple[str, ...]
    expected: Decimal


@dataclass(slots=True)
class _Turn:
    number: int
    spent: Decimal = Decimal(0)


class Gate:
    """`keep_day` puts what a person lets a day cost where it outlives the daemon, and then into `bind_day`."""

    def __init__(
        self, people: People, sessions: Sessions, books: Books, keep_day: Callable[[date, Decimal], Awaitable[object]]
    ) -> None:
        self.day = DayCap()
        self._people = people
        self._sessions = sessions
        self._books = books
        self._keep_day = keep_day
        self._passing: set[_Pass] = set()
        self._turns: dict[str, _Turn] = {}
        self._counted: dict[str, Decimal] = {}
        """Of each session with a request on its way: how much of its cost is in the turns."""
        self._left = 0
        """Requests that were answered so far."""
        self._news = asyncio.Event()

    def bind_day(self, day: DayCap) -> None:
        self.day = day
        self.look()

    def cap_of_day(self, now: int) -> Decimal | None:
        """What the day of `now` (ms) may cost; None for no bound."""
        return self.day.of(day_of(now // HOUR_MS))

    def look(self) -> None:
        """Whoever waits at a cap looks again: one was changed, or a request was answered."""
        news, self._news = self._news, asyncio.Event()
        news.set()

    @contextmanager
    def turn(self, session: LiveSession, number: int) -> Iterator[None]:
        """While the block runs, what the session and its sub-agents are billed counts for this turn."""
        self._turns[session.id] = _Turn(number)
        try:
            yield
        finally:
            del self._turns[session.id]

    @asynccontextmanager
    async def passing(self, session: LiveSession, sending: Sending, *, asking: bool = True) -> AsyncIterator[None]:
        """Lets a request be sent and answered in the block; its bill is recorded when the block ends.

        Where it could pass a cap, a person is asked to raise that. `BudgetReached` where nobody does, or without
        `asking`.
        """
        passed = None
        try:
            async with self._line(session) as line:
                passed = await self._admit(line, sending, asking=asking)
            yield
        finally:
            if passed is not None:
                self._leave(session, passed)

    async def spent(self, session: LiveSession) -> Bill:
        """What a session and its sub-agents were billed."""
        below = await self._sessions.subagents(session.id)
        others = await self._books.of(below) if below else EMPTY
        bill: Bill = session.value("cost").bill()
        return bill.joined(others) if below else bill

    async def today(self, now: int) -> Bill:
        return await self._books.today(now)

    async def allow(self, session: LiveSession, amount: Decimal) -> list[Spent]:
        """Raises what keeps a session from costing `amount` more from now on; gives the caps as they were raised."""
        raised = []
        async with self._line(session) as line:
            for cap in await self._spent(line):
                if cap.room < amount:
                    raised.append(await self._raise(line, cap, whole_cents(cap.amount + amount)))
        return raised

    @asynccontextmanager
    async def _line(self, session: LiveSession) -> AsyncIterator[list[LiveSession]]:
        """The session and those above it, in memory while the block lasts."""
        async with AsyncExitStack() as held:
            line = [session]
            while (header := line[-1].header).origin == SUBAGENT and header.parent is not None:
                try:
                    line.append(await held.enter_async_context(self._sessions.hold(header.parent)))
                except SessionNotFound:
                    break
            yield line

    async def _admit(self, line: Sequence[LiveSession], sending: Sending, *, asking: bool) -> _Pass:
        while True:
            expected = _expected(line[0], sending)
            refused = refusal(await self._spent(line), expected)
            if refused is None:
                return self._enter(line, expected)
            if not asking or not await self._asked(line, sending, refused):
                raise BudgetReached(refused.sentence())

    def _enter(self, line: Sequence[LiveSession], expected: Decimal) -> _Pass:
        """In one step with the look before it, so that nobody else comes in between."""
        passed = _Pass(tuple(one.id for one in line), expected)
        self._passing.add(passed)
        self._counted.setdefault(line[0].id, _own(line[0]))
        return passed

    def _leave(self, session: LiveSession, passed: _Pass) -> None:
        """The request was answered: from now on its bill counts."""
        self._passing.discard(passed)
        self._left += 1
        billed = _own(session) - self._counted[session.id]
        for one in passed.line:
            if one in self._turns:
                self._turns[one].spent += billed
        self._counted[session.id] += billed
        if not any(other.line[0] == session.id for other in self._passing):
            del self._counted[session.id]
        self.look()

    async def _spent(self, line: Sequence[LiveSession]) -> list[Spent]:
        """All caps that a request of the first session of `line` has to stay below, the nearest first."""
        while True:
            left, now = self._left, line[0].now()
            caps: list[Caps] = [one.value("budget") for one in line]
            bounded = [one for one, of_one in zip(line, caps, strict=True) if of_one.session is not None]
            below = {one.id: await self._below(one) for one in bounded}
            limit = self.cap_of_day(now)
            today = await self._books.today(now) if limit is not None else EMPTY
            # What was answered while the books were read may be billed after what they show.
            if left == self._left and caps == [one.value("budget") for one in line]:
                break
        found = [cap for one in line for cap in self._of_session(one, below.get(one.id, EMPTY))]
        if limit is not None:
            found.append(Spent("day", "", limit, today.amount + self._expected_of(None), today.unpriced))
        return found

    async def _below(self, session: LiveSession) -> Bill:
        ids = await self._sessions.subagents(session.id)
        return await self._books.of(ids) if ids else EMPTY

    def _of_session(self, session: LiveSession, below: Bill) -> Iterator[Spent]:
        caps: Caps = session.value("budget")
        expected, turn = self._expected_of(session.id), self._turns.get(session.id)
        if turn is not None and (limit := caps.of_turn(turn.number)) is not None:
            yield Spent("turn", session.id, limit, turn.spent + expected)
        if caps.session is not None:
            own: Bill = session.value("cost").bill()
            unpriced = own.unpriced + below.unpriced
            yield Spent("session", session.id, caps.session, own.amount + below.amount + expected, unpriced)

    def _expected_of(self, session_id: str | None) -> Decimal:
        """What the requests on their way are expected to cost, of a session and its sub-agents or of all."""
        ours = (one.expected for one in self._passing if session_id is None or session_id in one.line)
        return sum(ours, Decimal(0))

    async def _asked(self, line: Sequence[LiveSession], sending: Sending, refused: Refusal) -> bool:
        """Asks about a cap; True when it was raised, or is another one by now.

        The session whose cap it is waits as for every approval: it needs somebody, in all clients and over a lost
        connection.
        """
        owner = _owner(line, refused.spent)
        request = card(refused, ask_id := new_id())
        owner.record(Draft(ev.APPROVAL_ASKED, {"id": ask_id, **request}))
        decided: dict[str, Any] = {"outcome": "cancelled"}
        try:
            await owner.written(durable=True)
            outcome = await self._answer(owner, request, line, sending, refused)
            if outcome is None:
                return True
            decided = _decision(outcome)
        finally:
            if not owner.holds.ended:
                owner.record(Draft(ev.APPROVAL_DECIDED, {"id": ask_id, **decided}))
        if decided["outcome"] != "allowed-once":
            return False
        await self._raise(line, refused.spent, refused.proposal)
        return True

    async def _answer(
        self,
        owner: LiveSession,
        request: dict[str, Any],
        line: Sequence[LiveSession],
        sending: Sending,
        refused: Refusal,
    ) -> Mapping[str, Any] | None:
        """What a person answered; None when what they are asked about changed before anybody did."""
        asking = asyncio.create_task(self._people.ask(owner.id, APPROVAL_REQUEST, request))
        looking = asyncio.create_task(self._changed(line, sending, refused))
        try:
            await asyncio.wait({asking, looking}, return_when=asyncio.FIRST_COMPLETED)
            return asking.result() if asking.done() else looking.result()
        finally:
            asking.cancel()
            looking.cancel()
            await asyncio.wait({asking, looking})

    async def _changed(self, line: Sequence[LiveSession], sending: Sending, refused: Refusal) -> None:
        """Returns when no cap refuses the request any more, or another one than the card shows."""
        while True:
            news = self._news
            now = refusal(await self._spent(line), _expected(line[0], sending))
            if now is None or now.bound != refused.bound:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await news.wait()

    async def _raise(self, line: Sequence[LiveSession], cap: Spent, limit: Decimal) -> Spent:
        """Lets a session, a turn or today cost up to `limit`, unless it may more by now, or whatever it will."""
        owner = _owner(line, cap)
        caps: Caps = owner.value("budget")
        match cap.scope:
            case "day":
                if _is_below(self.cap_of_day(now := owner.now()), limit):
                    await self._keep_day(day_of(now // HOUR_MS), limit)
            case "session":
                if _is_below(caps.session, limit):
                    owner.record(session_cap(limit))
            case "turn":
                turn = self._turns.get(owner.id)
                number: int = owner.value("turn").number if turn is None else turn.number
                if _is_below(caps.of_turn(number), limit):
                    owner.record(turn_cap(limit, number))
        self.look()
        return Spent(cap.scope, cap.owner, limit, cap.amount, cap.unpriced)


def _owner(line: Sequence[LiveSession], cap: Spent) -> LiveSession:
    """The session whose cap it is; for that of a day the one that people see."""
    return next((one for one in line if one.id == cap.owner), line[-1])


def _is_below(now: Decimal | None, limit: Decimal) -> bool:
    return now is not None and now < limit


def _expected(session: LiveSession, sending: Sending) -> Decimal:
    return expected_cost(session.value("cost"), sending, session.now())


def _own(session: LiveSession) -> Decimal:
    bill: Bill = session.value("cost").bill()
    return bill.amount


def _decision(outcome: Mapping[str, Any]) -> dict[str, Any]:
    value = outcome.get("value") if outcome["kind"] == "result" else "rejected"
    return {"outcome": parse_approval(value), **by(outcome)}
