"""A turn that was begun off-peak, and waits where it comes into peak hours because it was asked to (row X6)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from hd.agent import off_peak
from hd.protocol.events import LLM_WAITING, TURN_END, USER_MESSAGE
from tests.later.monday import Monday, Opened, time_of
from tests.support.mock_model import Call, Reply


@asynccontextmanager
async def paused(monday: Monday, line: str = "/later --pause look around") -> AsyncIterator[tuple[Opened, str]]:
    """A session whose turn waits behind its first request: it became 14:00 while that was answered."""
    mock = monday.mock
    mock.add(Reply(calls=[Call("list_files", {})]), Reply(calls=[Call("list_files", {})]), Reply(text="done"))
    monday.clock = lambda: time_of(14) if mock.requests else time_of(13, 59)
    async with monday.open() as opened:
        session = await opened.new()
        await opened.say(session, line)
        await opened.until(session, lambda: opened.later.off_peak.paused_until(session) is not None)
        assert len(mock.requests) == 1
        yield opened, session


async def ended(opened: Opened, session: str) -> list[str]:
    await opened.rest(session)
    return [end["reason"]["kind"] for end in await opened.log(session, TURN_END)]


async def test_x6_a_turn_waits_for_the_end_of_peak_hours_and_says_until_when(
    monday: Monday, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(off_peak, "LOOK_S", 0.01)
    async with paused(monday) as (opened, session):
        where = {"turn": 1, "step": 1, "sinceMs": time_of(14)}
        told = [{**where, "reason": "peak", "untilMs": time_of(18)}]
        assert await opened.log(session, LLM_WAITING) == told
        assert "The turn is paused until " in await opened.say(session, "/later")
        monday.at(18)
        assert await ended(opened, session) == ["completed"]
        assert len(monday.mock.requests) == 3
        assert await opened.log(session, LLM_WAITING) == [*told, {**where, "reason": None}]


@pytest.mark.parametrize("by", ["/later now", "steer", "queue", "/later now 1"])
async def test_x6_a_person_has_it_go_on_at_once_and_to_its_end(monday: Monday, by: str) -> None:
    async with paused(monday) as (opened, session):
        monday.mock.add(Reply(text="to that too"))
        match by:
            case "/later now":
                assert await opened.say(session, by) == "The turn goes on."
            case "/later now 1":
                await opened.say(session, "/later hello")
                assert await opened.say(session, by) == "Sent now: hello"
            case _:
                await opened.prompt(session, "hello", steer=by == "steer")
        kinds = await ended(opened, session)
        assert kinds == ["completed"] * (2 if by in ("queue", "/later now 1") else 1)
        assert len(await opened.log(session, LLM_WAITING)) == 2
        if by == "steer":
            assert monday.mock.requests[1].parsed["messages"][-1]["content"] == "hello"


async def test_x6_a_turn_that_waits_can_be_stopped(monday: Monday) -> None:
    async with paused(monday) as (opened, session):
        await opened.agent(opened.session(session)).cancel()
        assert await ended(opened, session) == ["aborted"]
        assert opened.later.off_peak.paused_until(session) is None
        assert len(monday.mock.requests) == 1


async def test_x6_a_turn_that_waits_when_the_daemon_ends_is_closed_as_interrupted(monday: Monday) -> None:
    async with paused(monday) as (_, session):
        pass
    async with monday.open() as opened:
        assert await opened.say(session, "/later") != ""
        assert await ended(opened, session) == ["interrupted"]


async def test_x6_only_a_turn_that_was_asked_to_waits(monday: Monday) -> None:
    mock = monday.mock
    mock.add(Reply(calls=[Call("list_files", {})]), Reply(text="done"))
    monday.clock = lambda: time_of(14) if mock.requests else time_of(13, 59)
    async with monday.open() as opened:
        session = await opened.new()
        await opened.say(session, "/later look around")
        assert await ended(opened, session) == ["completed"]
        assert await opened.log(session, LLM_WAITING) == []


async def test_x6_one_that_may_pause_begins_no_turn_in_peak_hours(monday: Monday) -> None:
    """What runs when it becomes cheap goes first, and when it is over it is peak again."""
    monday.at(12)
    mock = monday.mock
    mock.add(Reply(cut_after=0, stall=True))
    async with monday.open() as opened:
        session = await opened.new()
        await opened.prompt(session, "takes long")
        await mock.until(lambda: len(mock.requests) == 1, 5)
        said = await opened.say(session, "/later --pause then this")
        assert said == "Held until the running turn is over. Its turn waits where it comes into peak hours."
        await opened.later.send_due()
        assert [one.text for one in opened.held(session)] == ["then this"]
        monday.at(15)
        await opened.agent(opened.session(session)).cancel()
        await opened.later.send_due()
        assert [one.at for one in opened.held(session)] == [time_of(18)]
        monday.at(18)
        await opened.later.send_due()
        assert await ended(opened, session) == ["aborted", "completed"]
        (_, said) = [m for m in await opened.log(session, USER_MESSAGE) if m["source"]["kind"] == "user"]
        assert said["source"]["offPeak"] is True
