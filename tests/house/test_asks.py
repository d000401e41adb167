"""Approvals and questions over the wire: who is asked, who answers, and what a restart does to what waits."""

from pathlib import Path
from typing import Any

import pytest

from tests.files.trees import plant, snapshot
from tests.house.test_turns import ENDED, of
from tests.support.daemon import Daemon, Socket, Stream
from tests.support.mock_model import Call, MockModel, Reply

DELETE = Call("delete_file", {"path": "a.txt"})
QUESTION = {
    "id": "db",
    "question": "Which one?",
    "options": [{"label": "SQLite"}, {"label": "Postgres", "description": "bigger"}],
    "multi_select": True,
}


def is_waterfall(item: dict[str, Any]) -> bool:
    return item["type"] == "waterfall"


async def answer(daemon: Daemon, client: str, event: str, **outcome: Any) -> None:
    await daemon.acall("$events/result", clientId=client, eventId=event, outcome=outcome)


async def listen(socket: Socket) -> tuple[Stream, str]:
    stream = await socket.open("$events")
    return stream, (await stream.item())["clientId"]


@pytest.fixture
async def asked(daemon: Daemon, mock: MockModel, folder: Path) -> str:
    """A session whose model wants to delete a file."""
    (folder / "a.txt").write_text("precious\n")
    mock.add(Reply(calls=[DELETE]), Reply(text="so be it"))
    return await daemon.new_session(folder)


@pytest.mark.parametrize("value", ["allowed-once", "rejected", {"outcome": "allowed-once"}])
async def test_an_approval_is_what_was_answered_and_nothing_else(
    daemon: Daemon, folder: Path, asked: str, value: Any
) -> None:
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(asked)
        await daemon.prompt(asked, "delete it")
        waterfall = await events.until(is_waterfall)
        assert (waterfall["event"], waterfall["agentId"]) == ("approval/request", asked)
        assert waterfall["request"]["toolName"] == "delete_file"
        assert waterfall["request"]["paths"] == ["a.txt"]
        assert (folder / "a.txt").exists()
        await answer(daemon, client, waterfall["eventId"], kind="result", value=value)
        await follow.until(ENDED)
    log = await daemon.log(asked)
    (opened,), (decided,) = of(log, "approval/asked"), of(log, "approval/decided")
    allowed = value == "allowed-once"
    assert opened["id"] == decided["id"]
    assert decided["outcome"] == (value if isinstance(value, str) else "unavailable")
    assert (folder / "a.txt").exists() is not allowed
    assert of(log, "tool/result")[0]["message"]["isError"] is not allowed
    assert (await daemon.acall("session/projections", request={"sessionId": asked}))["values"]["asks"] == []


EDITS = [
    Call("edit_file", {"path": "a.py", "old_string": "1", "new_string": "2"}),
    Call("write_file", {"path": "new/b.py", "content": "made\n"}),
    Call("edit_file", {"path": "c.py", "old_string": "3", "new_string": "4"}),
]


async def test_a16_of_several_changes_that_are_denied_nothing_lands(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    before = snapshot(plant(folder, {"a.py": "x = 1\r\n", "c.py": "y = 3"}))
    mock.add(Reply(calls=EDITS), Reply(text="so be it"))
    session = await daemon.new_session(folder)
    await daemon.acall("commands/execute", agentId=session, line="/permission read-only", submittedAttachments=[])
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(session)
        await daemon.prompt(session, "change all")
        for _ in EDITS:
            event = (await events.until(is_waterfall))["eventId"]
            assert snapshot(folder) == before
            await answer(daemon, client, event, kind="result", value="rejected")
        await follow.until(ENDED)
    assert snapshot(folder) == before
    log = await daemon.log(session)
    assert [decided["outcome"] for decided in of(log, "approval/decided")] == ["rejected"] * 3
    assert all(result["message"]["isError"] for result in of(log, "tool/result"))


async def test_the_first_of_two_clients_answers_and_the_other_is_told(daemon: Daemon, asked: str) -> None:
    async with daemon.socket() as one, daemon.socket() as two:
        first, first_id = await listen(one)
        second, second_id = await listen(two)
        follow = await one.follow(asked)
        await daemon.prompt(asked, "delete it")
        event = (await first.until(is_waterfall))["eventId"]
        assert (await second.until(is_waterfall))["eventId"] == event
        await answer(daemon, second_id, event, kind="result", value="rejected")
        assert await first.until(lambda item: item["type"] == "cancel") == {"type": "cancel", "eventId": event}
        await answer(daemon, first_id, event, kind="result", value="allowed-once")
        await follow.until(ENDED)
    assert of(await daemon.log(asked), "approval/decided")[0]["outcome"] == "rejected"


@pytest.mark.parametrize(
    "call",
    [
        DELETE,
        Call("edit_file", {"path": "a.txt", "old_string": "precious", "new_string": "cheap"}),
        Call("write_file", {"path": "new.txt", "content": "mine\n"}),
    ],
)
async def test_x08_a_yes_counts_for_what_was_shown_and_not_for_what_came_after(
    daemon: Daemon, mock: MockModel, folder: Path, call: Call
) -> None:
    """The file is changed between the card and the yes."""
    (folder / "a.txt").write_text("precious\n")
    mock.add(Reply(calls=[call]), Reply(text="so be it"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(session)
        await daemon.acall("commands/execute", agentId=session, line="/permission read-only", submittedAttachments=[])
        await daemon.prompt(session, "do it")
        waterfall = await events.until(is_waterfall)
        changed = folder / call.arguments["path"]
        changed.write_text("precious\nand more\n")
        await answer(daemon, client, waterfall["eventId"], kind="result", value="allowed-once")
        await follow.until(ENDED)
    (result,) = of(await daemon.log(session), "tool/result")
    assert result["message"]["isError"] is True
    assert result["error"]["code"] in {"STALE", "FS_UNREAD", "FS_EXISTS"}
    assert changed.read_text() == "precious\nand more\n"


async def test_next_from_everybody_leaves_it_waiting_and_it_comes_again(daemon: Daemon, asked: str) -> None:
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        await daemon.prompt(asked, "delete it")
        event = (await events.until(is_waterfall))["eventId"]
        await answer(daemon, client, event, kind="next")
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(asked)
        assert (await events.until(is_waterfall))["eventId"] == event
        await answer(daemon, client, event, kind="result", value="rejected")
        await follow.until(ENDED)


async def test_e05_after_a_restart_what_waited_is_void_and_never_runs(
    daemon: Daemon, mock: MockModel, folder: Path, asked: str
) -> None:
    async with daemon.socket() as socket:
        events, _ = await listen(socket)
        await daemon.prompt(asked, "delete it")
        await events.until(is_waterfall)
    daemon.kill()
    daemon.start()
    log = await daemon.log(asked)
    assert of(log, "approval/decided")[0]["outcome"] == "unavailable"
    assert of(log, "turn/end")[0]["reason"] == {"kind": "interrupted"}
    assert (folder / "a.txt").exists()
    async with daemon.socket() as socket:
        events, _ = await listen(socket)
        follow = await socket.follow(asked)
        snapshot = await follow.item()
        assert snapshot["projections"]["values"]["asks"] == []
        await daemon.prompt(asked, "go on")
        await follow.until(ENDED)
    assert len(mock.requests) == 2


async def test_cancel_withdraws_what_waits(daemon: Daemon, asked: str) -> None:
    async with daemon.socket() as socket:
        events, _ = await listen(socket)
        follow = await socket.follow(asked)
        await daemon.prompt(asked, "delete it")
        event = (await events.until(is_waterfall))["eventId"]
        await daemon.acall("session/cancel", request={"sessionId": asked})
        assert await events.until(lambda item: item["type"] == "cancel") == {"type": "cancel", "eventId": event}
        await follow.until(ENDED)
    log = await daemon.log(asked)
    assert of(log, "approval/decided")[0]["outcome"] == "unavailable"
    assert of(log, "tool/result")[0]["error"]["code"] == "ABORTED"


async def test_d09_read_only_runs_what_surely_reads_and_asks_for_other_commands(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / "a.txt").write_text("alpha\n")
    reads, writes = ({"command": f"cat a.txt{end}"} for end in ("", " > b.txt"))
    mock.add(Reply(calls=[Call("run_command", reads), Call("run_command", writes)]), Reply(text="ok"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(session)
        await daemon.acall("commands/execute", agentId=session, line="/permission read-only", submittedAttachments=[])
        await daemon.prompt(session, "read")
        waterfall = await events.until(is_waterfall)
        assert waterfall["request"]["detail"] == "cat a.txt > b.txt"
        assert "the session is read-only" in waterfall["request"]["reason"]
        await answer(daemon, client, waterfall["eventId"], kind="result", value="rejected")
        await follow.until(ENDED)
    log = await daemon.log(session)
    assert of(log, "tool/result")[0]["message"]["content"][0]["text"].startswith("alpha\n")
    assert len(of(log, "approval/asked")) == 1
    assert not (folder / "b.txt").exists()


async def test_read_only_asks_for_every_change_and_the_preset_can_be_changed(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    write = Call("write_file", {"path": "new.txt", "content": "x\n"})
    mock.add(Reply(calls=[write]), Reply(text="ok"), Reply(calls=[write]), Reply(text="ok"))
    session = await daemon.new_session(folder)

    async def execute(line: str) -> Any:
        return await daemon.acall("commands/execute", agentId=session, line=line, submittedAttachments=[])

    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(session)
        assert (await execute("/permission read-only"))["result"]["kind"] == "success"
        assert (await execute("/permission nonsense"))["result"]["kind"] == "error"
        assert await execute("/nonsense") is None
        await daemon.prompt(session, "write")
        waterfall = await events.until(is_waterfall)
        assert "+x" in waterfall["request"]["detail"]
        await answer(daemon, client, waterfall["eventId"], kind="result", value="rejected")
        await follow.until(ENDED)
        assert not (folder / "new.txt").exists()
        await execute("/permission workspace-write")
        await daemon.prompt(session, "write")
        await follow.until(ENDED)
        assert (folder / "new.txt").read_text() == "x\n"
    assert "workspace-write" in str(mock.requests[2].parsed["messages"][-1]["content"])


@pytest.mark.parametrize(
    ("outcome", "outcome_in_log"),
    [
        (
            {"kind": "result", "value": {"answers": [{"id": "db", "selected": ["SQLite"], "custom": "or two"}]}},
            "answered",
        ),
        (
            {"kind": "rejected", "error": {"name": "UserQuestionError", "message": "no", "code": "ASK_CANCELLED"}},
            "rejected",
        ),
        ({"kind": "result", "value": {"answers": [{"id": "db", "selected": ["MySQL"]}]}}, "unavailable"),
    ],
)
async def test_a_question_goes_out_and_its_answer_comes_back(
    daemon: Daemon, mock: MockModel, folder: Path, outcome: dict[str, Any], outcome_in_log: str
) -> None:
    mock.add(Reply(calls=[Call("ask_user_question", {"questions": [QUESTION]})]), Reply(text="thanks"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(session)
        await daemon.prompt(session, "ask me")
        waterfall = await events.until(is_waterfall)
        assert waterfall["event"] == "user-questions/request"
        (question,) = waterfall["request"]["questions"]
        assert question["multiSelect"] is True
        await answer(daemon, client, waterfall["eventId"], **outcome)
        await follow.until(ENDED)
    log = await daemon.log(session)
    assert of(log, "question/decided")[0]["outcome"] == outcome_in_log
    result = of(log, "tool/result")[0]["message"]
    assert result["isError"] is (outcome_in_log != "answered")
    if outcome_in_log == "answered":
        assert '"custom":"or two"' in result["content"][0]["text"].replace(" ", "").replace("ortwo", "or two")


async def test_c07_the_rule_that_decides_is_told(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    (folder / "secrets").mkdir()
    (folder / "secrets" / "plan.txt").write_text("hidden\n")
    daemon.call("settings/update", ns="secret-files", patch={"deny": ["secrets/**"]})
    refused = daemon.result("settings/update", ns="secret-files", patch={"deny": ["[x"]})
    assert refused["error"]["code"] == "settings/rejected"
    mock.add(Reply(calls=[Call("read_file", {"path": "secrets/plan.txt"})]), Reply(text="no"))
    session = await daemon.new_session(folder)

    async def why(asked: str) -> str:
        line = f"/permission why {asked}"
        ran = await daemon.acall("commands/execute", agentId=session, line=line, submittedAttachments=[])
        return str(ran["result"]["text"])

    assert "rule: secrets/**, of the person's own" in await why("secrets/plan.txt")
    assert "open to the file tools; no rule is against it" in await why("a.txt")
    assert "asks a person first, because it deletes files" in await why("rm a.txt")
    assert "runs without asking, because nothing in it deletes" in await why("touch a.txt")
    await daemon.acall("commands/execute", agentId=session, line="/permission read-only", submittedAttachments=[])
    assert "known to only read" in await why("ls -l | head")
    assert "reads a place outside the workspace or a secret file" in await why("cat secrets/plan.txt")
    assert "takes a path or a command" in await why("")
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "read it")
        await follow.until(ENDED)
    assert of(await daemon.log(session), "tool/result")[0]["error"]["code"] == "FS_SECRET"
