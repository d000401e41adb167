"""What changes while something runs on beside the agent: listed at the end of the turn, undone only by name."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from tests.house.test_command_outputs import command, turn
from tests.house.test_commands import value
from tests.house.test_terminals import kill, terminal
from tests.house.test_turns import ENDED, of
from tests.house.test_undo import said, session_in
from tests.process.conftest import until
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply

COPIER = "echo 'ready on port 1'; while read -r line < wish; do echo \"$line\" > made.txt; echo > done; done"
"""A terminal that writes what it is told by a pipe, and says by another when it has."""


@pytest.fixture
async def session(daemon: Daemon, folder: Path) -> str:
    return await session_in(daemon, folder)


def wish(folder: Path, text: str) -> None:
    """Has the terminal write, and waits until it has."""
    with (folder / "wish").open("w") as pipe:
        pipe.write(f"{text}\n")
    (folder / "done").read_text()


def edit(text: str) -> Reply:
    return Reply(calls=[Call("write_file", {"path": "agent.txt", "content": text})])


async def rows(daemon: Daemon, session: str, number: int) -> dict[str, dict[str, Any]]:
    turns = {turn["turn"]: turn for turn in await value(daemon, session, "changes")}
    return {row["path"]: row for row in turns[number]["files"]}


async def test_x7_what_changes_beside_the_agent_is_listed_and_only_undone_by_name(
    daemon: Daemon, mock: MockModel, session: str, folder: Path
) -> None:
    (folder / ".gitignore").write_text("wish\ndone\n")
    (folder / "made.txt").write_text("as it was\n")
    for name in ("wish", "done"):
        os.mkfifo(folder / name)
    await turn(daemon, mock, session, terminal(COPIER))
    # Between two turns nothing is listed; in a turn it is, whoever of the two made it.
    await asyncio.to_thread(wish, folder, "between")
    gate = asyncio.Event()
    asked = len(mock.requests)
    mock.add(edit("1\n"), Reply(text="done", gates={0: gate}))
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "work")
        await mock.until(lambda: len(mock.requests) == asked + 2)
        await asyncio.to_thread(wish, folder, "by the terminal")
        (folder / "mine.txt").write_text("by hand\n")
        gate.set()
        await follow.until(ENDED)
    found = await rows(daemon, session, 2)
    assert {path: row.get("beside") for path, row in found.items()} == {
        "agent.txt": None,
        "made.txt": "#1",
        "mine.txt": "#1",
    }
    assert "M made.txt (+1 −1) [beside the agent, while #1 ran on]" in await said(daemon, session, "/changes 2")
    undone = await daemon.acall("undo/undo", request={"sessionId": session})
    assert (undone["files"], undone["refused"], sorted(undone["beside"])) == (
        ["agent.txt"],
        [],
        ["made.txt", "mine.txt"],
    )
    assert (folder / "mine.txt").read_text() == "by hand\n"
    text = await said(daemon, session, "/undo 2")
    assert "file by file" in text
    assert "Undone: 1 file" in await said(daemon, session, "/undo 2 made.txt")
    assert (folder / "made.txt").read_text() == "between\n"
    assert "Done again: 1 file" in await said(daemon, session, "/redo 2 made.txt")
    assert (folder / "made.txt").read_text() == "by the terminal\n"
    assert (folder / "mine.txt").exists()
    await turn(daemon, mock, session, kill())


async def test_x7_what_a_left_process_writes_after_its_command_is_listed_beside_it(
    daemon: Daemon, mock: MockModel, session: str, folder: Path
) -> None:
    line = "echo 1 > own.txt; (until [ -e go ]; do sleep 0.01; done; echo 2 > own.txt; echo 3 > late.txt) & true"
    asked = len(mock.requests)
    gate = asyncio.Event()
    mock.add(command(line), Reply(text="done", gates={0: gate}))
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "work")
        await mock.until(lambda: len(mock.requests) == asked + 2)
        (folder / "go").touch()
        await until(lambda: (folder / "late.txt").exists() and (folder / "late.txt").read_text() == "3\n")
        gate.set()
        await follow.until(ENDED)
    assert {path: row.get("beside") for path, row in (await rows(daemon, session, 1)).items()} == {
        "own.txt": "#1",
        "late.txt": "#1",
        "go": "#1",
    }
    undone = await daemon.acall("undo/undo", request={"sessionId": session, "paths": ["late.txt", "own.txt"]})
    assert sorted(undone["files"]) == ["late.txt", "own.txt"]
    assert sorted(path.name for path in folder.iterdir()) == ["go"]
    (changed, *_) = [fact for fact in of(await daemon.log(session), "undo/changed") if fact.get("by") == "beside"]
    assert changed["during"] == "#1"
