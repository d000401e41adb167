"""The end of a task: a summary that is taken, nothing known that is open, and no further request."""

from pathlib import Path

from tests.house.test_commands import value
from tests.house.test_turns import ENDED, of
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply

SUMMARY = """### Changes Made
- app.py: the name was corrected
### Verification
- read_problems: no errors were found
### Outcome
- app.py compiles again.
"""
COMPLETE = Call("task_complete", {}, "call_complete")


async def test_h16_a_task_is_complete_only_when_nothing_known_is_open(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / "app.py").write_text("def f(:\n")
    (folder / "pyproject.toml").touch()
    todo = {"id": "name", "text": "Correct app.py", "status": "pending"}
    summed = SUMMARY + "### Todo Progress\n- Correct app.py: completed\n"
    mock.add(
        Reply(calls=[COMPLETE]),
        Reply(calls=[Call("write_todos", {"todos": [todo]}, "call_todo"), Call("read_problems", {}, "call_bad")]),
        Reply(calls=[Call("write_summary", {"summary": summed}, "call_early"), COMPLETE]),
        Reply(
            calls=[Call("edit_file", {"path": "app.py", "old_string": "f(:", "new_string": "f(): ..."}, "call_mend")]
        ),
        Reply(calls=[Call("read_problems", {"path": "app.py"}, "call_good")]),
        Reply(
            calls=[
                Call("write_todos", {"todos": [{**todo, "status": "completed"}]}, "call_done"),
                Call("write_summary", {"summary": "Done."}, "call_vague"),
                Call("write_summary", {"summary": summed}, "call_summary"),
                Call("task_complete", {}, "call_end"),
            ]
        ),
    )
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "mend it")
        await follow.until(ENDED)
    log = await daemon.log(session)
    assert of(log, "turn/end")[-1]["reason"] == {"kind": "completed"}
    assert len(mock.requests) == 6
    told = [str(event["message"]["content"]) for event in of(log, "tool/result")]
    assert "no summary of this turn" in told[0]
    assert "1 error found" in told[2]
    assert "app.py:1:" in told[2]
    assert "1 error" in told[4]
    assert "“Correct app.py”" in told[4]
    assert "No errors found" in told[6]
    assert "was not taken" in told[8]
    assert "The task is complete." in told[-1]
    found = await value(daemon, session, "completion")
    assert found["complete"] is True
    assert found["summary"] == summed.strip()
    assert found["problems"]["errors"] == 0


async def test_h16_each_turn_begins_with_nothing_known(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    summary = SUMMARY.replace("- app.py: the name", "- The name of the branch")
    mock.add(
        Reply(calls=[Call("write_summary", {"summary": summary}, "call_1"), Call("task_complete", {}, "call_2")]),
        Reply(calls=[Call("task_complete", {}, "call_3")]),
        Reply(text="so be it"),
    )
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        for prompt in ("first", "second"):
            await daemon.prompt(session, prompt)
            await follow.until(ENDED)
    told = [str(event["message"]["content"]) for event in of(await daemon.log(session), "tool/result")]
    assert "The task is complete." in told[1]
    assert "no summary of this turn" in told[2]


async def test_a18_a_file_that_nobody_saw_change_cannot_stand_in_a_summary(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / "app.py").write_text("old\n")
    (folder / ".gitignore").write_text("out/\n")
    (folder / "out").mkdir()
    elsewhere = SUMMARY.replace("app.py: the name", "/etc/hosts: the name")
    built = SUMMARY.replace("- app.py: the name", "- out/app.js: built anew\n- app.py: the name")
    mock.add(
        Reply(text="I have corrected app.py.", calls=[Call("write_summary", {"summary": SUMMARY}, "call_1")]),
        Reply(calls=[Call("write_summary", {"summary": elsewhere}, "call_2")]),
        Reply(calls=[Call("run_command", {"command": "echo new > app.py; echo new > out/app.js"}, "call_3")]),
        Reply(calls=[Call("write_summary", {"summary": built}, "call_4")]),
        Reply(text="done"),
    )
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "mend it")
        await follow.until(ENDED)
    results = {e["message"]["toolCallId"]: e["message"] for e in of(await daemon.log(session), "tool/result")}
    assert results["call_1"]["isError"]
    assert "`app.py` was not changed" in str(results["call_1"]["content"])
    assert not results["call_2"]["isError"]
    assert not results["call_4"]["isError"]
    assert [row["path"] for row in (await value(daemon, session, "changes"))[0]["files"]] == ["app.py"]
