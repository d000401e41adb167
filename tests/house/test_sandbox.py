"""The sandbox through the whole house: set, told, and felt by commands of the model."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from hd.process.sandbox.probe import probe
from tests.cli.command import hd
from tests.house.test_asks import answer, is_waterfall, listen
from tests.house.test_turns import ENDED, of
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply

if probe().mechanism is None:
    pytest.skip(f"NOT TESTED HERE: the sandbox {probe().sentence()}", allow_module_level=True)


@pytest.fixture
def beyond(tmp_path: Path) -> Path:
    folder = tmp_path / "beyond"
    folder.mkdir()
    return folder


def set_sandbox(daemon: Daemon, **section: Any) -> None:
    daemon.call("settings/update", ns="sandbox", patch=section)


def command(text: str) -> Call:
    return Call("run_command", {"command": text})


def result(log: list[dict[str, Any]], number: int = 0) -> tuple[str, dict[str, Any]]:
    """What the model and what clients were told of the result of a call."""
    event = of(log, "tool/result")[number]
    return msgspec.json.encode(event["message"]).decode(), event.get("meta") or {}


async def test_it_is_off_until_somebody_wants_it_and_all_are_told(
    daemon: Daemon, mock: MockModel, folder: Path, beyond: Path
) -> None:
    def told() -> dict[str, Any]:
        described: dict[str, Any] = daemon.call("host/describe")["sandbox"]
        return described

    assert (told()["use"], told()["active"]) == ("off", False)
    program = f'python3 -c \'open("{beyond}/x", "w").write("x")\''
    mock.add(Reply(calls=[command(program)]), Reply(text="done"))
    mock.add(Reply(calls=[command(f"{program}; echo in > here")]), Reply(text="done"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "write")
        await follow.until(ENDED)
        assert (beyond / "x").exists()
        (beyond / "x").unlink()
        set_sandbox(daemon, use="auto")
        assert (told()["use"], told()["active"]) == ("auto", True)
        await daemon.prompt(session, "write again")
        await follow.until(ENDED)
    assert not (beyond / "x").exists()
    assert (folder / "here").read_text() == "in\n"
    text, meta = result(await daemon.log(session), 1)
    assert "[sandbox: writing outside the workspace is blocked, but for temporary folders and caches; refused: " in text
    assert f"{beyond}/x]" in text
    assert meta["sandbox"].items() >= {"mechanism": told()["mechanism"], "mode": "workspace-write"}.items()
    assert "Sandbox: commands can write in the workspace" in str(mock.requests[2].parsed["messages"])
    assert "Sandbox: " not in str(mock.requests[1].parsed["messages"])
    for words in (("status",), ("doctor",)):
        assert f"Sandbox: {told()['text']}\n" in hd(*words, home=daemon.home).out


async def test_what_a_person_allowed_runs_outside_this_one_time(
    daemon: Daemon, mock: MockModel, folder: Path, beyond: Path
) -> None:
    set_sandbox(daemon, use="required")
    calls = [command(f"echo x > ../beyond/{name}") for name in ("asked", "again")]
    mock.add(Reply(calls=[calls[0]]), Reply(calls=[calls[1]]), Reply(text="done"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(session)
        await daemon.prompt(session, "write outside")
        for value in ("allowed-once", "rejected"):
            asked = await events.until(is_waterfall)
            await answer(daemon, client, asked["eventId"], kind="result", value=value)
        await follow.until(ENDED)
    assert (beyond / "asked").exists()
    assert not (beyond / "again").exists()
    assert "sandbox" not in result(await daemon.log(session))[1]


async def test_in_a_read_only_session_what_was_allowed_may_write_in_the_workspace_and_nowhere_else(
    daemon: Daemon, mock: MockModel, folder: Path, beyond: Path
) -> None:
    set_sandbox(daemon, use="required")
    program = f'python3 -c \'open("here", "w"); open("{beyond}/x", "w")\''
    mock.add(Reply(calls=[command("ls")]), Reply(calls=[command(program)]), Reply(text="done"))
    session = await daemon.new_session(folder)
    await daemon.acall("commands/execute", agentId=session, line="/permission read-only", submittedAttachments=[])
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(session)
        await daemon.prompt(session, "look and write")
        for value in ("allowed-once", "rejected"):
            asked = await events.until(is_waterfall)
            await answer(daemon, client, asked["eventId"], kind="result", value=value)
        await follow.until(ENDED)
    assert (folder / "here").exists()
    assert not (beyond / "x").exists()
    log = await daemon.log(session)
    assert [result(log, number)[1]["sandbox"]["mode"] for number in (0, 1)] == ["read-only", "workspace-write"]


async def test_a_terminal_is_held_too(daemon: Daemon, mock: MockModel, folder: Path, beyond: Path) -> None:
    set_sandbox(daemon, use="required")
    program = f'test -t 0 && echo a terminal; python3 -c \'open("{beyond}/x", "w")\'; echo in > here'
    mock.add(Reply(calls=[Call("run_in_terminal", {"command": program})]), Reply(text="done"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(session)
        await daemon.prompt(session, "serve")
        asked = await events.until(is_waterfall)
        await answer(daemon, client, asked["eventId"], kind="result", value="allowed-once")
        await follow.until(ENDED)
    text, _ = result(await daemon.log(session))
    assert "a terminal" in text
    assert "[sandbox: writing outside the workspace is blocked" in text
    assert (folder / "here").exists()
    assert not (beyond / "x").exists()


async def test_the_daemons_own_key_cannot_be_read_by_a_command(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    set_sandbox(daemon, use="required")
    script = folder / "look.py"
    script.write_text(f"print(open({str(daemon.home / 'run' / 'secret')!r}).read())\n")
    mock.add(Reply(calls=[command("python3 look.py")]), Reply(text="done"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "look")
        await follow.until(ENDED)
    text, _ = result(await daemon.log(session))
    assert "[exit code: 1]" in text
    assert "Permission denied" in text or "No such file" in text


async def test_a_command_that_the_sandbox_made_fail_runs_outside_where_the_person_says_so(
    daemon: Daemon, mock: MockModel, folder: Path, beyond: Path
) -> None:
    """Refused, then allowed with a rule, then unasked by that rule."""
    (folder / "put.py").write_text(f"open({str(beyond / 'x')!r}, 'a').write('x')\n")
    mock.add(*(Reply(calls=[command("python3 put.py")]) for _ in range(3)), Reply(text="done"))
    session = await daemon.new_session(folder)
    await daemon.acall("commands/execute", agentId=session, line="/sandbox workspace-write", submittedAttachments=[])
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(session)
        await daemon.prompt(session, "put it")
        for value in ("rejected", "allowed-always"):
            asked = await events.until(is_waterfall)
            assert not (beyond / "x").exists()
            request = asked["request"]
            assert f"refused: {beyond}/x" in request["blocked"]
            assert "once more from its beginning, outside" in request["displayReason"]["en"]
            await answer(daemon, client, asked["eventId"], kind="result", value=value)
        await follow.until(ENDED)
    assert (beyond / "x").read_text() == "xx"
    log = await daemon.log(session)
    refused, _ = result(log, 0)
    assert "[sandbox: writing outside the workspace is blocked" in refused
    assert "did not allow it" in refused
    again, meta = result(log, 1)
    assert "[This is its second run, outside the sandbox, which the person allowed." in again
    assert "sandbox" not in meta
    decided = of(log, "approval/decided")
    assert [one["outcome"] for one in decided] == ["rejected", "allowed-once"]
    assert decided[1]["rule"] == {"number": 1, "text": "`python3 put.py` outside the sandbox"}
    (used,) = of(log, "permission/rule")
    assert (used["change"], used["callId"]) == ("used", of(log, "tool/call")[2]["callId"])


async def test_a_session_is_held_as_its_person_says_and_all_are_told(
    daemon: Daemon, mock: MockModel, folder: Path, beyond: Path
) -> None:
    mock.add(Reply(calls=[command("touch here; id -u")]), Reply(text="done"), Reply(text="done"))
    session = await daemon.new_session(folder)

    async def say(line: str) -> tuple[str, str]:
        ran = await daemon.acall("commands/execute", agentId=session, line=line, submittedAttachments=[])
        return ran["result"]["kind"], ran["result"]["text"]

    assert "not held by a sandbox.\nFor all sessions: off;" in (await say("/sandbox"))[1]
    assert (await say("/sandbox sometimes"))[0] == "error"
    assert (await say("/sandbox off network off"))[0] == "error"
    assert "held as workspace-write" in (await say("/sandbox network off"))[1]
    assert "held as read-only by " in (await say("/sandbox read-only network on"))[1]
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        snapshot = (await follow.item())["projections"]["values"]
        assert snapshot["sandbox"] == {"mode": "read-only", "network": True}
        await daemon.prompt(session, "touch")
        await follow.until(ENDED)
        assert "not held" in (await say("/sandbox default"))[1]
        await daemon.prompt(session, "go on")
        await follow.until(ENDED)
        set_sandbox(daemon, use="required")
        assert (await say("/sandbox off"))[0] == "error"
    assert not (folder / "here").exists()
    assert result(await daemon.log(session))[1]["sandbox"]["mode"] == "read-only"
    assert "Sandbox: commands can write nowhere but in $TMPDIR" in str(mock.requests[0].parsed["messages"])
    assert "Sandbox: none" in str(mock.requests[2].parsed["messages"])


async def test_c04_what_a_person_closed_is_closed_to_a_held_command_that_only_looks(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / "plans").mkdir()
    (folder / "plans" / "next.txt").write_text("hidden-plan\n")
    (folder / "open.txt").write_text("open\n")
    daemon.call("settings/update", ns="secret-files", patch={"deny": ["plans/**"]})
    program = (
        'python3 -c \'print(open("open.txt").read(), open("plans/next.txt").read())\' || cat plans/* open.txt; true'
    )
    mock.add(Reply(calls=[command(program)]), Reply(text="done"))
    session = await daemon.new_session(folder)
    await daemon.acall("commands/execute", agentId=session, line="/sandbox read-only", submittedAttachments=[])
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "look")
        await follow.until(ENDED)
    text, _ = result(await daemon.log(session))
    assert "hidden-plan" not in text
    assert "open" in text
    assert f"[sandbox: reading {folder}/plans/next.txt is blocked]" in text


def test_a_setting_that_is_none_is_refused(daemon: Daemon) -> None:
    for section in ({"use": "sometimes"}, {"offline": ["danger-full-access"]}, {"mode": "auto"}):
        refused = daemon.result("settings/update", ns="sandbox", patch=section)
        assert refused["ok"] is False
        assert refused["error"]["code"] == "settings/rejected"
