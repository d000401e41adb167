"""kill -9 in the middle of a change and of an undo: each file is wholly old or new, and the list of changes is true."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.test_commands import value
from tests.house.test_kills import until
from tests.house.test_undo import said, session_in, turn
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply

DEADLY = """
import os, signal

def deadly(name, when):
    call = getattr(os, name)
    met = 0
    def wrapped(*arguments, **options):
        nonlocal met
        order = os.environ["DEADLY"]
        if os.path.exists(order) and any("/.hd-" in f"/{part}" for part in arguments):
            with open(order) as file:
                moment, number = file.read().split()
            met += moment == when
            if moment == when and met == int(number):
                os.kill(os.getpid(), signal.SIGKILL)
        return call(*arguments, **options)
    setattr(os, name, wrapped)

deadly("link", "before")
deadly("unlink", "after")
"""
"""A start file of the interpreter by which a daemon dies before or after it exchanges a file for one in the making,
once the file `$DEADLY` says so: at the first of them, or a later one."""


@pytest.fixture
def order(tmp_path: Path) -> Path:
    return tmp_path / "order"


@pytest.fixture
def mortal(tmp_path: Path, mock: MockModel, order: Path) -> Iterator[Daemon]:
    start = tmp_path / "start"
    start.mkdir()
    (start / "sitecustomize.py").write_text(DEADLY)
    environment = {
        "DEEPSEEK_API_KEY": "sk-house-test-key",
        "DEEPSEEK_BASE_URL": mock.base_url,
        "PYTHONPATH": str(start),
        "DEADLY": str(order),
    }
    with Daemon(tmp_path / "home", environment=environment) as running:
        yield running


async def dies(daemon: Daemon) -> None:
    process = daemon.process
    assert process is not None
    await until(lambda: process.poll() is not None)
    daemon.kill()


@pytest.mark.long
@pytest.mark.parametrize(("when", "text"), [("before", "one\n"), ("after", "ONE\n")])
async def test_a16_a_kill_at_the_exchange_leaves_a_whole_file_and_a_true_list(
    mortal: Daemon, mock: MockModel, folder: Path, order: Path, when: str, text: str
) -> None:
    (folder / "a.txt").write_text("one\n")
    session = await session_in(mortal, folder)
    order.write_text(f"{when} 1")
    mock.add(Reply(calls=[Call("edit_file", {"path": "a.txt", "old_string": "one", "new_string": "ONE"})]))
    await mortal.prompt(session, "work")
    await dies(mortal)
    order.unlink()
    mortal.start()
    assert (folder / "a.txt").read_text() == text
    assert [path.name for path in folder.iterdir()] == ["a.txt"]
    turns = await value(mortal, session, "changes")
    if when == "before":
        assert turns == []
        assert "nothing" in await said(mortal, session, "/undo")
    else:
        assert [row["path"] for row in turns[0]["files"]] == ["a.txt"]
        assert "Undone: 1 file" in await said(mortal, session, "/undo")
        assert (folder / "a.txt").read_text() == "one\n"


async def test_what_a_user_wrote_while_the_daemon_was_dead_is_never_taken_for_the_agents(
    mortal: Daemon, mock: MockModel, folder: Path, order: Path
) -> None:
    (folder / "a.txt").write_text("one\n")
    session = await session_in(mortal, folder)
    order.write_text("after 1")
    mock.add(Reply(calls=[Call("edit_file", {"path": "a.txt", "old_string": "one", "new_string": "ONE"})]))
    await mortal.prompt(session, "work")
    await dies(mortal)
    order.unlink()
    (folder / "a.txt").write_text("mine\n")
    mortal.start()
    (turns,) = await value(mortal, session, "changes")
    assert turns["files"] == []
    assert "a.txt" in turns["uncovered"][0]
    assert "nothing" in await said(mortal, session, "/undo")
    assert (folder / "a.txt").read_text() == "mine\n"


async def test_a_command_that_was_cut_off_is_told_and_not_guessed(
    mortal: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await session_in(mortal, folder)
    mock.add(Reply(calls=[Call("run_command", {"command": "echo a > a.txt; sleep 300"})]))
    await mortal.prompt(session, "work")
    await until(lambda: (folder / "a.txt").exists())
    mortal.kill()
    mortal.start()
    (turns,) = await value(mortal, session, "changes")
    assert turns["files"] == []
    assert "cut off" in turns["uncovered"][0]


@pytest.mark.long
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_kill_in_the_middle_of_an_undo_leaves_whole_files_and_true_states(
    mortal: Daemon, mock: MockModel, folder: Path, order: Path, when: str
) -> None:
    names = ["a.txt", "b.txt", "c.txt"]
    for name in names:
        (folder / name).write_text("one\n")
    session = await session_in(mortal, folder)
    edits = [Call("edit_file", {"path": name, "old_string": "one", "new_string": "ONE"}) for name in names]
    await turn(mortal, mock, session, *edits)
    order.write_text(f"{when} 2")
    with pytest.raises(OSError):
        await mortal.acall("undo/undo", request={"sessionId": session})
    await dies(mortal)
    order.unlink()
    mortal.start()
    undone = ["a.txt", "b.txt"] if when == "after" else ["a.txt"]
    for name in names:
        assert (folder / name).read_text() == ("one\n" if name in undone else "ONE\n")
    assert sorted(path.name for path in folder.iterdir()) == names
    (turns,) = await value(mortal, session, "changes")
    assert {row["path"]: row["status"] for row in turns["files"]} == {
        name: "undone" if name in undone else "applied" for name in names
    }
    assert f"Undone: {3 - len(undone)} file" in await said(mortal, session, "/undo")
    assert [(folder / name).read_text() for name in names] == ["one\n"] * 3
    assert "Done again: 3 files" in await said(mortal, session, "/redo")
    assert [(folder / name).read_text() for name in names] == ["ONE\n"] * 3
