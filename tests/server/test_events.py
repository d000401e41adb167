"""`$events` and its answers (WIRE 5): who is told, who is asked, and whose answer counts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.daemon import Daemon, Socket, Stream, is_event

ENDED = is_event("turn/end")
DELETE = '[[tool delete_file {"path":"a.txt"}]]'


def is_waterfall(item: dict[str, Any]) -> bool:
    return bool(item["type"] == "waterfall")


def is_cancel(item: dict[str, Any]) -> bool:
    return bool(item["type"] == "cancel")


@dataclass
class Client:
    """One client with its event stream, and a follow of the session."""

    daemon: Daemon
    socket: Socket
    events: Stream
    id: str

    async def answer(self, event_id: str, **outcome: Any) -> dict[str, Any]:
        args = {"clientId": self.id, "eventId": event_id, "outcome": outcome}
        return await asyncio.to_thread(lambda: self.daemon.result("$events/result", **args))

    async def nothing_waits(self) -> None:
        """Whatever was sent to this client before now has arrived when the barrier's first item has."""
        assert await self.cancels_so_far() == 0

    async def cancels_so_far(self) -> int:
        barrier = await self.socket.open("session/control")
        await barrier.item()
        found = 0
        while self.events.waiting():
            found += is_cancel(await self.events.item())
        return found


@pytest.fixture
async def clients(shared: Daemon) -> AsyncIterator["Clients"]:
    async with AsyncExitStack() as stack:
        yield Clients(shared, stack)


@dataclass
class Clients:
    daemon: Daemon
    stack: AsyncExitStack

    async def come(self) -> Client:
        socket = await self.stack.enter_async_context(self.daemon.socket())
        events = await socket.open("$events")
        ready = await events.item()
        assert set(ready) == {"type", "clientId", "host"}
        assert ready["type"] == "ready"
        assert Path(ready["host"]["home"]).is_absolute()
        return Client(self.daemon, socket, events, ready["clientId"])


async def ask(daemon: Daemon, session: str, folder: Path) -> None:
    (folder / "a.txt").write_text("precious\n")
    await daemon.prompt(session, DELETE)


async def decided(daemon: Daemon, session: str) -> str:
    """The outcome in the log, when the turn has ended."""
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        snapshot = await follow.item()
        if snapshot["records"][-1]["event"]["type"] != "turn/end":
            await follow.until(ENDED)
    (event,) = [event for event in await daemon.log(session) if event["type"] == "approval/decided"]
    return str(event["data"]["outcome"])


async def test_every_client_is_asked_also_one_that_comes_later(
    shared: Daemon, session: str, folder: Path, clients: Clients
) -> None:
    one, two = await clients.come(), await clients.come()
    assert one.id != two.id
    await ask(shared, session, folder)
    first = await one.events.until(is_waterfall)
    assert set(first) == {"type", "event", "eventId", "agentId", "request"}
    assert (first["event"], first["agentId"]) == ("approval/request", session)
    assert first["request"]["toolName"] == "delete_file"
    assert await two.events.until(is_waterfall) == first
    three = await clients.come()
    # `ready` came first, then what waits.
    assert await three.events.item() == first
    assert await one.answer(first["eventId"], kind="result", value="rejected") == {"ok": True}
    for other in (two, three):
        assert await other.events.until(is_cancel) == {"type": "cancel", "eventId": first["eventId"]}
    assert await decided(shared, session) == "rejected"
    # The winner is not told to forget what it answered.
    await one.nothing_waits()
    assert (folder / "a.txt").exists()


async def test_an_answer_that_comes_late_or_twice_is_accepted_and_changes_nothing(
    shared: Daemon, session: str, folder: Path, clients: Clients
) -> None:
    one, two = await clients.come(), await clients.come()
    await ask(shared, session, folder)
    event = (await one.events.until(is_waterfall))["eventId"]
    answers = await asyncio.gather(
        one.answer(event, kind="result", value="rejected"),
        *(two.answer(event, kind="result", value="rejected") for _ in range(5)),
    )
    assert answers == [{"ok": True}] * 6
    assert await one.answer(event, kind="result", value="allowed-once") == {"ok": True}
    assert await one.answer("never-was", kind="result", value="allowed-once") == {"ok": True}
    assert await decided(shared, session) == "rejected"
    assert (folder / "a.txt").exists()


async def test_next_is_a_vote_and_silence_is_none(shared: Daemon, session: str, folder: Path, clients: Clients) -> None:
    one, two = await clients.come(), await clients.come()
    await ask(shared, session, folder)
    event = (await one.events.until(is_waterfall))["eventId"]
    assert await one.answer(event, kind="next") == {"ok": True}
    # Who passed it on has no say any more, and is not told of the end.
    assert await one.answer(event, kind="result", value="rejected") == {"ok": True}
    assert await two.answer(event, kind="result", value="allowed-once") == {"ok": True}
    assert await decided(shared, session) == "allowed-once"
    await one.nothing_waits()
    assert not (folder / "a.txt").exists()


async def test_a_client_that_leaves_does_not_vote(shared: Daemon, session: str, folder: Path, clients: Clients) -> None:
    one = await clients.come()
    await ask(shared, session, folder)
    event = (await one.events.until(is_waterfall))["eventId"]
    await one.socket.cancel(one.events)
    barrier = await one.socket.open("session/control")
    await barrier.item()
    error = (await one.answer(event, kind="result", value="allowed-once"))["error"]
    assert (error["code"], error["details"]) == ("gateway/internal", {})
    two = await clients.come()
    assert (await two.events.until(is_waterfall))["eventId"] == event
    await two.answer(event, kind="result", value="rejected")
    assert await decided(shared, session) == "rejected"


async def test_a_cancelled_turn_withdraws_its_question_from_everybody(
    shared: Daemon, session: str, folder: Path, clients: Clients
) -> None:
    one, two = await clients.come(), await clients.come()
    await ask(shared, session, folder)
    event = (await one.events.until(is_waterfall))["eventId"]
    await shared.acall("session/cancel", request={"sessionId": session})
    for client in (one, two):
        assert (await client.events.until(is_cancel))["eventId"] == event
    three = await clients.come()
    await three.nothing_waits()


async def test_a_rejection_is_an_answer_too(shared: Daemon, session: str, folder: Path, clients: Clients) -> None:
    one = await clients.come()
    await ask(shared, session, folder)
    event = (await one.events.until(is_waterfall))["eventId"]
    assert await one.answer(event, kind="rejected", error={"name": "E", "message": "no"}) == {"ok": True}
    assert await decided(shared, session) == "rejected"


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        ({"kind": "maybe"}, "gateway/input-invalid"),
        ({}, "gateway/input-invalid"),
        ({"kind": "rejected"}, "gateway/bad-request"),
        ({"kind": "rejected", "error": {"name": "E"}}, "gateway/bad-request"),
        ({"kind": "rejected", "error": {"name": "E", "message": 5}}, "gateway/bad-request"),
    ],
)
async def test_an_outcome_of_no_known_shape_settles_nothing(
    shared: Daemon, session: str, folder: Path, clients: Clients, outcome: dict[str, Any], code: str
) -> None:
    one = await clients.come()
    await ask(shared, session, folder)
    event = (await one.events.until(is_waterfall))["eventId"]
    assert (await one.answer(event, **outcome))["error"]["code"] == code
    await one.answer(event, kind="result", value="rejected")
    assert await decided(shared, session) == "rejected"


@pytest.mark.parametrize("args", [{}, {"clientId": "x"}, {"clientId": "x", "eventId": "y", "outcome": {}, "z": 1}])
async def test_the_three_names_of_an_answer_are_exact(shared: Daemon, args: dict[str, Any]) -> None:
    result = shared.result("$events/result", **args)
    assert result["error"]["code"] == "gateway/arguments-invalid"


def test_an_answer_of_nobody_is_refused(shared: Daemon) -> None:
    result = shared.result("$events/result", clientId="x", eventId="y", outcome={"kind": "next"})
    assert result["error"]["code"] == "gateway/internal"
    assert "event stream" in result["error"]["message"]


async def test_the_course_of_a_turn_is_told_to_everybody(shared: Daemon, folder: Path, clients: Clients) -> None:
    one = await clients.come()
    session = await shared.new_session(folder)
    added = await one.events.until(lambda item: item.get("event") == "api-session/added")
    assert set(added) == {"type", "event", "args"}
    assert [summary["sessionId"] for summary in added["args"]] == [session]
    async with shared.socket() as socket:
        follow = await socket.follow(session)
        await shared.prompt(session, "[[fast]]")
        await follow.until(ENDED)
    seen: list[Any] = []
    while ["api-session/status", [session, False]] not in seen:
        item = await one.events.item()
        seen.append([item["event"], item["args"]])
    names = [name for name, args in seen if args[0] == session]
    assert names == ["api-session/status", "api-session/activity", "api-session/status"]
    assert seen[0] == ["api-session/status", [session, True]]
