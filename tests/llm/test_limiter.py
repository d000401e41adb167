"""One limiter for all requests of a key: what it decides, and the queue that it keeps."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.llm.base import ProviderError, Waiting
from hd.llm.deepseek import DeepSeek
from hd.llm.limiter import MOST_AT_ONCE, Limiter, Limiters, Pace, is_refusal
from tests.llm.ask import KEY, attempt, chunks_of, request_of
from tests.support.mock_model import MockModel, Reply


def refusal(retry_after_ms: int | None = None) -> ProviderError:
    return ProviderError("slower", code="RATE_LIMIT", status=429, retry_after_ms=retry_after_ms)


MOVES = st.one_of(
    st.just("begin"), st.just("accept"), st.just("end"), st.sampled_from([None, 0, 40, 2000, 60_000, 999_999_000])
)


@given(st.lists(st.tuples(MOVES, st.floats(0, 5)), max_size=60))
def test_whatever_happens_the_next_one_may_go_within_a_bound(moves: list[tuple[str | int | None, float]]) -> None:
    pace, now, began = Pace(), 100.0, list[float]()
    for move, later in moves:
        now += later
        if move == "begin" and pace.wait(now) == 0:
            pace = pace.begun(now, 0.5)
            began.append(now)
        elif move == "accept":
            pace = pace.accepted()
        elif move == "end" and began:
            began.pop()
            pace = pace.ended()
        elif not isinstance(move, str) and began:
            pace = pace.refused(refusal(move), began[0], now, 0.5)
        assert 1 <= pace.window <= MOST_AT_ONCE
        assert pace.active == len(began)
        wait = pace.wait(now)
        assert wait is None or 0 <= wait <= 61
        assert wait is not None or began


def test_f08_a_refusal_halves_and_each_answer_adds_one() -> None:
    pace = Pace()
    for _ in range(8):
        pace = pace.begun(1.0, 0.0)
    pace = pace.refused(refusal(2000), 1.0, 5.0, 0.5)
    assert (pace.window, pace.wait(5.0)) == (4, pytest.approx(2.1))
    assert pace.refused(refusal(2000), 1.0, 5.0, 0.5).window == 4, "one of the same burst"
    assert pace.refused(refusal(2000), 6.0, 8.0, 0.5).window == 2
    assert pace.accepted().window == 5


def test_f08_without_a_header_the_pauses_double_and_an_answer_resets_them() -> None:
    pace, pauses = Pace().begun(0.0, 0.0), []
    for moment in range(1, 100, 12):
        pace = pace.refused(refusal(), moment - 0.5, float(moment), 0.0)
        pauses.append(pace.wait(float(moment)))
    assert pauses == [0.5, 1, 2, 4, 8, 10, 10, 10, 10]
    assert pace.accepted().refused(refusal(), 200.0, 201.0, 0.0).wait(201.0) == 0.5


def test_f08_a_pause_beyond_patience_holds_nobody_else_up() -> None:
    pace = Pace().begun(0.0, 0.0).ended()
    assert pace.refused(refusal(999_999_000), 0.0, 1.0, 0.9).wait(1.0) == 0


@pytest.mark.parametrize(
    ("code", "retry_after", "is_one"),
    [("RATE_LIMIT", None, True), ("SERVER", 1000, True), ("SERVER", None, False), ("QUOTA", None, False)],
)
def test_f08_what_slows_down(code: str, retry_after: int | None, is_one: bool) -> None:
    assert is_refusal(ProviderError("x", code=code, retry_after_ms=retry_after)) is is_one


async def refused(limiter: Limiter, retry_after_ms: int) -> None:
    with pytest.raises(ProviderError):
        async with limiter.place():
            raise refusal(retry_after_ms)


@asynccontextmanager
async def waiting(limiter: Limiter, count: int) -> AsyncIterator[tuple[list[asyncio.Task[None]], list[int]]]:
    """So many that wait in their order, and who has set out."""
    order: list[int] = []

    async def one(number: int) -> None:
        async with limiter.place() as accepted:
            order.append(number)
            accepted()

    tasks = [asyncio.create_task(one(number)) for number in range(count)]
    await asyncio.sleep(0)
    try:
        yield tasks, order
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def test_f08_all_wait_for_one_refusal_and_go_in_order() -> None:
    limiter = Limiter(lambda: 0.01)
    await refused(limiter, 50)
    opens = limiter.pace.opens
    async with waiting(limiter, 5) as (tasks, order):
        assert order == []
        await asyncio.gather(*tasks)
        assert order == [0, 1, 2, 3, 4]
        assert asyncio.get_running_loop().time() >= opens
        assert limiter.pace.active == 0


async def test_f08_who_is_cancelled_leaves_the_queue_at_once() -> None:
    limiter = Limiter(lambda: 0.0)
    async with waiting_behind_one(limiter) as (tasks, order, let_go):
        tasks[0].cancel()
        await asyncio.wait([tasks[0]])
        let_go()
        await asyncio.gather(*tasks[1:])
        assert order == [1, 2]
    assert limiter.pace.active == 0


@asynccontextmanager
async def waiting_behind_one(
    limiter: Limiter,
) -> AsyncIterator[tuple[list[asyncio.Task[None]], list[int], Callable[[], None]]]:
    """Three that wait because the one place is taken until `let_go`."""
    await refused(limiter, 1)
    inside, gate = asyncio.Event(), asyncio.Event()

    async def holder() -> None:
        async with limiter.place():
            inside.set()
            await gate.wait()

    holding = asyncio.create_task(holder())
    await inside.wait()
    async with waiting(limiter, 3) as (tasks, order):
        assert limiter.pace.window == limiter.pace.active == 1
        yield tasks, order, gate.set
    await holding


async def test_f08_one_that_was_called_and_cancelled_in_the_same_moment_gives_its_place_back() -> None:
    limiter = Limiter(lambda: 0.0)
    async with waiting_behind_one(limiter) as (tasks, order, let_go):
        let_go()
        while limiter._waiting and len(limiter._waiting) == 3:
            await asyncio.sleep(0)
        tasks[0].cancel()
        await asyncio.gather(*tasks[1:])
        assert order in ([1, 2], [0, 1, 2])
    assert limiter.pace.active == 0


async def test_f08_why_it_waits_is_told_until_it_goes() -> None:
    limiter = Limiter(lambda: 0.0)
    told: list[Waiting | None] = []
    await refused(limiter, 150)
    async with limiter.place(told.append):
        assert limiter.pace.active == 1
    first, *_, last = told
    assert first is not None
    assert (first.reason, last) == ("limit", None)
    assert first.left is not None
    assert first.left <= 0.15


async def test_the_end_of_a_daemon_ends_all_waiting() -> None:
    limiters = Limiters()
    await refused(limiters.of("a"), 60_000)
    async with waiting(limiters.of("a"), 2) as (tasks, order):
        limiters.close()
        await asyncio.wait(tasks)
        assert all(task.cancelled() for task in tasks)
        assert order == []


async def test_f08_other_keys_are_not_held_up() -> None:
    limiters = Limiters()
    await refused(limiters.of("a"), 60_000)
    async with limiters.of("b").place():
        assert limiters.of("a").pace.wait(asyncio.get_running_loop().time()) != 0
    limiters.of("c")
    assert not limiters.of("a").idle


async def test_f08_sessions_share_what_one_of_them_was_told() -> None:
    keys = [KEY]
    async with MockModel(Reply(status=429, headers={"Retry-After": "0.2"})) as mock:
        provider = DeepSeek(mock.base_url, lambda: keys[0])
        _, failure = await attempt(provider, request_of("first"))
        assert failure is not None
        others = [asyncio.create_task(chunks_of(provider, request_of(f"other {n}"))) for n in range(4)]
        await asyncio.sleep(0)
        keys[0] = "sk-another"
        await chunks_of(provider, request_of("with another key"))
        assert [mock_request.headers["Authorization"][-7:] for mock_request in mock.requests[1:]] == ["another"]
        await asyncio.gather(*others)
        said = [mock_request.parsed["messages"][1]["content"] for mock_request in mock.requests[2:]]
        assert said == [f"other {n}" for n in range(4)]
        await provider.aclose()
