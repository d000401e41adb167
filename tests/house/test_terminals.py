"""run_in_terminal and kill_terminal in a whole house: servers, crashes, ports, people, restarts (FEATURES H8, X12)."""

import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.house.test_asks import answer, is_waterfall, listen
from tests.house.test_command_outputs import command, reading, turn
from tests.house.test_commands import execute, value
from tests.house.test_turns import ENDED, of
from tests.process.conftest import alive, until
from tests.support.daemon import Daemon, Socket, Stream, is_event
from tests.support.mock_model import Call, MockModel, Reply

SERVER = f"""{sys.executable} -u - <<'EOF'
import http.server
class Page(http.server.BaseHTTPRequestHandler):
    kind = "text/html; charset=utf-8"
    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Type", self.kind)
        self.end_headers()
class Json(Page):
    kind = "application/json"
server, api = (http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind) for kind in (Page, Json))
import threading
threading.Thread(target=api.serve_forever, daemon=True).start()
print(f"api at http://localhost:{{api.server_port}}/health")
print(f"listening on http://localhost:{{server.server_port}}/")
server.serve_forever()
EOF"""


DRAWING = r"""printf '\033[?1h\033[2J\033[3;5H\033[1;32mhere\033[m'
read -r line; stty size; printf %s "$line" | od -An -c; exit 4"""


def terminal(line: str) -> Reply:
    return Reply(calls=[Call("run_in_terminal", {"command": line})])


def kill(**index: int) -> Reply:
    return Reply(calls=[Call("kill_terminal", index)])


@pytest.fixture
async def session(daemon: Daemon, folder: Path) -> str:
    """One that asks nobody."""
    made = await daemon.new_session(folder)
    await execute(daemon, made, "/permission danger-full-access")
    return made


async def running(daemon: Daemon, session: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await daemon.acall("process/list", request={"sessionId": session}))["commands"]
    return found


async def test_h8_a_server_goes_on_is_offered_as_a_page_and_killed(
    daemon: Daemon, mock: MockModel, session: str
) -> None:
    (text,) = await turn(daemon, mock, session, terminal(SERVER))
    (page,) = [line[11:-1] for line in text.splitlines() if line.startswith("[web page: ")]
    assert "[terminal 0 runs on; by its output it is ready]" in text
    assert text.endswith("[cmd #1]")
    port = int(page.removesuffix("/").rpartition(":")[2])
    with urllib.request.urlopen(urllib.request.Request(page, method="HEAD")) as answered:
        assert answered.status == 200
    log = await daemon.log(session)
    assert [event["url"] for event in of(log, "process/page")] == [page]
    assert of(log, "job/settled") == []
    (row,) = await value(daemon, session, "jobs")
    assert (row["kind"], row["status"], row["number"], row["pages"]) == ("terminal", "running", 1, [page])
    (shown,) = await running(daemon, session)
    assert shown["pages"] == [page]
    ports = {port for process in shown["processes"] for port in process["ports"]}
    assert port in ports
    assert len(ports) == 2
    said = (await execute(daemon, session, "/ps"))["result"]
    assert said["kind"] == "success"
    assert str(port) in said["text"]
    assert "listening on" in (await execute(daemon, session, "/tail 1"))["result"]["text"]
    read, ended, none = await turn(daemon, mock, session, reading(1, filter="listening"), kill(index=0), kill())
    assert "still running; 1 matching line" in read
    assert ended.startswith("Ended terminal 0: ")
    assert none == "No terminal was running."
    assert not any(alive(process["pid"]) for process in shown["processes"])
    (settled,) = of(await daemon.log(session), "job/settled")
    assert (settled["status"], settled["detail"]) == ("killed", "stopped by the agent")
    assert await running(daemon, session) == []


async def test_h8_a_crash_and_an_error_are_told(daemon: Daemon, mock: MockModel, session: str) -> None:
    crash, error = await turn(
        daemon,
        mock,
        session,
        terminal(f"{sys.executable} -c 'import no_such_module'"),
        terminal("echo 'Error: listen EADDRINUSE'; echo more; read -r _"),
    )
    assert "ModuleNotFoundError" in crash
    assert "[the command in terminal 0 ended with exit code 1]" in crash
    assert "EADDRINUSE\nmore\n[terminal 1 runs on, but its output tells an error]" in error
    (again,) = await turn(daemon, mock, session, kill())
    assert again.startswith("Ended terminal 1: ")


async def test_h8_a_terminal_asks_in_every_preset_but_the_full_one(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await daemon.new_session(folder)
    mock.add(terminal("touch made"), Reply(text="so be it"))
    async with daemon.socket() as socket:
        events, client = await listen(socket)
        follow = await socket.follow(session)
        await daemon.prompt(session, "serve")
        asked = await events.until(is_waterfall)
        assert (asked["request"]["toolName"], asked["request"]["detail"]) == ("run_in_terminal", "touch made")
        await answer(daemon, client, asked["eventId"], kind="result", value="rejected")
        await follow.until(ENDED)
    assert not (folder / "made").exists()
    assert of(await daemon.log(session), "job/registered") == []


async def test_h7_run_command_sends_servers_to_a_terminal(
    daemon: Daemon, mock: MockModel, session: str, folder: Path
) -> None:
    refused, ran = await turn(
        daemon, mock, session, command("touch made; npm start && npm test"), command("echo flask run")
    )
    assert refused.startswith("Error: This call starts a server")
    assert "`run_in_terminal`" in refused
    assert not (folder / "made").exists()
    assert ran == "flask run\n[cmd #1]"


async def asking(daemon: Daemon, mock: MockModel, socket: Socket, session: str) -> Stream:
    """A terminal on whose answer a whole turn waits; the followed session, once it asks."""
    mock.add(terminal("read -p 'name? ' name; echo \"hello $name\"; read -r _"), Reply(text="seen"))
    follow = await socket.follow(session)
    await daemon.prompt(session, "ask")
    await follow.until(is_event("job/registered"))
    while (await tail(daemon, session))["line"] != "name? ":
        pass
    return follow


async def tail(daemon: Daemon, session: str) -> dict[str, Any]:
    found: dict[str, Any] = await daemon.acall("process/tail", request={"sessionId": session, "number": 1})
    return found


async def test_x12_a_person_reads_the_screen_types_and_ends_it(daemon: Daemon, mock: MockModel, session: str) -> None:
    request = {"sessionId": session, "number": 1}
    async with daemon.socket() as socket:
        follow = await asking(daemon, mock, socket, session)
        attached = await socket.open("process/attach", request=request)
        typed = await daemon.acall("process/input", request={**request, "text": "world", "keys": ["enter"]})
        assert typed == {"taken": True}
        await attached.until(lambda item: item["type"] == "output" and "hello world" in str(item["chunks"]))
        assert "hello world" in (await tail(daemon, session))["text"]
        assert (await daemon.acall("process/kill", request=request)) == {"outcome": "requested"}
        await follow.until(ENDED)
    (result,) = of(await daemon.log(session), "tool/result")
    assert "[terminal 0 was ended]" in result["message"]["content"][0]["text"]
    assert daemon.result("process/input", request={**request, "text": "x"})["error"]["code"] == "process/not-found"
    assert daemon.result("process/tail", request={**request, "number": 9})["error"]["code"] == "job/not-found"


async def test_x12_a_person_sees_the_screen_of_a_program_and_sizes_it(
    daemon: Daemon, mock: MockModel, session: str
) -> None:
    request = {"sessionId": session, "number": 1}
    here = {"line": 2, "spans": [{"text": "    "}, {"text": "here", "fg": 2, "bold": True}]}
    mock.add(terminal(DRAWING), Reply(text="done"))
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "draw")
        await follow.until(is_event("job/registered"))
        screen = await socket.open("process/screen", request=request)
        first = await screen.item()
        assert (first["whole"], first["columns"], first["rows"], first["job"]["number"]) == (True, 120, 40, 1)
        drawn = first if here in first["lines"] else await screen.until(lambda item: here in item["lines"])
        assert drawn["cursor"] == [8, 2]
        assert await daemon.acall("process/resize", request={**request, "columns": 50, "rows": 20}) == {}
        resized = await screen.until(lambda item: item["whole"])
        assert (resized["columns"], resized["rows"], here in resized["lines"]) == (50, 20, True)
        await daemon.acall("process/input", request={**request, "text": "x", "keys": ["up", "page-up", "enter"]})
        last = await screen.until(lambda item: item.get("job", {}).get("status") == "completed")
        assert last["job"]["detail"] == "exit code: 4"
        assert (await screen.frame())["type"] == "end"
        again = await (await socket.open("process/screen", request=request)).item()
        text = " ".join(span["text"] for line in again["lines"] for span in line["spans"])
        assert "20 50 x 033 O A 033 [ 5 ~" in " ".join(text.split())
        await follow.until(ENDED)
    refused = daemon.result("process/resize", request={**request, "columns": 50, "rows": 20})
    assert refused["error"]["code"] == "process/not-found"


async def test_x12_a_stop_ends_the_terminal_on_which_it_waits_and_no_other(
    daemon: Daemon, mock: MockModel, session: str
) -> None:
    await turn(daemon, mock, session, terminal("echo 'ready on port 1'; read -r _"))
    mock.add(terminal("echo begun; read -r _"))
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "more")
        await follow.until(is_event("job/registered"))
        await daemon.acall("session/cancel", request={"sessionId": session})
        await follow.until(ENDED)
    assert [row["number"] for row in await running(daemon, session)] == [1]
    assert [row["status"] for row in await value(daemon, session, "jobs")] == ["running", "killed"]


@pytest.mark.parametrize("how", ["stopped", "killed"])
async def test_h8_no_terminal_outlives_its_daemon(daemon: Daemon, mock: MockModel, session: str, how: str) -> None:
    await turn(daemon, mock, session, terminal("echo 'ready on port 1'; sleep 300"))
    pids = [process["pid"] for row in await running(daemon, session) for process in row["processes"]]
    assert pids
    if how == "stopped":
        daemon.stop()
    else:
        daemon.kill()
    daemon.start()
    await until(lambda: not any(map(alive, pids)))
    (row,) = await value(daemon, session, "jobs")
    assert row["status"] == "killed"
    (settled,) = of(await daemon.log(session), "job/settled")
    assert settled["detail"] == ("stopped by the end of the daemon" if how == "stopped" else "the daemon stopped")
    (read,) = await turn(daemon, mock, session, reading(1))
    assert read.endswith("1: ready on port 1")


async def test_a18_what_a_terminal_changed_is_not_called_invented(
    daemon: Daemon, mock: MockModel, session: str, folder: Path
) -> None:
    summary = (
        "### Changes Made\n- made.txt: written by a program in a terminal\n"
        "### Verification\n- its content was looked at\n### Outcome\n- made.txt is there now\n"
    )
    mock.add(
        terminal("echo x > made.txt"),
        Reply(calls=[Call("write_summary", {"summary": summary}, "call_s"), Call("task_complete", {}, "call_c")]),
    )
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "make it")
        await follow.until(ENDED)
    log = await daemon.log(session)
    assert "The task is complete." in str(of(log, "tool/result")[-1])
    assert "terminals" in of(log, "undo/changed")[0]["uncovered"]


async def test_h8_a_terminal_is_not_forgotten_for_those_that_came_and_went(
    daemon: Daemon, mock: MockModel, session: str
) -> None:
    short = [Call("run_in_terminal", {"command": f"echo {number}"}) for number in range(30)]
    first, *others, ended = await turn(
        daemon, mock, session, terminal("echo 'ready on port 1'; read -r _"), Reply(calls=short), kill()
    )
    assert "[terminal 0 runs on" in first
    assert "[the command in terminal 30 ended with exit code 0]" in others[-1]
    assert ended.startswith("Ended terminal 0: ")
