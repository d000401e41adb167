"""`session/fork`: what a fork inherits, what it does not, and what it costs."""

from pathlib import Path
from typing import Any

import aiohttp
import pytest

from hd.billing.fold import fold
from hd.protocol.events import Event
from tests.support.daemon import Daemon, is_event

ENDED = is_event("turn/end")


async def turns(daemon: Daemon, session: str, *prompts: str) -> None:
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        for prompt in prompts:
            await daemon.prompt(session, prompt)
            await follow.until(ENDED)


async def snapshot(daemon: Daemon, session: str) -> dict[str, Any]:
    async with daemon.socket() as socket:
        return dict(await (await socket.follow(session)).item())


def kinds(log: list[dict[str, Any]]) -> list[str]:
    return [event["type"] for event in log]


async def fork(daemon: Daemon, session: str, **more: Any) -> str:
    return str((await daemon.acall("session/fork", request={"sessionId": session, **more}))["sessionId"])


async def forget_prefixes(daemon: Daemon) -> None:
    """A fork goes on where its parent went another way, which to the model looks like a broken prefix."""
    async with aiohttp.ClientSession() as client:
        await client.post(f"{daemon.environment['DEEPSEEK_BASE_URL']}/_mock/reset-prefix")


async def test_a_fork_begins_with_the_whole_log_and_its_end_mark(shared: Daemon, session: str) -> None:
    await turns(shared, session, "one", "two")
    parent = await shared.log(session)
    child = await fork(shared, session)
    log = await shared.log(child)
    assert log[: len(parent)] == parent
    assert [(event["type"], event["data"]) for event in log[len(parent) :]] == [
        ("session/end-seed", {"inherited": True})
    ]
    header = (await snapshot(shared, child))["header"]
    assert (header["isSeeded"], header["parentSession"], header["agentPreset"]) == (True, session, "standard")
    assert (await snapshot(shared, session))["header"]["isSeeded"] is False
    assert await shared.log(session) == parent


async def test_a_fork_in_the_middle_ends_with_the_turn_that_was_named(shared: Daemon, session: str) -> None:
    await turns(shared, session, "one")
    await shared.acall("session/rename", request={"sessionId": session, "title": "between"})
    await turns(shared, session, "two")
    parent = await shared.log(session)
    start, second = [event["seq"] for event in parent if event["type"] == "turn/start"]
    named = await fork(shared, session, atSeq=start)
    log = await shared.log(named)
    end = kinds(log).index("session/end-seed")
    assert log[:end] == parent[:second]
    assert kinds(log)[:end].count("turn/end") == 1
    assert [event["data"]["title"] for event in log if event["type"] == "session/title"][-1] == "between"


async def test_prompts_that_wait_stay_with_the_parent(shared: Daemon, session: str) -> None:
    """The second prompt was logged behind the first turn's end, but before the second turn: it must not run twice."""
    await turns(shared, session, "one", "two")
    await forget_prefixes(shared)
    first_end = kinds(await shared.log(session)).index("turn/end")
    child = await fork(shared, session, atSeq=first_end)
    values = (await shared.acall("session/projections", request={"sessionId": child}))["values"]
    assert values["inbox"] == {"next-turn": [], "next-step": []}
    await turns(shared, child, "another")
    said = [e["data"] for e in await shared.log(child) if e["type"] == "user/message"]
    texts = [message["content"][0]["text"] for message in said if message["source"]["kind"] == "user"]
    assert texts == ["one", "another"]


async def test_what_was_inherited_is_not_billed_again(shared: Daemon, session: str) -> None:
    await turns(shared, session, "one")
    child = await fork(shared, session)
    inherited = [Event.from_wire(event) for event in await shared.log(child)]
    assert fold(inherited, seeded=True).attributable
    assert len(fold(inherited, seeded=True).attempts) == 0
    await turns(shared, child, "two")
    billed = fold((Event.from_wire(event) for event in await shared.log(child)), seeded=True)
    assert len(billed.attempts) == 1


async def test_a_fork_is_in_the_list_and_at_the_front_of_its_workspace(shared: Daemon, folder: Path) -> None:
    session = await shared.new_session(folder)
    await turns(shared, session, "one")
    async with shared.socket() as socket:
        events, follow = await socket.open("$events"), await socket.open("workspace/follow")
        await events.item()
        await follow.item()
        child = await fork(shared, session)
        added = await events.until(lambda item: item.get("event") == "api-session/added")
        assert added["args"][0]["sessionId"] == child
        assert added["args"][0]["parentSessionId"] == session
        changed = await follow.until(lambda item: item["type"] == "upsert")
        assert changed["workspace"]["sessionIds"] == [child, session]
    (row,) = [r for r in shared.call("session/list", _request={})["items"] if r["sessionId"] == child]
    assert (row["parentSessionId"], row["blank"], row["running"]) == (session, False, False)
    assert row["updatedAt"] >= (await snapshot(shared, child))["header"]["createdAt"]


async def test_a_fork_outlives_the_daemon(own: Daemon, folder: Path) -> None:
    session = await own.new_session(folder)
    await turns(own, session, "one")
    child = await fork(own, session)
    log = await own.log(child)
    own.kill()
    own.start()
    assert await own.log(child) == log
    header = (await snapshot(own, child))["header"]
    assert (header["isSeeded"], header["parentSession"]) == (True, session)
    grandchild = await fork(own, child)
    assert (await snapshot(own, grandchild))["header"]["parentSession"] == child


@pytest.mark.parametrize("more", [{}, {"atSeq": 1}, {"atSeq": 999_999}])
def test_without_a_whole_turn_there_is_no_fork(shared: Daemon, session: str, more: dict[str, int]) -> None:
    error = shared.result("session/fork", request={"sessionId": session, **more})["error"]
    assert (error["code"], error["details"]) == ("session/fork-unavailable", {"sessionId": session})


def test_there_is_no_fork_of_nothing(shared: Daemon) -> None:
    assert shared.result("session/fork", request={"sessionId": "none"})["error"]["code"] == "session/not-found"
    assert shared.result("session/fork", request={})["error"]["code"] == "gateway/input-invalid"
