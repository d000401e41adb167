"""Goals over the wire: rounds that start by themselves, and what stops them (WIRE 10.3)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.house.test_commands import execute, value
from tests.house.test_turns import ENDED, kinds, of
from tests.support.daemon import Daemon, Socket, Stream
from tests.support.mock_model import Call, MockModel, Reply


async def activations(socket: Socket) -> Stream:
    stream = await socket.open("$events")
    await stream.item()
    return stream


def is_activation(item: dict[str, Any]) -> bool:
    return bool(item["type"] == "emit" and item["event"] == "goal/activation-changed")


def phase(name: str) -> Any:
    return lambda item: (
        item["type"] == "event"
        and item["event"]["type"] == "goal/change"
        and (item["event"]["data"].get("goal") or {}).get("phase") == name
    )


async def create(daemon: Daemon, session: str, objective: str = "reach the moon", **more: Any) -> dict[str, Any]:
    request = {"objective": objective, **more}
    return dict((await daemon.acall("goals/create", agentId=session, request=request))["ref"])


async def test_rounds_start_by_themselves_until_their_number_is_used(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await daemon.new_session(folder)
    assert daemon.call("goals/get", agentId=session) is None
    async with daemon.socket() as socket:
        emits, follow = await activations(socket), await socket.follow(session)
        ref = await create(daemon, session, maxGoalRounds=2)
        assert ref["revision"] == 1
        await follow.until(phase("blocked"))
        first, second = [(await emits.until(is_activation))["args"][0] for _ in range(2)]
    assert (first["goal"]["activation"], second["goal"]["activation"]) == ("armed", "disarmed")
    assert (first["sessionId"], second["goal"]["revision"]) == (session, 2)
    log = await daemon.log(session)
    rounds = [data["source"] for data in of(log, "user/message") if data["source"]["kind"] == "goal"]
    assert rounds == [{"kind": "goal", "goalId": ref["id"], "revision": 1, "round": n} for n in (1, 2)]
    assert [end["reason"]["kind"] for end in of(log, "turn/end")] == ["completed", "completed"]
    goal = await daemon.acall("goals/get", agentId=session)
    assert goal["blockedReason"]["code"] == "round-limit"
    assert (goal["phase"], goal["roundsStarted"], goal["activation"]) == ("blocked", 2, "disarmed")
    kept = await value(daemon, session, "goal")
    assert kept["goal"] == {
        key: goal[key] for key in ("id", "revision", "objective", "phase", "maxGoalRounds", "blockedReason")
    }
    assert "reach the moon" in str(mock.requests[0].parsed["messages"])
    # More rounds make it go on.
    ref = {"id": goal["id"], "revision": goal["revision"]}
    refused = daemon.result("goals/resume", agentId=session, ref=ref)["error"]
    assert (refused["code"], "rounds" in refused["message"]) == ("gateway/internal", True)
    goal = await daemon.acall("goals/edit", agentId=session, ref=ref, request={"maxGoalRounds": 3})
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.acall("goals/resume", agentId=session, ref={"id": goal["id"], "revision": goal["revision"]})
        await follow.until(phase("blocked"))
    assert (await daemon.acall("goals/get", agentId=session))["roundsStarted"] == 3


@pytest.mark.parametrize(
    ("status", "reason", "ended"), [("complete", None, "complete"), ("blocked", "the key of the door", "blocked")]
)
async def test_the_model_ends_its_goal(
    daemon: Daemon, mock: MockModel, folder: Path, status: str, reason: str | None, ended: str
) -> None:
    arguments = {"status": status} | ({"reason": reason} if reason else {})
    mock.add(Reply(text="part one"), Reply(calls=[Call("update_goal", arguments)]), Reply(text="that is all"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        emits, follow = await activations(socket), await socket.follow(session)
        await create(daemon, session)
        await follow.until(phase(ended))
        await follow.until(ENDED)
        for activation in ("armed", "disarmed"):
            assert (await emits.until(is_activation))["args"][0]["goal"]["activation"] == activation
    goal = await daemon.acall("goals/get", agentId=session)
    assert (goal["phase"], goal["roundsStarted"]) == (ended, 2)
    assert goal.get("blockedReason", {}).get("message") == reason
    assert len(mock.requests) == 3


async def test_a_pause_stops_the_round_and_a_resume_goes_on(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    mock.add(Reply(text="never said", gates={0: asyncio.Event()}))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        ref = await create(daemon, session)
        await mock.until(lambda: len(mock.requests) == 1)
        paused = await daemon.acall("goals/pause", agentId=session, ref=ref)
        assert (paused["phase"], paused["activation"], paused["revision"]) == ("paused", "disarmed", 2)
        ended = await follow.until(ENDED)
        assert ended["event"]["data"]["reason"] == {"kind": "aborted", "reason": {"kind": "user"}}
        stale = daemon.result("goals/pause", agentId=session, ref=ref)["error"]
        assert (stale["code"], "stale goal ref" in stale["message"]) == ("gateway/internal", True)
        edited = await daemon.acall(
            "goals/edit", agentId=session, ref={"id": ref["id"], "revision": 2}, request={"objective": "the sun"}
        )
        assert (edited["objective"], edited["phase"], edited["maxGoalRounds"]) == ("the sun", "paused", 256)
        mock.add(Reply(calls=[Call("update_goal", {"status": "complete"})]))
        resumed = await daemon.acall("goals/resume", agentId=session, ref={"id": ref["id"], "revision": 3})
        assert (resumed["phase"], resumed["activation"]) == ("active", "armed")
        await follow.until(phase("complete"))
        await follow.until(ENDED)
    goal = await daemon.acall("goals/get", agentId=session)
    assert (goal["roundsStarted"], goal["phase"]) == (2, "complete")
    cleared = await daemon.acall("goals/clear", agentId=session, ref={"id": goal["id"], "revision": goal["revision"]})
    assert cleared == {"id": goal["id"], "revision": goal["revision"] + 1}
    assert daemon.call("goals/get", agentId=session) is None
    assert await value(daemon, session, "goal") is None
    operations = [data["operation"] for data in of(await daemon.log(session), "goal/change")]
    assert operations == ["create", "pause", "edit", "resume", "complete", "clear"]


async def test_a_cancel_parks_the_goal_and_a_failed_round_does_too(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    mock.add(Reply(text="never said", gates={0: asyncio.Event()}))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        ref = await create(daemon, session)
        await mock.until(lambda: len(mock.requests) == 1)
        await daemon.acall("session/cancel", request={"sessionId": session})
        await follow.until(ENDED)
        goal = await daemon.acall("goals/get", agentId=session)
        assert (goal["phase"], goal["activation"], goal["revision"]) == ("active", "disarmed", 1)
        # A prompt of the person runs, and no round behind it.
        await daemon.prompt(session, "meanwhile")
        await follow.until(ENDED)
        assert (await daemon.acall("goals/get", agentId=session))["roundsStarted"] == 1
        mock.add(Reply(status=400))
        await daemon.acall("goals/resume", agentId=session, ref=ref)
        await follow.until(ENDED)
    goal = await daemon.acall("goals/get", agentId=session)
    assert (goal["roundsStarted"], goal["activation"]) == (2, "disarmed")
    assert len(mock.requests) == 3
    assert mock.violations == []


async def test_a_prompt_comes_before_the_next_round(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    gate = asyncio.Event()
    mock.add(Reply(text="round one", gates={0: gate}), Reply(text="answer"))
    mock.add(Reply(calls=[Call("update_goal", {"status": "complete"})]))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await create(daemon, session)
        await mock.until(lambda: len(mock.requests) == 1)
        await daemon.prompt(session, "a question")
        gate.set()
        await follow.until(phase("complete"))
        await follow.until(ENDED)
    sources = [data["source"]["kind"] for data in of(await daemon.log(session), "user/message")]
    assert [kind for kind in sources if kind != "runtime-context"] == ["goal", "user", "goal"]


async def test_a_new_daemon_finds_the_goal_parked(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    mock.add(Reply(text="never said", gates={0: asyncio.Event()}))
    session = await daemon.new_session(folder)
    await create(daemon, session)
    await mock.until(lambda: len(mock.requests) == 1)
    daemon.kill()
    daemon.start()
    goal = await daemon.acall("goals/get", agentId=session)
    assert (goal["phase"], goal["activation"]) == ("active", "disarmed")
    assert len(mock.requests) == 1


async def test_the_goal_command_does_the_same(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    session = await daemon.new_session(folder)

    async def say(line: str) -> tuple[str, str]:
        result = (await execute(daemon, session, line))["result"]
        return result["kind"], result["text"]

    assert (await say("/goal"))[0] == "success"
    assert (await say("/goal pause"))[0] == "error"
    mock.add(Reply(text="never said", gates={0: asyncio.Event()}))
    kind, text = await say("/goal edit is a fine word")
    assert kind == "error"
    kind, text = await say("/goal reach the moon")
    assert (kind, "reach the moon" in text, "0/256" in text, "armed" in text) == ("success", True, True, True)
    assert (await say("/goal another"))[0] == "error"
    await mock.until(lambda: len(mock.requests) == 1)
    assert "paused" in (await say("/goal pause"))[1]
    assert "the sun" in (await say("/goal edit the sun"))[1]
    assert (await say("/goal edit"))[0] == "error"
    assert "the sun" in (await say("/goal status"))[1]
    mock.add(Reply(calls=[Call("update_goal", {"status": "complete"})]))
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        assert (await say("/goal resume"))[0] == "success"
        await follow.until(phase("complete"))
        await follow.until(ENDED)
    assert (await say("/goal clear"))[0] == "success"
    assert daemon.call("goals/get", agentId=session) is None
    assert "goal/change" in kinds(await daemon.log(session))


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"objective": "  "}, "gateway/bad-request"),
        ({"objective": "x" * 8001}, "gateway/bad-request"),
        ({"objective": "x", "maxGoalRounds": 0}, "gateway/bad-request"),
        ({"objective": "x", "maxGoalRounds": 10_001}, "gateway/bad-request"),
        ({}, "gateway/input-invalid"),
    ],
)
async def test_a_goal_that_is_none_is_refused(
    daemon: Daemon, folder: Path, request_: dict[str, Any], code: str
) -> None:
    session = await daemon.new_session(folder)
    assert daemon.result("goals/create", agentId=session, request=request_)["error"]["code"] == code
    assert daemon.call("goals/get", agentId=session) is None
