"""The host's slash commands over the wire: what is recorded, plan mode and its review, compaction (WIRE 8.2, 10.2)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.house.test_asks import answer, is_waterfall, listen
from tests.house.test_turns import ENDED, kinds, of
from tests.support.daemon import Daemon, is_event
from tests.support.mock_model import Call, MockModel, Reply

PLAN = "# Plan\n1. write b.txt"


async def execute(daemon: Daemon, session: str, line: str) -> Any:
    return await daemon.acall("commands/execute", agentId=session, line=line, submittedAttachments=[])


async def value(daemon: Daemon, session: str, key: str) -> Any:
    return (await daemon.acall("session/projections", request={"sessionId": session}))["values"][key]


async def test_every_command_says_what_it_is(daemon: Daemon, folder: Path) -> None:
    session = await daemon.new_session(folder)
    listed = await daemon.acall("commands/list", agentId=session)
    assert [command["name"] for command in listed] == [
        *("accept", "allow", "budget", "cache", "changes", "compact", "export", "feedback", "goal", "keep", "kill"),
        *("later", "permission", "plan", "ps", "redo", "sandbox", "tail", "undo"),
    ]
    assert all(command["description"] and command["definitionId"] for command in listed)
    for line in ("/nope", "plan", "", "/", "/ plan", "//plan", "/planning"):
        assert await execute(daemon, session, line) is None
    assert kinds(await daemon.log(session))[3:] == []
    assert daemon.result("commands/list", agentId="session-none")["error"]["code"] == "session/not-found"


async def test_a_command_stands_in_the_log_between_its_run_and_its_end(daemon: Daemon, folder: Path) -> None:
    session = await daemon.new_session(folder)
    done = await execute(daemon, session, "/permission  read-only ")
    events = (await daemon.log(session))[3:]
    assert kinds(events) == ["command/run", "permission/preset", "sandbox/mode", "command/done"]
    assert events[0]["data"] == {
        "commandId": done["commandId"],
        "name": "permission",
        "args": "  read-only",
        "source": {"kind": "user"},
    }
    assert events[-1]["data"] == {"commandId": done["commandId"], **done["result"]}


async def test_feedback_is_recorded_once_and_an_export_names_its_route(daemon: Daemon, folder: Path) -> None:
    session = await daemon.new_session(folder)
    said = await execute(daemon, session, "/feedback very nice")
    log = await daemon.log(session)
    assert of(log, "feedback/record") == [{"text": "very nice"}]
    assert "args" not in of(log, "command/run")[0]
    assert log[said["result"]["sourceEventSeq"]]["type"] == "feedback/record"
    assert (await execute(daemon, session, "/feedback"))["result"]["kind"] == "error"
    exported = (await execute(daemon, session, "/export"))["result"]
    assert exported["kind"] == "success"
    assert f"/api/session.export?sessionId={session}" in exported["text"]


async def test_plan_mode_allows_reading_only_until_the_plan_is_approved(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / "a.txt").write_text("alpha\n")
    write = {"path": "b.txt", "content": "beta\n"}
    mock.add(
        Reply(
            calls=[
                Call("read_file", {"path": "a.txt"}),
                Call("write_file", write),
                Call("run_command", {"command": "ls > b.txt"}),
                Call("run_command", {"command": "cat a.txt | head -5"}),
            ]
        ),
        Reply(calls=[Call("exit_plan_mode", {"plan": PLAN})]),
        Reply(calls=[Call("exit_plan_mode", {"plan": PLAN})]),
        Reply(calls=[Call("write_file", write)]),
        Reply(text="done"),
    )
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(session)
        assert (await execute(daemon, session, "/plan add b.txt"))["result"]["kind"] == "success"
        review = await events.until(is_waterfall)
        assert await value(daemon, session, "plan") == {"active": True, "pending": False}
        (question,) = review["request"]["questions"]
        assert (review["event"], question["id"], question["detail"]) == ("user-questions/request", "plan-review", PLAN)
        assert question["intent"]["kind"] == "plan-review"
        kept = {"id": "plan-review", "selected": ["Keep planning"], "custom": "call it c"}
        await answer(daemon, client, review["eventId"], kind="result", value={"answers": [kept]})
        review = await events.until(is_waterfall)
        yes = {"id": "plan-review", "selected": [question["intent"]["approve"]]}
        await answer(daemon, client, review["eventId"], kind="result", value={"answers": [yes]})
        await follow.until(ENDED)
    log = await daemon.log(session)
    results = of(log, "tool/result")
    assert [result["message"]["isError"] for result in results] == [False, True, True, False, False, False, False]
    assert results[1]["error"]["code"] == results[2]["error"]["code"] == "DENIED"
    assert "than to /dev/null, and in plan mode" in results[2]["message"]["content"][0]["text"]
    assert results[3]["message"]["content"][0]["text"].startswith("alpha\n")
    assert "call it c" in results[4]["message"]["content"][0]["text"]
    assert of(log, "plan/mode") == [{"active": True}, {"active": False}]
    assert (folder / "b.txt").read_text() == "beta\n"
    told = [
        m["content"]
        for m in mock.requests[-1].parsed["messages"]
        if m["role"] == "user" and "Plan mode" in m["content"]
    ]
    assert len(told) == 2
    assert "Plan mode: none" in told[1]


async def test_plan_mode_is_turned_on_and_off_without_a_turn(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    session = await daemon.new_session(folder)
    for line, active in (("/plan", True), ("/plan", True), ("/plan off", False), ("/plan off", False)):
        assert (await execute(daemon, session, line))["result"]["kind"] == "success"
        assert (await value(daemon, session, "plan"))["active"] is active
    assert of(await daemon.log(session), "plan/mode") == [{"active": True}, {"active": False}]
    mock.add(Reply(calls=[Call("exit_plan_mode", {"plan": PLAN}), Call("exit_plan_mode", {"plan": "no heading"})]))
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "out")
        await follow.until(ENDED)
    codes = [result["error"]["code"] for result in of(await daemon.log(session), "tool/result")]
    assert codes == ["NOT_PLANNING", "INVALID_ARGS"]


async def turns(daemon: Daemon, session: str, *texts: str) -> None:
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        for text in texts:
            await daemon.prompt(session, text)
            await follow.until(ENDED)


async def test_a_compaction_puts_a_summary_in_the_place_of_the_older_turns(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / "AGENTS.md").write_text("Be brief.\n")
    (folder / "a.txt").write_text("alpha\n" * 50)
    session = await daemon.new_session(folder)
    assert "nothing" in (await execute(daemon, session, "/compact"))["result"]["text"]
    mock.add(Reply(calls=[Call("read_file", {"path": "a.txt"})]), Reply(text="read"))
    await turns(daemon, session, "read it", "and then " + "x" * 4000, "the newest")
    before = mock.requests[-1].parsed["messages"]
    mock.add(Reply(reasoning="hm", text="They read a.txt."))
    done = await execute(daemon, session, "/compact")
    assert done["result"]["kind"] == "success", done
    # The wish for a summary came as the next request, which the strict model holds against the one before it.
    asked = mock.requests[-1].parsed["messages"]
    assert asked[: len(before)] == before
    mock.reset_prefix()
    await turns(daemon, session, "go on")
    events = await daemon.log(session)
    (start,), (summary,), (end,) = (of(events, f"compaction/{part}") for part in ("start", "summary", "end"))
    assert start["sourceCommandId"] == done["commandId"]
    assert start["compactionId"] == summary["compactionId"] == end["compactionId"]
    assert "error" not in end
    assert summary["summary"] == [{"type": "text", "text": "They read a.txt."}]
    assert summary["usage"]["outputTokens"] > 0
    (message,) = [e for e in events if isinstance(e.get("surfaceOp"), dict)]
    assert message["data"]["source"]["kind"] == "compact-checkpoint"
    assert message["surfaceOp"] == {
        "op": "replace",
        "startSeq": summary["shadowedRange"]["start"],
        "endSeq": summary["shadowedRange"]["end"],
    }
    sent = mock.requests[-1].parsed["messages"]
    assert [m["role"] for m in sent[:2]] == ["system", "user"]
    assert sent[:2] == before[:2]
    texts = [str(m["content"]) for m in sent[2:]]
    assert "They read a.txt." in texts[0]
    assert texts[1:3] == ["the newest", "ok"]
    # What the person said stands beside the summary, what came of it does not.
    assert "<prompt>\nread it\n</prompt>" in texts[0]
    assert not any("alpha" in text for text in texts)
    # What was told of the surroundings went with the older part, so it is told again.
    assert any(text.startswith("The surroundings.") for text in texts)
    breakdown = await value(daemon, session, "contextBreakdown")
    assert 0 < breakdown["messageTokens"] < summary["shadowedTokenCount"]


async def test_a_compaction_is_refused_while_a_turn_runs(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    gate = asyncio.Event()
    mock.add(Reply(text="slow answer", gates={0: gate}))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "work")
        await mock.until(lambda: len(mock.requests) == 1)
        assert (await execute(daemon, session, "/compact"))["result"]["kind"] == "error"
        gate.set()
        await follow.until(ENDED)
    assert of(await daemon.log(session), "compaction/start") == []


@pytest.mark.parametrize(
    ("bad", "tries"),
    [
        (Reply(status=400), 1),
        (Reply(text="half", finish="length"), 3),
        (Reply(calls=[Call("grep", {"pattern": "x"})]), 3),
    ],
)
async def test_a_summary_that_cannot_be_used_changes_nothing(
    daemon: Daemon, mock: MockModel, folder: Path, bad: Reply, tries: int
) -> None:
    session = await daemon.new_session(folder)
    await turns(daemon, session, "one", "two")
    mock.add(*[bad] * tries)
    said = (await execute(daemon, session, "/compact"))["result"]
    assert (said["kind"], "unchanged" in said["text"]) == ("error", True)
    log = await daemon.log(session)
    assert [bool(end["error"]["message"]) for end in of(log, "compaction/end")] == [True] * tries
    assert of(log, "compaction/summary") == []
    mock.reset_prefix()
    await turns(daemon, session, "three")
    texts = [m["content"] for m in mock.requests[-1].parsed["messages"]]
    assert {"one", "two", "three"} <= set(texts)


async def test_prompts_wait_for_a_compaction_and_a_cancel_stops_it(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await daemon.new_session(folder)
    await turns(daemon, session, "one", "two")
    gate = asyncio.Event()
    mock.add(Reply(text="never", gates={0: gate}))
    compacting = asyncio.create_task(execute(daemon, session, "/compact"))
    await mock.until(lambda: len(mock.requests) == 3)
    await daemon.prompt(session, "waits")
    assert kinds(await daemon.log(session))[-1] == "agent/inbox/spliced"
    await daemon.acall("session/cancel", request={"sessionId": session})
    said = (await compacting)["result"]
    assert (said["kind"], "stopped" in said["text"]) == ("error", True)
    gate.set()
    mock.reset_prefix()
    # A cancel parks what waits; the next prompt runs it first.
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "last")
        for _ in range(2):
            await follow.until(is_event("turn/end"))
    prompts = [
        d["content"][0]["text"] for d in of(await daemon.log(session), "user/message") if d["source"]["kind"] == "user"
    ]
    assert prompts == ["one", "two", "waits", "last"]
