"""The gate before every request to a model (case H08): sessions, their turns and sub-agents, and the day."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hd.agent.gate import Gate
from hd.billing.bill import Bill
from hd.billing.cost import COST
from hd.errors import BudgetReached
from hd.ledger.accounts import Accounts
from hd.ledger.books import Books
from hd.ledger.budget import Sending
from hd.ledger.caps import BUDGET, DayCap, session_cap, turn_cap
from hd.protocol import events as ev
from hd.protocol.billing import Records
from hd.protocol.events import Draft
from hd.protocol.projections import DAEMON
from hd.session.hub import Hub
from hd.session.live import SUBAGENT, Header, LiveSession
from hd.session.registry import Registry
from hd.session.store.sqlite import SqliteStore

OFF_PEAK = 1_796_000_000_000 - (1_796_000_000_000 % 86_400_000)  # midnight UTC is 08:00 in Shanghai
TODAY = date(2026, 11, 30)
ROUTE = {"provider": "deepseek-official", "model": "deepseek-flash"}
SENDING = Sending(0, **ROUTE)
FEN = 2_500
"""Tokens of an answer that cost 0.01 CNY off-peak."""


@dataclass
class Person:
    """Somebody who is asked, and answers when the test says so."""

    asked: asyncio.Queue[tuple[str, dict[str, Any], asyncio.Future[dict[str, Any]]]] = field(
        default_factory=asyncio.Queue
    )

    async def ask(
        self, session_id: str, event: str, request: dict[str, Any], *, call_id: str | None = None
    ) -> dict[str, Any]:
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self.asked.put_nowait((session_id, request, answer))
        return await answer


class Place:
    """A gate over real sessions in a real store."""

    def __init__(self, store: SqliteStore) -> None:
        self.person = Person()
        self.store = store
        self.registry = Registry(
            store, Hub(), projections=(*DAEMON, COST, BUDGET), clock=lambda: OFF_PEAK, announce=lambda event, args: None
        )
        self.accounts = Accounts(store, lambda: OFF_PEAK)
        self.gate = Gate(self.person, self.registry, self.accounts, self.keep)

    async def keep(self, day: date, amount: Decimal) -> None:
        self.gate.bind_day(replace(self.gate.day, allowed=(day, amount)))

    async def session(self, parent: LiveSession | None = None) -> LiveSession:
        header = await self.registry.create(cwd="/w", opening=[Draft(ev.REQUEST_CONTEXT, ROUTE)])
        if parent is not None:
            header = Header(f"child-{header.id}", OFF_PEAK, "/w", parent.id, SUBAGENT)
            await self.store.create_session(header.row())
            async with self.registry.hold(header.id) as child:
                child.record(Draft(ev.REQUEST_CONTEXT, ROUTE))
                return child
        return self.registry.live[header.id]

    async def spend(self, session: LiveSession, fen: int) -> None:
        """One request that costs so many hundredths of a CNY."""
        async with self.gate.passing(session, SENDING, asking=False):
            bill(session, fen)


def bill(session: LiveSession, fen: int) -> None:
    usage = {"inputTokens": 0, "outputTokens": fen * FEN}
    place = {"turn": session.state.seq, "step": 1}
    session.record(Draft(ev.ASSISTANT_MESSAGE, {**place, "message": {"source": ROUTE}, "usage": usage}))


@asynccontextmanager
async def place(folder: Path) -> AsyncIterator[Place]:
    store = await SqliteStore.open(folder / "h.db", clock=lambda: OFF_PEAK)
    try:
        yield Place(store)
    finally:
        await store.close()


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Place]:
    async with place(tmp_path) as made:
        yield made


async def refused(here: Place, session: LiveSession) -> str:
    with pytest.raises(BudgetReached) as error:
        async with here.gate.passing(session, SENDING, asking=False):
            raise AssertionError("it was sent")
    return error.value.message


STEPS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 50)), max_size=30)


def test_h08_no_order_of_requests_passes_a_cap_but_by_the_error_of_an_estimate(tmp_path: Path) -> None:
    with asyncio.Runner() as runner:

        @settings(max_examples=25)
        @given(STEPS, st.integers(1, 150), st.integers(1, 150))
        def holds(steps: list[tuple[int, int]], of_root: int, of_day: int) -> None:
            runner.run(play(here, steps, of_root, of_day))

        opened = place(tmp_path)
        here = runner.run(opened.__aenter__())
        holds()
        runner.run(opened.__aexit__(None, None, None))


async def play(here: Place, steps: list[tuple[int, int]], of_root: int, of_day: int) -> None:
    """Each step sends a request of a session, or has the one answered that it sent before."""
    root = await here.session()
    child = await here.session(root)
    sessions = [root, child, await here.session(child), await here.session()]
    root.record(session_cap(Decimal(of_root) / 100))
    before = (await here.gate.today(OFF_PEAK)).amount
    here.gate.bind_day(DayCap(before + Decimal(of_day) / 100))
    on_its_way: dict[int, tuple[AsyncExitStack, Decimal]] = {}
    errors = {3: Decimal(0), 4: Decimal(0)}
    """Of the requests of the first three sessions, and of all: how much more than expected they cost."""

    async def held(first: int) -> Decimal:
        """What the first sessions were billed, and what they are expected to be."""
        expected = sum((guessed for number, (_, guessed) in on_its_way.items() if number < first), Decimal(0))
        bill = await (here.gate.spent(root) if first == 3 else here.gate.today(OFF_PEAK))
        return 100 * (bill.amount - (before if first == 4 else 0)) + expected

    for chosen, fen in steps:
        session, known = sessions[chosen], on_its_way.pop(chosen, None)
        if known is not None:
            async with known[0]:
                bill(session, fen)
            for first in errors:
                errors[first] += max(Decimal(0), fen - known[1]) if chosen < first else 0
        else:
            entered, guessed = AsyncExitStack(), fen_of(session)
            try:
                await entered.enter_async_context(here.gate.passing(session, SENDING, asking=False))
            except BudgetReached:
                assert await held(4) + guessed > of_day or (chosen < 3 and await held(3) + guessed > of_root)
                continue
            on_its_way[chosen] = (entered, guessed)
        assert await held(3) <= of_root + errors[3]
        assert await held(4) <= of_day + errors[4]
    for entered, _ in on_its_way.values():
        await entered.aclose()


def fen_of(session: LiveSession) -> Decimal:
    """What a request is expected to cost: its answer is taken to be as long as the last one."""
    last = session.value("cost").standing.last
    return Decimal(500 if last is None else last.usage["outputTokens"]) / FEN


async def test_h08_what_a_sub_agent_costs_counts_for_the_session_that_started_it(here: Place) -> None:
    root = await here.session()
    child = await here.session(root)
    root.record(session_cap(Decimal("0.50")))
    async with here.gate.passing(child, SENDING):
        bill(child, 20)
        await here.spend(root, 20)
    assert "this session cost 0.4 of 0.5 CNY" in await refused(here, root)
    assert "this session cost 0.4 of 0.5 CNY" in await refused(here, child)
    assert (await here.gate.spent(root)).amount == Decimal("0.40")
    assert (await here.gate.spent(child)).amount == Decimal("0.20")
    sent = asyncio.create_task(here_sends(here, child, 5))
    asked_of, request, answer = await here.person.asked.get()
    assert asked_of == root.id
    assert "-budget 0.5 CNY" in request["detail"]
    answer.set_result({"kind": "result", "value": "allowed-once"})
    await sent
    assert root.value("budget").session == Decimal("1")
    assert child.value("budget").session is None
    assert root.value("asks") == child.value("asks") == ()


async def here_sends(here: Place, session: LiveSession, fen: int) -> None:
    async with here.gate.passing(session, SENDING):
        bill(session, fen)


async def test_h08_a_turn_has_a_cap_of_its_own_that_may_be_raised_for_it_alone(here: Place) -> None:
    root = await here.session()
    child = await here.session(root)
    root.record(turn_cap(Decimal("0.10")))
    await here.spend(root, 4)
    with here.gate.turn(root, 1):
        await here.spend(root, 4)
        await here.spend(child, 4)
        assert "this turn cost 0.08 of 0.1 CNY" in await refused(here, root)
        (raised,) = await here.gate.allow(root, Decimal("0.04"))
        assert (raised.scope, raised.limit) == ("turn", Decimal("0.12"))
        await here.spend(root, 3)
        assert "this turn cost 0.11 of 0.12 CNY" in await refused(here, root)
    with here.gate.turn(root, 2):
        await here.spend(root, 9)
        assert "this turn cost 0.09 of 0.1 CNY" in await refused(here, root)


async def test_h08_allowing_an_amount_withdraws_the_question_and_the_request_goes(here: Place) -> None:
    session = await here.session()
    session.record(session_cap(Decimal("0.10")))
    await here.spend(session, 8)
    sent = asyncio.create_task(here_sends(here, session, 1))
    _, _, answer = await here.person.asked.get()
    assert len(session.value("asks")) == 1
    assert [one.scope for one in await here.gate.allow(session, Decimal(1))] == ["session"]
    await sent
    assert answer.cancelled()
    assert session.value("asks") == ()
    assert session.value("budget").session == Decimal("1.08")
    assert await here.gate.allow(session, Decimal("0.5")) == []


async def test_h08_who_takes_the_cap_away_while_it_is_asked_about_is_not_given_one_again(here: Place) -> None:
    session = await here.session()
    session.record(session_cap(Decimal("0.10")))
    await here.spend(session, 8)
    sent = asyncio.create_task(here_sends(here, session, 1))
    _, _, answer = await here.person.asked.get()
    session.record(session_cap(None))
    answer.set_result({"kind": "result", "value": "allowed-once"})
    await sent
    assert session.value("budget").session is None


async def test_h08_a_cap_that_changes_is_asked_about_anew(here: Place) -> None:
    session = await here.session()
    session.record(session_cap(Decimal("0.10")))
    await here.spend(session, 8)
    sent = asyncio.create_task(here_sends(here, session, 1))
    _, _, stale = await here.person.asked.get()
    session.record(session_cap(Decimal("0.01")))
    here.gate.look()
    _, request, answer = await here.person.asked.get()
    assert stale.cancelled()
    assert "-budget 0.01 CNY" in request["detail"]
    assert len(session.value("asks")) == 1
    answer.set_result({"kind": "result", "value": "rejected"})
    with pytest.raises(BudgetReached, match=r"cost 0\.08 of 0\.01 CNY"):
        await sent


async def test_h08_a_cap_is_raised_as_far_as_a_request_costs(here: Place) -> None:
    """A proposal may lie above what a person would type."""
    session = await here.session()
    session.record(session_cap(Decimal(600_000)))
    here.gate.bind_day(DayCap(Decimal(600_000)))
    await here.spend(session, 50_000_000)
    sent = asyncio.create_task(here_sends(here, session, 1))
    for _ in ("session", "day"):
        _, _, answer = await here.person.asked.get()
        answer.set_result({"kind": "result", "value": "allowed-once"})
    await sent
    assert session.value("budget").session == Decimal(1_500_000)


async def test_h08_what_is_on_its_way_is_set_aside_and_room_comes_without_an_answer(here: Place) -> None:
    first, second = await here.session(), await here.session()
    for session in (first, second):
        await here.spend(session, 0)
        bill(session, 6)
    here.gate.bind_day(DayCap(Decimal("0.20")))
    async with here.gate.passing(first, SENDING):
        sent = asyncio.create_task(here_sends(here, second, 1))
        asked_of, request, answer = await here.person.asked.get()
        assert asked_of == second.id
        assert "-budget of today 0.2 CNY" in request["detail"]
        bill(first, 1)
    await sent
    assert answer.cancelled()
    assert here.gate.day.allowed is None


async def test_h08_what_is_answered_while_the_books_are_read_counts(here: Place) -> None:
    """It came after the look began, and was billed before that ended."""
    first, second = await here.session(), await here.session()
    for session in (first, second):
        await here.spend(session, 0)
        bill(session, 6)
    books, reading, going_on = here.accounts.today, asyncio.Event(), asyncio.Event()

    async def slow(now: int) -> Bill:
        found = await books(now)
        if not reading.is_set():
            reading.set()
            await going_on.wait()
        return found

    here.accounts.today = slow  # type: ignore[method-assign]
    here.gate.bind_day(DayCap(Decimal("0.20")))
    sent = asyncio.create_task(here_sends(here, second, 1))
    await reading.wait()
    here.gate.bind_day(DayCap())
    await here.spend(first, 6)
    here.gate.bind_day(DayCap(Decimal("0.20")))
    going_on.set()
    await here.person.asked.get()
    sent.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sent


async def test_who_gives_up_a_look_at_the_books_leaves_them_whole(here: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    session = await here.session()
    await here.spend(session, 6)
    growing, going_on, grow = threading.Event(), threading.Event(), Books.grow

    def slow(books: Books, new: Iterable[Records]) -> None:
        growing.set()
        going_on.wait()
        grow(books, new)

    monkeypatch.setattr(Books, "grow", slow)
    given_up = asyncio.create_task(here.gate.today(OFF_PEAK))
    await asyncio.to_thread(growing.wait)
    given_up.cancel()
    asking = asyncio.create_task(here.gate.today(OFF_PEAK))
    going_on.set()
    assert (await asking).amount == Decimal("0.06")
    with pytest.raises(asyncio.CancelledError):
        await given_up


async def test_h08_a_day_is_raised_for_the_day_and_kept(here: Place) -> None:
    session = await here.session()
    await here.spend(session, 9)
    here.gate.bind_day(DayCap(Decimal("0.10")))
    sent = asyncio.create_task(here_sends(here, session, 1))
    _, _, answer = await here.person.asked.get()
    answer.set_result({"kind": "result", "value": "allowed-once"})
    await sent
    assert here.gate.day == DayCap(Decimal("0.10"), (TODAY, Decimal("0.27")))


async def test_h08_a_request_that_is_given_up_leaves_nothing_set_aside(here: Place) -> None:
    session = await here.session()
    session.record(session_cap(Decimal("0.10")))
    await here.spend(session, 6)
    sent = asyncio.create_task(here_sends(here, session, 1))
    await here.person.asked.get()
    sent.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sent
    assert session.value("asks") == ()
    assert [one.amount for one in await here.gate.allow(session, Decimal(1))] == [Decimal("0.06")]
