"""Commands as jobs: facts in the log, rows and output while they run, and their end by a person (WIRE 6, 14)."""

import os
from pathlib import Path
from typing import Any

from tests.house.test_commands import value
from tests.house.test_turns import ENDED, kinds, of
from tests.support.daemon import Daemon, Socket, Stream, is_event
from tests.support.mock_model import Call, MockModel, Reply

ENDLESS = "echo begun; read -r _ < wait"


def run(command: str) -> Reply:
    return Reply(calls=[Call("run_command", {"command": command}, "call_j")])


async def begin(daemon: Daemon, socket: Socket, session: str) -> tuple[Stream, str]:
    """The followed session, once its job is registered, and the id of the job."""
    follow = await socket.follow(session)
    await daemon.prompt(session, "run it")
    registered = await follow.until(is_event("job/registered"))
    return follow, registered["event"]["data"]["jobId"]


async def endless(daemon: Daemon, mock: MockModel, folder: Path) -> str:
    """A session whose model runs a command that waits until something is written into a pipe."""
    os.mkfifo(folder / "wait")
    mock.add(run(ENDLESS), Reply(text="seen"))
    return await daemon.new_session(folder)


async def test_a_command_is_registered_and_settled(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    mock.add(run("echo hello; exit 3"), Reply(text="seen"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        control = await socket.open("session/control")
        assert (await control.item())["value"]["jobs"][session] == []
        follow, job = await begin(daemon, socket, session)
        await follow.until(ENDED)
        frame = await control.until(lambda i: i.get("key") == "jobs" and i["value"][0]["status"] == "completed")
    log = await daemon.log(session)
    calls = [kind for kind in kinds(log) if kind.startswith(("tool/", "job/"))]
    assert calls == ["tool/call", "job/registered", "job/settled", "tool/result"]
    (registered,), (settled,) = of(log, "job/registered"), of(log, "job/settled")
    assert registered == {
        "jobId": job,
        "owner": session,
        "kind": "bash",
        "label": "echo hello; exit 3",
        "startedAt": registered["startedAt"],
        "toolCall": {"callId": "call_j", "rootCallId": "call_j"},
    }
    assert settled == {
        **registered,
        "finishedAt": settled["finishedAt"],
        "status": "completed",
        "cause": "producer",
        "producerReported": True,
        "detail": "exit code: 3",
    }
    (row,) = frame["value"]
    assert row == {
        "id": job,
        "number": 1,
        "kind": "bash",
        "label": "echo hello; exit 3",
        "status": "completed",
        "detail": "exit code: 3",
        "startedAt": registered["startedAt"],
        "finishedAt": settled["finishedAt"],
    }
    assert await value(daemon, session, "jobs") == [row]


async def test_a_running_job_is_listed_followed_and_killed(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    session = await endless(daemon, mock, folder)
    async with daemon.socket() as socket:
        follow, job = await begin(daemon, socket, session)
        rows = await socket.open("job/list", request={"sessionId": session})
        (row,) = (await rows.item())["jobs"]
        assert (row["id"], row["owner"], row["status"]) == (job, session, "running")
        output = await socket.open("job/follow", request={"sessionId": session, "jobId": job})
        opened = await output.item()
        assert (opened["type"], opened["job"]["id"], opened["from"]) == ("opened", job, 0)
        said = await output.item()
        assert said == {"type": "output", "chunks": [{"at": 0, "text": "begun\n"}], "next": 6}
        later = await socket.open("job/follow", request={"jobId": job, "from": 2})
        assert (await later.item())["from"] == 2
        assert (await later.item())["chunks"] == [{"at": 2, "text": "gun\n"}]
        kill = {"sessionId": session, "jobId": job}
        assert (await daemon.acall("job/kill", request=kill))["outcome"] == "requested"
        killed = await rows.until(lambda item: item["jobs"][0]["status"] == "killed")
        assert killed["jobs"][0]["detail"] == "stopped by a person"
        assert killed["jobs"][0]["output"] == {"total": 6, "earliest": 0}
        last = await output.until(lambda i: i["type"] == "status" and i["job"]["status"] == "killed")
        assert last["job"]["finishedAt"]
        assert (await output.frame())["type"] == "end"
        # The turn goes on: the model is told that its command was stopped.
        await follow.until(ENDED)
        assert (await daemon.acall("job/kill", request=kill))["outcome"] == "already-finished"
    log = await daemon.log(session)
    assert of(log, "job/settled")[0]["cause"] == "kill"
    (result,) = of(log, "tool/result")
    text = result["message"]["content"][0]["text"]
    assert (result["message"]["isError"], "begun" in text, "stopped by the person" in text) == (False, True, True)
    assert of(log, "turn/end")[0]["reason"] == {"kind": "completed"}


async def test_a_cancel_settles_the_job_before_the_turn_ends(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    session = await endless(daemon, mock, folder)
    async with daemon.socket() as socket:
        follow, _ = await begin(daemon, socket, session)
        await daemon.acall("session/cancel", request={"sessionId": session})
        await follow.until(ENDED)
    log = await daemon.log(session)
    assert [kind for kind in kinds(log) if kind.startswith(("job/", "turn/"))] == [
        "turn/start",
        "job/registered",
        "job/settled",
        "turn/end",
    ]
    assert of(log, "job/settled")[0]["status"] == "killed"


async def test_a_job_that_was_lost_with_its_daemon_is_settled_by_the_next(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await endless(daemon, mock, folder)
    async with daemon.socket() as socket:
        _, job = await begin(daemon, socket, session)
        output = await socket.open("job/follow", request={"jobId": job})
        await output.until(lambda item: item["type"] == "output")
        # What was recorded before the title is on disk with it.
        await daemon.acall("session/rename", request={"sessionId": session, "title": "kept"})
    daemon.kill()
    daemon.start()
    log = await daemon.log(session)
    (settled,) = of(log, "job/settled")
    assert (settled["jobId"], settled["status"], settled["producerReported"]) == (job, "killed", False)
    assert kinds(log)[-2:] == ["turn/end", "undo/changed"]
    async with daemon.socket() as socket:
        rows = await socket.open("job/list", request={"sessionId": session})
        assert await rows.item() == {"type": "rows", "jobs": []}
    error: dict[str, Any] = daemon.result("job/kill", request={"sessionId": session, "jobId": job})["error"]
    assert (error["code"], error["details"]) == ("job/not-found", {"jobId": job})


async def test_a_job_that_nobody_knows_is_not_found(daemon: Daemon, folder: Path) -> None:
    session = await daemon.new_session(folder)
    for args in ({"sessionId": session, "jobId": "x"}, {"jobId": "x"}):
        async with daemon.socket() as socket:
            stream = await socket.open("job/follow", request=args)
            frame = await stream.frame()
            assert (frame["type"], frame["error"]["code"]) == ("error", "job/not-found")
    assert (
        daemon.result("job/kill", request={"sessionId": "none", "jobId": "x"})["error"]["code"] == "session/not-found"
    )
