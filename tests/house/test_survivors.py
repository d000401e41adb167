"""What commands leave running: listed with its ports, ended with the turn unless a person keeps it (D01, X12)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.house.test_command_outputs import command, reading, turn
from tests.house.test_commands import execute, value
from tests.house.test_terminals import running
from tests.house.test_turns import ENDED, kinds, of
from tests.house.test_undo import session_in
from tests.process.conftest import alive, until
from tests.support.daemon import Daemon, Socket, Stream, is_event
from tests.support.mock_model import Call, MockModel, Reply

SERVER = (
    "python3 -c \"import http.server as h, pathlib; s = h.HTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler); "
    "pathlib.Path('port').write_text(str(s.server_port)); print('serves', flush=True); s.serve_forever()\" & "
    "until [ -s port ]; do sleep 0.01; done; echo up"
)


@pytest.fixture
async def session(daemon: Daemon, folder: Path) -> str:
    return await session_in(daemon, folder)


def results(log: list[dict[str, Any]]) -> list[str]:
    return [result["message"]["content"][0]["text"] for result in of(log, "tool/result")]


async def test_d01_what_a_command_leaves_serves_the_turn_and_ends_with_it(
    daemon: Daemon, mock: MockModel, session: str, folder: Path
) -> None:
    ask = "curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:$(cat port)/"
    left, used, read = await turn(daemon, mock, session, command(SERVER), command(ask), reading(1))
    port = (folder / "port").read_text()
    assert "up" in left
    assert "[1 background process runs on until the turn ends: " in left
    assert f"(port {port})]\n[cmd #1]" in left
    assert used == "200\n[cmd #2]"
    assert "exit code: 0; what it left still runs" in read
    log = await daemon.log(session)
    (fact,) = of(log, "process/left")
    (process,) = fact["processes"]
    assert (fact["exitCode"], process["ports"]) == (0, [int(port)])
    assert not alive(process["pid"])
    settled = {end["jobId"]: end for end in of(log, "job/settled")}[fact["jobId"]]
    assert settled["status"] == "completed"
    assert settled["detail"] == "exit code: 0; what it left running was ended with the turn"
    assert kinds(log).index("turn/end") > max(place for place, kind in enumerate(kinds(log)) if kind == "job/settled")
    (row, _) = await value(daemon, session, "jobs")
    assert "left" not in row


async def waiting(
    daemon: Daemon, mock: MockModel, socket: Socket, session: str, line: str
) -> tuple[Stream, asyncio.Event]:
    """A turn whose command has left something running, and whose model waits before it goes on."""
    gate = asyncio.Event()
    asked = len(mock.requests)
    mock.add(command(line), Reply(text="done", gates={0: gate}))
    follow = await socket.follow(session)
    await daemon.prompt(session, "work")
    await mock.until(lambda: len(mock.requests) == asked + 2)
    return follow, gate


async def test_d01_what_a_person_keeps_outlives_the_turn_until_it_is_killed(
    daemon: Daemon, mock: MockModel, session: str
) -> None:
    request = {"sessionId": session, "number": 1}
    async with daemon.socket() as socket:
        follow, gate = await waiting(daemon, mock, socket, session, "sleep 300 & sleep 301 & echo done")
        (row,) = await running(daemon, session)
        assert (row["number"], row["left"], row["detail"]) == (1, True, "exit code: 0")
        assert sorted(one["command"] for one in row["processes"]) == ["sleep 300", "sleep 301"]
        assert "ends with the turn (/keep 1)" in (await execute(daemon, session, "/ps"))["result"]["text"]
        assert await daemon.acall("process/keep", request=request) == {"outcome": "kept"}
        assert "kept already" in (await execute(daemon, session, "/keep #1"))["result"]["text"]
        gate.set()
        await follow.until(ENDED)
    (row,) = await running(daemon, session)
    assert row["kept"] is True
    pids = [one["pid"] for one in row["processes"]]
    assert all(map(alive, pids))
    await turn(daemon, mock, session, command("true"))
    assert all(map(alive, pids))
    assert (await daemon.acall("process/kill", request=request)) == {"outcome": "requested"}
    await until(lambda: not any(map(alive, pids)))
    async with asyncio.timeout(20):
        while await running(daemon, session):
            pass
    assert of(await daemon.log(session), "job/settled")[-1]["detail"] == "stopped by a person"
    refused = daemon.result("process/keep", request=request)["error"]
    assert (refused["code"], "nothing to keep" in refused["message"]) == ("process/not-found", True)
    assert (await execute(daemon, session, "/keep"))["result"]["kind"] == "error"


async def test_d01_a_stop_ends_what_was_left_and_spares_what_is_kept(
    daemon: Daemon, mock: MockModel, session: str
) -> None:
    async with daemon.socket() as socket:
        await turn(daemon, mock, session, command("true"))
        follow, _ = await waiting(daemon, mock, socket, session, "sleep 300 & echo done")
        mine = {row["number"]: row["processes"] for row in await running(daemon, session)}
        await daemon.acall("session/cancel", request={"sessionId": session})
        await follow.until(ENDED)
        assert not any(alive(one["pid"]) for one in mine[2])
        follow, _ = await waiting(daemon, mock, socket, session, "sleep 300 & echo done")
        await execute(daemon, session, "/keep 3")
        (row,) = await running(daemon, session)
        await daemon.acall("session/cancel", request={"sessionId": session})
        await follow.until(ENDED)
    assert all(alive(one["pid"]) for one in row["processes"])
    assert [job["status"] for job in await value(daemon, session, "jobs")] == ["completed", "completed", "running"]


@pytest.mark.long
@pytest.mark.parametrize("how", ["stopped", "killed"])
async def test_d01_nothing_that_is_kept_outlives_its_daemon(
    daemon: Daemon, mock: MockModel, session: str, how: str
) -> None:
    async with daemon.socket() as socket:
        follow, gate = await waiting(daemon, mock, socket, session, "sleep 300 & echo done")
        await daemon.acall("process/keep", request={"sessionId": session, "number": 1})
        (row,) = await running(daemon, session)
        gate.set()
        await follow.until(ENDED)
    if how == "stopped":
        daemon.stop()
    else:
        daemon.kill()
    daemon.start()
    await until(lambda: not any(alive(one["pid"]) for one in row["processes"]))
    (settled,) = of(await daemon.log(session), "job/settled")
    assert settled["status"] == "killed"
    assert not {"left", "kept"} & settled.keys()
    assert settled["detail"] == ("stopped by the end of the daemon" if how == "stopped" else "the daemon stopped")


async def test_d01_what_ends_by_itself_settles_its_command(
    daemon: Daemon, mock: MockModel, session: str, folder: Path
) -> None:
    async with daemon.socket() as socket:
        line = "(until [ -e go ]; do sleep 0.01; done; echo later) & echo done"
        follow, gate = await waiting(daemon, mock, socket, session, line)
        (folder / "go").touch()
        await follow.until(is_event("job/settled"))
        gate.set()
        await follow.until(ENDED)
    (settled,) = of(await daemon.log(session), "job/settled")
    assert (settled["status"], settled["detail"]) == ("completed", "exit code: 0")
    (read,) = await turn(daemon, mock, session, reading(1))
    assert read.endswith("1: done\n2: later")


@pytest.mark.long
async def test_d01_one_command_too_many_leaves_nothing(daemon: Daemon, mock: MockModel, session: str) -> None:
    calls = [Call("run_command", {"command": f"sleep {300 + number} & echo done"}) for number in range(17)]
    texts = await turn(daemon, mock, session, Reply(calls=calls))
    assert ["runs on" in text for text in texts] == [True] * 16 + [False]
    assert "1 background process ended" in texts[-1]
