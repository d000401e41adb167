"""kill -9 at bad moments: nothing accepted is lost, nothing runs twice, and the session goes on."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Never

import msgspec
import psutil
import pytest

from tests.house.inside import inside
from tests.house.test_turns import ENDED, kinds, of
from tests.support.daemon import LIMIT, Daemon, is_event
from tests.support.mock_model import Call, MockModel, Reply


def lives(pid: int) -> bool:
    """A zombie that nobody reaps counts as ended."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def kept_answers(home: Path) -> int:
    """How many partial answers the store holds, seen from outside."""
    with closing(sqlite3.connect(f"file:{home}/store/hd.db?mode=ro", uri=True)) as store:
        return int(store.execute("SELECT count(*) FROM partial").fetchone()[0])


def says(item: dict[str, Any], text: str) -> bool:
    """Whether the item is a delta with this text."""
    return item["type"] == "assistant-stream" and text in str((item["frame"].get("chunk") or {}).get("text"))


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(LIMIT):
        while not condition():
            await asyncio.sleep(0)


async def test_killed_in_the_middle_of_an_answer(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    """What was kept of the answer is in the log after the restart, and the next request still extends the first."""
    words = [f"word{n} " for n in range(1000)]
    mock.add(Reply(text=words, delay_s=0.02))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "talk")
        await follow.until(lambda item: says(item, "word1 "))
        await until(lambda: kept_answers(daemon.home) == 1)
    daemon.kill()
    daemon.start()
    log = await daemon.log(session)
    (message,) = of(log, "assistant/message")
    text = message["message"]["content"][0]["text"]
    assert message["interrupted"] is True
    assert "".join(words).startswith(text)
    assert "word9 " in text
    assert of(log, "turn/end") == [{"turn": 1, "reason": {"kind": "interrupted"}}]
    assert kept_answers(daemon.home) == 0
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "go on")
        await follow.until(ENDED)
    first, second = (request.lasting for request in mock.requests)
    assert second.startswith(first)
    assert mock.requests[1].parsed["messages"][-2]["content"] == text


async def test_i11_killed_in_the_middle_of_a_command(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    """The call is closed as interrupted, its process is ended at the next start, and it is not run again."""
    mock.add(Reply(calls=[Call("run_command", {"command": "echo ran >> count; echo $$ > pid; sleep 300"})]))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "run it")
        await daemon.prompt(session, "and then", request_id="queued")
        await follow.until(is_event("tool/call"))
        await until(lambda: (folder / "pid").exists() and bool((folder / "pid").read_text().strip()))
    pid = int((folder / "pid").read_text())
    daemon.kill()
    assert lives(pid)
    daemon.start()
    assert not lives(pid)
    log = await daemon.log(session)
    (result,) = of(log, "tool/result")
    assert result["error"]["code"] == "ABORTED"
    assert "whether it took effect is unknown" in result["message"]["content"][0]["text"]
    assert of(log, "turn/end")[-1]["reason"] == {"kind": "interrupted"}
    listed = (await daemon.acall("session/list", _request={}))["items"][0]
    assert listed["running"] is False
    assert [m["source"]["rpcId"] for m in listed["projections"]["values"]["inbox"]["next-turn"]] == ["queued"]
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "and then", request_id="queued")
        await daemon.prompt(session, "last")
        await follow.until(ENDED)
        await follow.until(ENDED)
    assert (folder / "count").read_text() == "ran\n"
    assert kinds(await daemon.log(session)).count("tool/call") == 1


async def test_stopped_in_the_middle_of_a_turn(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    """A regular stop closes the turn where followers can see it."""
    mock.add(Reply(text="one two three", gates={2: asyncio.Event()}))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "talk")
        await follow.until(lambda item: says(item, "two"))
        stopping = asyncio.create_task(asyncio.to_thread(daemon.stop))
        ended = await follow.until(ENDED)
        assert ended["event"]["data"]["reason"] == {"kind": "interrupted"}
        assert await stopping == 0
    daemon.start()
    log = await daemon.log(session)
    assert of(log, "assistant/message")[0]["message"]["content"][0]["text"] == "one two "
    assert kinds(log)[-1] == "turn/end"


async def test_a_login_outlives_the_daemon(daemon: Daemon, folder: Path) -> None:
    await daemon.new_session(folder)
    cookie, port = daemon.cookie, daemon.port
    daemon.kill()
    daemon.start(port=port)
    daemon.cookie = cookie
    assert len((await daemon.acall("session/list", _request={}))["items"]) == 1


async def test_a_session_whose_daemon_died_before_its_first_event_works(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await daemon.new_session(folder)
    daemon.kill()
    with closing(sqlite3.connect(daemon.home / "store" / "hd.db")) as store, store:
        store.execute("DELETE FROM event")
        store.execute("DELETE FROM projection")
    daemon.start()
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "hello")
        await follow.until(ENDED)
    log = await daemon.log(session)
    assert kinds(log)[:3] == ["permission/preset", "sandbox/mode", "approval/policy"]
    assert of(log, "turn/end") == [{"turn": 1, "reason": {"kind": "completed"}}]


async def test_a_preset_that_nobody_knows_counts_as_the_one_that_asks_for_everything(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await daemon.new_session(folder)
    daemon.stop()
    with closing(sqlite3.connect(daemon.home / "store" / "hd.db")) as store, store:
        store.execute("UPDATE event SET body = replace(body, 'workspace-write', 'of-tomorrow')")
    daemon.start()
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "hello")
        ended = await follow.until(ENDED)
    assert ended["event"]["data"]["reason"] == {"kind": "completed"}
    values = (await daemon.acall("session/projections", request={"sessionId": session}))["values"]
    assert values["permissions"]["currentValue"] == "read-only"


async def test_a_turn_that_cannot_begin_ends_where_everybody_sees_it(
    tmp_path: Path, mock: MockModel, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> Never:
        raise RuntimeError("nobody expected this")

    monkeypatch.setattr("hd.agent.request.context_message", broken)
    async with inside(tmp_path, mock, folder) as house:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(house.turn_ends())
            await house.prompt("hello", "first")
        log = [msgspec.json.decode(body) for body in await house.store.events(house.session.id)]
    assert of(log, "turn/end")[0]["reason"]["kind"] == "error"
    assert house.session.view("inbox") == {"next-turn": [], "next-step": []}
