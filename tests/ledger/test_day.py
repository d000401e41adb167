"""The cap of a day (case H08): no requests that are sent at once pass it together."""

import asyncio
from datetime import UTC, datetime
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from hd.billing.bill import EMPTY, Bill
from hd.ledger.day import DayCap

NOON = int(datetime(2026, 9, 28, 4, 0, tzinfo=UTC).timestamp() * 1000)
DAY = 24 * 3_600_000


class Books:
    def __init__(self) -> None:
        self.spent = Decimal(0)

    async def today(self, now: int) -> Bill:
        return Bill(**{**{name: getattr(EMPTY, name) for name in EMPTY.__slots__}, "amount": self.spent})


steps = st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 50), st.integers(0, 50)), max_size=40)


@given(steps, st.integers(1, 200))
def test_h08_no_order_of_sessions_passes_the_cap_but_by_the_error_of_an_estimate(
    requests: list[tuple[str, int, int]], cap: int
) -> None:
    books = Books()
    day = DayCap(books.today, Decimal(cap))
    waiting: dict[str, tuple[int, int]] = {}
    error = Decimal(0)
    for session, expected, cost in requests:
        if session in waiting:
            guessed, billed = waiting.pop(session)
            books.spent += billed
            error += max(0, billed - guessed)
            day.release(session)
        elif asyncio.run(day.refusal(session, Decimal(expected), NOON)) is None:
            waiting[session] = (expected, cost)
        reserved = sum(guessed for guessed, _ in waiting.values())
        assert books.spent + reserved <= cap + error


async def test_h08_what_is_allowed_counts_for_the_day_only() -> None:
    books = Books()
    day = DayCap(books.today, Decimal("1.00"))
    books.spent = Decimal("0.99")
    refused = await day.refusal("s", Decimal("0.02"), NOON)
    assert refused is not None
    assert "all sessions of today cost 0.99 of 1 CNY" in refused.sentence()
    assert "/budget day AMOUNT" in refused.sentence()
    day.allow(refused.proposal, NOON)
    assert await day.refusal("s", Decimal("0.02"), NOON) is None
    day.release("s")
    assert await day.refusal("s", Decimal("0.02"), NOON + DAY) is not None
    day.bound(None)
    assert await day.refusal("s", Decimal(100), NOON) is None


async def test_h08_what_is_billed_while_the_books_are_read_is_not_lost_between_both() -> None:
    books, reading, going_on = Books(), asyncio.Event(), asyncio.Event()

    async def slow(now: int) -> Bill:
        bill = await books.today(now)
        reading.set()
        await going_on.wait()
        return bill

    day = DayCap(books.today, Decimal(1))
    assert await day.refusal("a", Decimal("0.6"), NOON) is None
    day.today = slow
    asking = asyncio.create_task(day.refusal("b", Decimal("0.6"), NOON))
    await reading.wait()
    books.spent = Decimal("0.6")
    day.release("a")
    going_on.set()
    assert await asking is not None
