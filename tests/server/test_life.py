"""How the daemon ends while clients are there: they see what became of the turn, and it is gone within seconds."""

import asyncio
import contextlib
import os
import signal
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import psutil  # type: ignore[import-untyped]
import pytest

from tests.server.conftest import KEY
from tests.server.raw import connect, frame, head, open_socket
from tests.support.daemon import LIMIT, Daemon, Socket, Stream, is_event

ENDED = is_event("turn/end")
BOUND_S = 5.0
POLITE = "[[shell echo > begun; sleep 600]]"
STUBBORN = "[[shell trap '' TERM INT HUP; echo > begun; sleep 600; sleep 600]]"


async def started(daemon: Daemon, socket: Socket, session: str, folder: Path, prompt: str) -> Stream:
    """A turn that runs, and its follow stream, when the model or the command has really begun."""
    daemon.call("commands/execute", agentId=session, line="/permission danger-full-access", submittedAttachments=[])
    os.mkfifo(folder / "begun")
    follow = await socket.follow(session)
    await daemon.prompt(session, prompt)
    if "begun" in prompt:
        await asyncio.wait_for(asyncio.to_thread((folder / "begun").read_text), LIMIT)
    else:
        await follow.until(lambda item: item["type"] == "assistant-stream")
    return follow


async def stop(daemon: Daemon, number: signal.Signals = signal.SIGTERM) -> tuple[int, float]:
    """Exit code and seconds."""
    begun = time.monotonic()
    code = await asyncio.to_thread(daemon.stop, number)
    return code, time.monotonic() - begun


@pytest.mark.long
@pytest.mark.parametrize("prompt", ["[[stall]]", "[[slow 1000 10]]", POLITE, STUBBORN])
async def test_a_turn_is_seen_to_end_as_interrupted_and_the_daemon_is_gone_in_time(
    own: Daemon, folder: Path, prompt: str
) -> None:
    session = await own.new_session(folder)
    async with own.socket() as socket:
        events = await socket.open("$events")
        follow = await started(own, socket, session, folder, prompt)
        code, seconds = await stop(own)
        assert code == 0
        assert seconds < BOUND_S
        end = await follow.until(ENDED)
        assert end["event"]["data"]["reason"] == {"kind": "interrupted"}
        assert (await follow.frame())["type"] == "end"
        await socket.connection.wait_closed()
        assert socket.connection.close_code == 1001
        assert (await events.item())["type"] == "ready"
    own.start()
    log = await own.log(session)
    # Behind the end may stand what the next start found changed in files.
    ends = [event["data"] for event in log if event["type"] == "turn/end"]
    assert [end["reason"] for end in ends] == [{"kind": "interrupted"}]
    calls = [event for event in log if event["type"] == "tool/call"]
    results = [event for event in log if event["type"] == "tool/result"]
    assert len(calls) == len(results)
    assert not [p for p in psutil.process_iter(["cmdline"]) if "sleep 600" in " ".join(p.info["cmdline"] or [])]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
async def test_every_polite_signal_ends_it_in_peace(own: Daemon, number: signal.Signals) -> None:
    code, seconds = await stop(own, number)
    assert (code, seconds < BOUND_S) == (0, True)
    assert not (own.home / "run" / "daemon.json").exists()
    assert not (own.home / "run" / "secret").exists()
    assert "Traceback" not in own.log_text()


async def test_what_waits_for_a_person_does_not_hold_up_the_end(own: Daemon, folder: Path) -> None:
    (folder / "a.txt").write_text("precious")
    session = await own.new_session(folder)
    async with own.socket() as socket:
        events = await socket.open("$events")
        follow = await socket.follow(session)
        await own.prompt(session, '[[tool delete_file {"path":"a.txt"}]]')
        await events.until(lambda item: item["type"] == "waterfall")
        code, seconds = await stop(own)
        assert (code, seconds < BOUND_S) == (0, True)
        await follow.until(is_event("approval/decided"))
        await follow.until(ENDED)
    assert (folder / "a.txt").exists()


async def test_clients_that_do_not_read_do_not_hold_up_the_end(own: Daemon, folder: Path) -> None:
    session = await own.new_session(folder)
    request = {"address": {"kind": "session", "sessionId": session}, "assistantStream": True}
    opening = {"type": "open", "streamId": "f", "endpoint": "session/follow", "payload": {"args": {"request": request}}}
    with closing(open_socket(own)) as deaf:
        deaf.sendall(frame(msgspec.json.encode(opening)))
        async with own.socket() as socket:
            follow = await socket.follow(session)
            for _ in range(3):
                await own.prompt(session, "[[burst 20000]]")
                await follow.until(ENDED)
            code, seconds = await stop(own)
    assert (code, seconds < BOUND_S) == (0, True)


async def test_a_call_that_is_being_answered_does_not_hold_up_the_end(own: Daemon) -> None:
    """A body that never comes to its end."""
    with closing(connect(own)) as waiting:
        headers = head(own, "Content-Type: application/json", "Content-Length: 1000")
        waiting.sendall(f"POST /api/session/list HTTP/1.1\r\n{headers}\r\n{{".encode())
        own.http("GET", "/health")
        code, seconds = await stop(own)
    assert (code, seconds < BOUND_S) == (0, True)


async def test_prompts_that_wait_are_there_after_the_end(own: Daemon, folder: Path) -> None:
    session = await own.new_session(folder)
    async with own.socket() as socket:
        await started(own, socket, session, folder, "[[stall]]")
        await own.prompt(session, "[[fast]] later")
        await stop(own)
    own.start()
    inbox = own.call("session/projections", request={"sessionId": session})["values"]["inbox"]
    assert [item["content"][0]["text"] for item in inbox["next-turn"]] == ["[[fast]] later"]


async def test_work_that_comes_while_it_ends_is_refused_not_lost(own: Daemon, folder: Path) -> None:
    """Every prompt that was accepted is in the log afterwards, however close to the end it came."""
    session = await own.new_session(folder)
    async with own.socket() as socket:
        await started(own, socket, session, folder, STUBBORN)
        stopping = asyncio.create_task(stop(own))
        accepted: list[str] = []
        with contextlib.suppress(OSError, AssertionError):
            while True:
                name = f"prompt {len(accepted)}"
                await own.prompt(session, name)
                accepted.append(name)
        code, seconds = await stopping
    assert (code, seconds < BOUND_S) == (0, True)
    own.start()
    log = await own.log(session)
    taken: list[Any] = [m for e in log if e["type"] == "agent/inbox/spliced" for m in e["data"]["inserted"]]
    assert [m["content"][0]["text"] for m in taken][1:] == accepted


async def test_no_secret_is_in_the_log_after_all_that(own: Daemon, folder: Path) -> None:
    session = await own.new_session(folder)
    async with own.socket() as socket:
        follow = await socket.follow(session)
        await own.prompt(session, f"[[err 401]] {KEY}")
        await follow.until(ENDED)
    for path in (f"/?token={own.token}", f"/nope?token={own.token}", f"/api/x?key={KEY}"):
        own.http("GET", path, headers={"Cookie": own.cookie, "Referer": f"http://x/?token={own.token}"})
    secret = (own.home / "run" / "secret").read_text()
    cookie = own.cookie.partition("=")[2]
    await stop(own)
    for file in (own.home / "logs").iterdir():
        text = file.read_text()
        for hidden in (KEY, own.token, cookie, secret):
            assert hidden not in text
