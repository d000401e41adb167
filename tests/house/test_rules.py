"""A person's rules through the whole house: made on a card and by a command, used, told, forgotten."""

from pathlib import Path
from typing import Any

from tests.house.test_asks import answer, is_waterfall, listen
from tests.house.test_turns import ENDED, of
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply


def command(text: str) -> Call:
    return Call("run_command", {"command": text})


async def execute(daemon: Daemon, session: str, line: str) -> tuple[str, str]:
    ran = await daemon.acall("commands/execute", agentId=session, line=line, submittedAttachments=[])
    return ran["result"]["kind"], ran["result"]["text"]


async def test_a_rule_made_on_a_card_spares_the_next_card_also_after_a_restart_and_in_another_session(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    def plant() -> None:
        (folder / "old.txt").write_text("x")

    plant()
    mock.add(Reply(calls=[command("rm old.txt")]), Reply(text="done"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(session)
        await daemon.prompt(session, "tidy")
        asked = await events.until(is_waterfall)
        offered = asked["request"]["always"]
        assert offered["text"] == "`rm old.txt`, exactly so, in this workspace, for good"
        await answer(daemon, client, asked["eventId"], kind="result", value="allowed-always")
        await follow.until(ENDED)
    (decided,) = of(await daemon.log(session), "approval/decided")
    assert decided["outcome"] == "allowed-once"
    assert decided["rule"] == {"number": 1, "text": "`rm old.txt`"}
    assert not (folder / "old.txt").exists()

    daemon.stop()
    daemon.start()
    plant()
    mock.add(Reply(calls=[command("rm old.txt && ls")]), Reply(calls=[command("rm old.txt; rm new.txt")]))
    mock.add(Reply(text="done"))
    second = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(second)
        await daemon.prompt(second, "tidy")
        asked = await events.until(is_waterfall)
        assert asked["request"]["detail"] == "rm old.txt; rm new.txt"
        assert "always" not in asked["request"]
        await answer(daemon, client, asked["eventId"], kind="result", value="allowed-always")
        await follow.until(ENDED)
    log = await daemon.log(second)
    (used,) = of(log, "permission/rule")
    assert (used["change"], used["rule"]) == ("used", {"number": 1, "text": "`rm old.txt`"})
    assert used["callId"] == of(log, "tool/call")[0]["callId"]
    assert not (folder / "old.txt").exists()
    # An answer that was not offered is none.
    assert of(log, "approval/decided")[0]["outcome"] == "unavailable"


async def test_a_rule_is_made_listed_explained_and_forgotten_by_commands(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await daemon.new_session(folder)

    async def say(line: str) -> tuple[str, str]:
        return await execute(daemon, session, line)

    assert (await say("/permission rules"))[1].startswith("There are no rules in ")
    kind, text = await say("/permission always touch a.txt")
    assert (kind, "none is needed" in text) == ("error", True)
    assert (await say("/permission always"))[0] == "error"
    assert (await say("/permission always rm ...")) == (
        "success",
        f"Rule 1: `rm` with any further arguments runs unasked in {folder} from now on.",
    )
    assert "Rule 2: `npm run dev` in a terminal" in (await say("/permission always npm run dev"))[1]
    listed = (await say("/permission rules"))[1]
    assert "1. `rm` with any further arguments · since 20" in listed
    assert "asks otherwise, as it deletes files" in listed
    told = (await say("/permission why rm a.txt"))[1]
    assert "runs without asking although it deletes files, by your rule 1 (`rm` with any further arguments)" in told
    assert "asks a person first" in (await say("/permission why rm ../a.txt"))[1]
    assert "In a terminal it runs without asking" in (await say("/permission why npm run dev"))[1]
    await say("/permission read-only")
    assert "Not in this session" in (await say("/permission always rm ..."))[1]
    assert "asks a person first" in (await say("/permission why rm a.txt"))[1]
    await say("/permission workspace-write")
    assert (await say("/permission forget 1"))[0] == "success"
    assert (await say("/permission forget 1")) == ("error", "This workspace has no rule 1. Nothing was changed.")
    assert (await say("/permission forget all"))[0] == "error"
    assert "asks a person first" in (await say("/permission why rm a.txt"))[1]
    changes = [one["change"] for one in of(await daemon.log(session), "permission/rule")]
    assert changes == ["made", "made", "made", "forgotten"]


async def test_rules_by_endpoint_are_those_of_the_folder_alone(daemon: Daemon, folder: Path, tmp_path: Path) -> None:
    session = await daemon.new_session(folder)
    other = await daemon.new_session(_made(tmp_path / "other"))

    async def call(name: str, session_id: str = session, **more: Any) -> Any:
        return await daemon.acall(f"permissionRules/{name}", request={"sessionId": session_id, **more})

    rule = (await call("allow", command="rm a.txt"))["rule"]
    assert (rule["number"], rule["argv"], rule["more"]) == (1, ["rm", "a.txt"], False)
    assert (await call("allow", command="rm  'a.txt'"))["rule"] == rule
    assert (await call("list"))["rules"] == [rule]
    assert (await call("list", other))["rules"] == []
    assert (await call("forget", number=1))["rule"] == rule
    assert (await call("allow", command="rm a.txt"))["rule"]["number"] == 2


async def test_a_rule_for_terminals_spares_their_card_until_its_script_is_changed(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / "serve.sh").write_text("echo served\n")
    terminal = Call("run_in_terminal", {"command": "sh serve.sh"})
    mock.add(Reply(calls=[terminal]), Reply(text="done"), Reply(calls=[terminal]), Reply(text="done"))
    session = await daemon.new_session(folder)
    request = {"sessionId": session, "command": "sh serve.sh", "use": "terminal"}
    rule = (await daemon.acall("permissionRules/allow", request=request))["rule"]
    assert rule["contents"] == [str(folder / "serve.sh")]
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(session)
        await daemon.prompt(session, "serve")
        await follow.until(ENDED)
        assert [one["change"] for one in of(await daemon.log(session), "permission/rule")] == ["made", "used"]
        (folder / "serve.sh").write_text("echo changed\n")
        await daemon.prompt(session, "serve")
        asked = await events.until(is_waterfall)
        assert asked["request"]["always"]["text"].endswith("serve.sh stays as now")
        await answer(daemon, client, asked["eventId"], kind="result", value="rejected")
        await follow.until(ENDED)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
