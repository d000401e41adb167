"""Messages that are held until their model costs less (row X6)."""

import asyncio
import sqlite3
from itertools import count

import pytest

from hd.later.later import MOST
from hd.protocol.events import LATER_HELD, LATER_TAKEN, USER_MESSAGE
from tests.later.monday import Monday, Opened, time_of


def texts(opened: Opened, session: str) -> list[str]:
    return [held.text for held in opened.held(session)]


async def sent(opened: Opened, session: str) -> list[str]:
    """What people said in the turns so far, once these are over."""
    await opened.rest(session)
    said = await opened.log(session, USER_MESSAGE)
    return [message["content"][0]["text"] for message in said if message["source"]["kind"] == "user"]


async def test_x6_a_message_is_held_until_it_is_cheap_and_sent_once(monday: Monday) -> None:
    async with monday.open() as opened:
        session = await opened.new()
        said = await opened.say(session, "/later sum up the day")
        assert said.startswith("Held until ")
        assert said.endswith(
            "(in 3 h 0 min). A million tokens then cost 1 CNY instead of 2, of the answer 4 instead of 8."
        )
        assert [(one.text, one.at, one.pause) for one in opened.held(session)] == [
            ("sum up the day", time_of(18), False)
        ]
        monday.at(17, 59)
        await opened.later.send_due()
        assert texts(opened, session) == ["sum up the day"]
        assert monday.mock.requests == []
        monday.at(18)
        await opened.later.send_due()
        await opened.later.send_due()
        assert await sent(opened, session) == ["sum up the day"]
        (held,) = await opened.log(session, LATER_HELD)
        assert await opened.log(session, LATER_TAKEN) == [{"id": held["id"], "how": "sent"}]
        monday.at(15, days=1)
        assert "The next request is expected to cost 0.00" in await opened.say(session, "/later and now")


async def test_x6_what_is_held_outlives_the_daemon_and_is_sent_in_its_order(monday: Monday) -> None:
    async with monday.open() as opened:
        session, other = await opened.new(), await opened.new()
        await opened.say(session, "/later first")
        await opened.say(session, "/later second")
    async with monday.open() as opened:
        await opened.later.send_due()
        assert texts(opened, session) == ["first", "second"]
        monday.at(18)
        await opened.later.send_due()
        assert await sent(opened, session) == ["first", "second"]
        assert other not in opened.house.services.registry.live


async def test_x6_a_daemon_that_was_away_while_it_was_cheap_holds_it_on(monday: Monday) -> None:
    async with monday.open() as opened:
        session = await opened.new()
        await opened.say(session, "/later do it")
    monday.at(10, days=1)
    async with monday.open() as opened:
        await opened.later.send_due()
        assert [one.at for one in opened.held(session)] == [time_of(12, days=1)]
        assert monday.mock.requests == []
        monday.at(12, days=1)
        await opened.later.send_due()
        assert await sent(opened, session) == ["do it"]


async def test_x6_a_clock_that_goes_on_while_it_is_looked_at_holds_nothing_up(monday: Monday) -> None:
    async with monday.open() as opened:
        session = await opened.new()
        await opened.say(session, "/later do it")
        moments = count(time_of(18))
        monday.clock = lambda: next(moments)
        await opened.later.send_due()
        assert await sent(opened, session) == ["do it"]
        assert len(await opened.log(session, LATER_HELD)) == 1
        assert (await opened.say(session, "/later and this")).startswith("Sent now")


async def test_x6_prices_that_changed_change_when_it_is_sent(monday: Monday) -> None:
    async with monday.open() as opened:
        session = await opened.new()
        await opened.say(session, "/later do it")
    monday.price(windows=[[9 * 60, 20 * 60]])
    async with monday.open() as opened:
        await opened.later.send_due()
        assert [one.at for one in opened.held(session)] == [time_of(20)]
    monday.price(windows=[])
    async with monday.open() as opened:
        await opened.later.send_due()
        assert await sent(opened, session) == ["do it"]


async def test_x6_what_is_cheap_or_has_no_price_is_sent_at_once(monday: Monday) -> None:
    monday.at(12)
    async with monday.open() as opened:
        session = await opened.new()
        assert await opened.say(session, "/later now it is") == "Sent now: it costs no less later."
        assert await sent(opened, session) == ["now it is"]
        monday.at(15)
        await opened.say(session, "/later hold it")
    monday.price(until="2026-11-01")
    async with monday.open() as opened:
        await opened.later.send_due()
        assert [one.at for one in opened.held(session)] == [time_of(18)]
        said = await opened.say(session, "/later who knows")
        assert said == "Sent now: no price of deepseek-flash is known, so none to wait for."
        monday.at(18)
        await opened.later.send_due()
        assert await sent(opened, session) == ["now it is", "who knows", "hold it"]


async def test_x6_a_person_lists_sends_and_drops_what_is_held(monday: Monday) -> None:
    async with monday.open() as opened:
        session = await opened.new()
        assert (await opened.say(session, "/later")).startswith("Nothing is held.")
        assert await opened.say(session, "/later now") == "Nothing is held, and no turn waits."
        for text in ("one", "--pause\ntwo\nlines", "three", "now 3 things"):
            await opened.say(session, f"/later {text}")
        first, second, *_ = (await opened.say(session, "/later")).splitlines()
        assert first.startswith("1. ")
        assert first.endswith(" (in 3 h 0 min) · one")
        assert second.endswith("(in 3 h 0 min) · pauses at peak hours · two lines")
        assert await opened.say(session, "/later now") == "Say which: /later now NUMBER."
        for number in ("5", "0", "9" * 5_000):
            assert await opened.say(session, f"/later drop {number}") == "Nothing with that number is held."
        assert "Say which" in await opened.say(session, "/later drop")
        assert await opened.say(session, "/later drop 2") == "Removed: two lines"
        assert await opened.say(session, "/later now 3") == "Sent now: now 3 things"
        assert await sent(opened, session) == ["now 3 things"]
        assert texts(opened, session) == ["one", "three"]
        await opened.say(session, "/later drop 1")
        assert await opened.say(session, "/later now") == "Sent now: three"
        assert await sent(opened, session) == ["now 3 things", "three"]
        assert await opened.say(session, "/later --pause") == "/later --pause needs a message."
        for number in range(MOST):
            await opened.say(session, f"/later {number}")
        assert "This one was not taken." in await opened.say(session, "/later one more")
        assert len(opened.held(session)) == MOST


async def test_x6_what_a_person_sends_is_not_delayed_by_it(monday: Monday) -> None:
    async with monday.open() as opened:
        session = await opened.new()
        await opened.say(session, "/later after hours")
        await opened.prompt(session, "at once")
        assert await sent(opened, session) == ["at once"]
        assert texts(opened, session) == ["after hours"]


async def test_x6_a_fork_does_not_send_it_again(monday: Monday) -> None:
    async with monday.open() as opened:
        session = await opened.new()
        await opened.prompt(session, "hello")
        await opened.rest(session)
        await opened.say(session, "/later once")
        fork = (await opened.house.services.registry.fork(session)).id
        assert (texts(opened, session), texts(opened, fork)) == (["once"], [])


async def test_x6_a_session_that_cannot_be_read_keeps_no_other_from_it(
    monday: Monday, caplog: pytest.LogCaptureFixture
) -> None:
    async with monday.open() as opened:
        damaged, session = await opened.new(), await opened.new()
        for one in (damaged, session):
            await opened.say(one, "/later do it")
    with sqlite3.connect(monday.database) as base:
        base.execute(
            "UPDATE event SET body = '{' WHERE place = (SELECT min(place) FROM event WHERE type = 'later/held')"
        )
    base.close()
    async with monday.open() as opened:
        monday.at(18)
        await opened.later.send_due()
        await opened.later.send_due()
        assert await sent(opened, session) == ["do it"]
        assert caplog.text.count("is tried again in ten minutes") == 1


async def test_x6_it_is_sent_by_itself(monday: Monday) -> None:
    """The loop that a daemon runs: it hears of a message that is held while it waits."""
    async with monday.open() as opened:
        session = await opened.new()
        running = asyncio.create_task(opened.later.run())
        end = time_of(18)
        monday.clock = lambda: end - 20
        await opened.say(session, "/later soon")
        monday.at(18)
        await opened.until(session, lambda: not opened.held(session))
        assert await sent(opened, session) == ["soon"]
        running.cancel()
        await asyncio.wait({running})
