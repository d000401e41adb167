"""A session that may cost so much and no more."""

import asyncio
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.house.test_commands import value
from tests.house.test_turns import ENDED
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply

USAGE = {
    "prompt_tokens": 100_000,
    "prompt_cache_hit_tokens": 0,
    "prompt_cache_miss_tokens": 100_000,
    "completion_tokens": 10_000,
    "total_tokens": 110_000,
}
"""At least 0.14 CNY, at most 0.28."""


async def budget(daemon: Daemon, session: str, args: str) -> str:
    line = f"/budget {args}"
    return str(await daemon.acall("commands/execute", agentId=session, line=line, submittedAttachments=[]))


async def test_h08_the_next_request_is_not_sent_until_somebody_raises_the_cap(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    mock.add(*[Reply(text="an answer", usage=USAGE)] * 4)
    session = await daemon.new_session(folder)
    assert "may cost 0.3 CNY" in await budget(daemon, session, "0.30")
    assert "is no amount" in await budget(daemon, session, "much")
    async with daemon.socket() as socket:
        events, follow = await socket.open("$events"), await socket.follow(session)
        client = (await events.until(lambda item: item["type"] == "ready"))["clientId"]

        async def answered(value: str) -> dict[str, Any]:
            ask = await events.until(lambda item: item["type"] == "waterfall")
            outcome = {"kind": "result", "value": value}
            await daemon.acall("$events/result", clientId=client, eventId=ask["eventId"], outcome=outcome)
            return dict(ask["request"])

        async def turn(prompt: str) -> dict[str, Any]:
            await daemon.prompt(session, prompt)
            return dict((await follow.until(ENDED))["event"]["data"]["reason"])

        assert await turn("first") == {"kind": "completed"}
        refusing = asyncio.create_task(answered("rejected"))
        reason = await turn("second")
        if not refusing.done():  # at night a request costs half: it is the third that could pass the cap
            assert reason == {"kind": "completed"}
            reason = await turn("third")
        asked = await refusing
        assert reason["error"]["code"] == "BUDGET"
        assert "/allow AMOUNT" in reason["error"]["message"]
        assert asked["toolName"] == "higher budget"
        assert "-budget 0.3 CNY" in asked["detail"]
        sent = len(mock.requests)
        assert sent < 3
        allowing = asyncio.create_task(answered("allowed-once"))
        assert await turn("go on") == {"kind": "completed"}
        await allowing
        assert len(mock.requests) == sent + 1
        assert mock.requests[-1].parsed["messages"][-1]["content"] == "go on"
        assert Decimal((await value(daemon, session, "budget"))["amount"]) >= Decimal("0.6")
        kinds = [event["type"] for event in await daemon.log(session)]
        assert kinds.count("approval/asked") == kinds.count("approval/decided") == 2
        assert "has no budget" in await budget(daemon, session, "off")


async def test_h08_who_is_asked_about_the_cap_can_stop_the_turn_or_take_the_cap_away(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    mock.add(*[Reply(text="an answer", usage=USAGE)] * 2)
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        events, follow = await socket.open("$events"), await socket.follow(session)
        client = (await events.until(lambda item: item["type"] == "ready"))["clientId"]
        await daemon.prompt(session, "spend something")
        await follow.until(ENDED)
        await budget(daemon, session, "0.01")
        await daemon.prompt(session, "stop me")
        await events.until(lambda item: item["type"] == "waterfall")
        await daemon.acall("session/cancel", request={"sessionId": session})
        assert (await follow.until(ENDED))["event"]["data"]["reason"]["kind"] != "completed"
        assert await value(daemon, session, "asks") == []
        await daemon.prompt(session, "and now")
        ask = await events.until(lambda item: item["type"] == "waterfall")
        await budget(daemon, session, "off")
        outcome = {"kind": "result", "value": "rejected"}
        await daemon.acall("$events/result", clientId=client, eventId=ask["eventId"], outcome=outcome)
        assert (await follow.until(ENDED))["event"]["data"]["reason"] == {"kind": "completed"}


async def test_h08_a_day_has_a_cap_over_all_sessions_that_outlives_the_daemon(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    mock.add(*[Reply(text="an answer", usage=USAGE)] * 3)
    first, second = await daemon.new_session(folder), await daemon.new_session(folder)
    assert "is no amount" in await budget(daemon, first, "day much")
    assert "may cost 0.01 CNY a day" in await budget(daemon, first, "day 0.01")
    async with daemon.socket() as socket:
        events, follow = await socket.open("$events"), await socket.follow(first)
        client = (await events.until(lambda item: item["type"] == "ready"))["clientId"]
        await daemon.prompt(first, "it is expected to cost less than that")
        await follow.until(ENDED)
        await daemon.prompt(second, "of another session")
        ask = await events.until(lambda item: item["type"] == "waterfall")
        assert ask["agentId"] == second
        assert "-budget of today 0.01 CNY" in ask["request"]["detail"]
        sent = len(mock.requests)
        outcome = {"kind": "result", "value": "allowed-once"}
        other = await socket.follow(second)
        await daemon.acall("$events/result", clientId=client, eventId=ask["eventId"], outcome=outcome)
        assert (await other.until(ENDED))["event"]["data"]["reason"] == {"kind": "completed"}
        assert len(mock.requests) == sent + 1
    allowed = (await spending(daemon))["allowed"]
    assert Decimal(allowed["amount"]) > Decimal("0.01")
    daemon.stop()
    daemon.start()
    assert (await spending(daemon))["allowed"] == allowed
    assert f"may cost 0.01 CNY a day, and {allowed['amount']} today;" in await budget(daemon, first, "day")
    assert "A day has no budget" in await budget(daemon, first, "day off")
    assert await spending(daemon) == {}


async def spending(daemon: Daemon) -> dict[str, Any]:
    described = await daemon.acall("settings/describe")
    return next(dict(one["user"]) for one in described["namespaces"] if one["ns"] == "spending")


async def test_h08_a_turn_that_reached_its_cap_goes_on_when_an_amount_is_allowed(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    calls = [Call("list_files", "{}")]
    mock.add(Reply(calls=calls, usage=USAGE), Reply(text="done", usage=USAGE), Reply(text="next", usage=USAGE))
    session = await daemon.new_session(folder)
    assert "A turn of this session may cost 0.15 CNY" in await budget(daemon, session, "turn 0.15")
    async with daemon.socket() as socket:
        events, follow = await socket.open("$events"), await socket.follow(session)
        await daemon.prompt(session, "look around")
        ask = await events.until(lambda item: item["type"] == "waterfall")
        assert "-budget of this turn 0.15 CNY" in ask["request"]["detail"]
        assert len(mock.requests) == 1
        said = await daemon.acall("commands/execute", agentId=session, line="/allow 1", submittedAttachments=[])
        assert "This turn may now cost 1." in said["result"]["text"]
        withdrawn = await events.until(lambda item: item["type"] == "cancel")
        assert withdrawn["eventId"] == ask["eventId"]
        assert (await follow.until(ENDED))["event"]["data"]["reason"] == {"kind": "completed"}
    assert (await value(daemon, session, "budget")) == {"amount": None, "turn": "0.15", "currency": "CNY"}
    assert "A turn of this session may cost 0.15 CNY, and the last one 1." in await budget(daemon, session, "")


async def test_h06_whoever_sets_a_cap_for_a_model_without_a_price_is_told(daemon: Daemon, folder: Path) -> None:
    model = {"provider": "deepseek-official", "model": "unheard-of"}
    made = await daemon.acall("session/create", request={"cwd": str(folder), "model": model, "budget": "0.5"})
    session = str(made["sessionId"])
    assert (await value(daemon, session, "budget"))["amount"] == "0.5"
    assert "unheard-of has no known price, so what it costs is not counted." in await budget(daemon, session, "1")
