"""Undo of what the agent changed: by its tools, by commands, with and without git, and after a kill (H10, X7)."""

import asyncio
import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from tests.house.test_commands import execute, value
from tests.house.test_turns import ENDED, kinds, of
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply

AGENT = [
    Call("edit_file", {"path": "tracked.py", "old_string": "one", "new_string": "ONE"}),
    Call("write_file", {"path": "new/deep/made.txt", "content": "made\n"}),
    Call("delete_file", {"path": "doomed.txt"}),
]


def snapshot(folder: Path) -> dict[str, tuple[str, int, bytes]]:
    """Everything below a folder but git's own: kind, mode, content or target."""
    found: dict[str, tuple[str, int, bytes]] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name == ".git" or name.startswith(".git/"):
            continue
        mode = path.lstat().st_mode & 0o7777
        if path.is_symlink():
            found[name] = ("link", 0, os.readlink(os.fsencode(path)))
        else:
            found[name] = ("folder", mode, b"") if path.is_dir() else ("file", mode, path.read_bytes())
    return found


def git(folder: Path, *arguments: str) -> bytes:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout


async def session_in(daemon: Daemon, folder: Path) -> str:
    """A session that asks about nothing."""
    session = await daemon.new_session(folder)
    await execute(daemon, session, "/permission danger-full-access")
    return session


async def turn(daemon: Daemon, mock: MockModel, session: str, *calls: Call) -> None:
    mock.add(Reply(calls=list(calls)), Reply(text="done"))
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "work")
        await follow.until(ENDED)


async def said(daemon: Daemon, session: str, line: str) -> str:
    return str((await execute(daemon, session, line))["result"]["text"])


@pytest.mark.parametrize("with_git", [True, False])
async def test_l14_a_turn_is_undone_and_what_the_user_did_stays(
    daemon: Daemon, mock: MockModel, folder: Path, with_git: bool
) -> None:
    (folder / "tracked.py").write_bytes(b"one\r\ntwo\r\n")
    (folder / "doomed.txt").write_bytes(b"\x00\xff binary\n".replace(b"\x00", b"\x01"))
    (folder / "tool.sh").write_text("echo old\n")
    (folder / "tool.sh").chmod(0o755)
    (folder / "users.txt").write_text("the user's\n")
    if with_git:
        git(folder, "init", "-q")
        git(folder, "add", ".")
        git(folder, "commit", "-qm", "first")
        (folder / "users.txt").write_text("staged\n")
        (folder / "tracked.py").write_bytes(b"one\r\ntwo\r\nstaged\r\n")
        git(folder, "add", ".")
    index = (folder / ".git" / "index").read_bytes() if with_git else b""
    staged = git(folder, "diff", "--cached") if with_git else b""
    before = snapshot(folder)
    session = await session_in(daemon, folder)
    gate = asyncio.Event()
    mock.add(
        Reply(calls=AGENT),
        Reply(
            text="now the command",
            calls=[Call("run_command", {"command": "sed -i s/old/new/ tool.sh"})],
            gates={1: gate},
        ),
        Reply(text="done"),
    )
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "work")
        await mock.until(lambda: len(mock.requests) == 2)
        (folder / "users.txt").write_text("edited by the user meanwhile\n")
        gate.set()
        await follow.until(ENDED)
    assert (folder / "tool.sh").read_text() == "echo new\n"
    after = snapshot(folder)
    (turns,) = (await daemon.acall("undo/changes", request={"sessionId": session}))["turns"]
    assert {row["path"]: row["what"] for row in turns["files"]} == {
        "tracked.py": "changed",
        "new": "created",
        "new/deep": "created",
        "new/deep/made.txt": "created",
        "doomed.txt": "deleted",
        "tool.sh": "changed",
    }
    by = {row["path"]: row["by"] for row in turns["files"]}
    assert (by["tool.sh"], by["tracked.py"], by["doomed.txt"]) == ("command", "tool", "tool")
    assert turns["uncovered"] == []
    undone = await daemon.acall("undo/undo", request={"sessionId": session})
    assert (undone["turn"], undone["refused"], len(undone["files"])) == (1, [], 6)
    expected = {**before, "users.txt": after["users.txt"]}
    assert snapshot(folder) == expected
    assert "Done again: 6 files" in await said(daemon, session, "/redo")
    assert snapshot(folder) == after
    await execute(daemon, session, "/undo")
    assert snapshot(folder) == expected
    if with_git:
        assert (folder / ".git" / "index").read_bytes() == index
        assert git(folder, "diff", "--cached") == staged


async def test_l14_a_file_that_the_user_changed_since_is_refused_alone(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / "tracked.py").write_text("one\n")
    (folder / "doomed.txt").write_text("precious\n")
    session = await session_in(daemon, folder)
    await turn(daemon, mock, session, *AGENT)
    (folder / "tracked.py").write_text("ONE\nand mine\n")
    (folder / "new" / "mine.txt").write_text("mine\n")
    undone = await daemon.acall("undo/undo", request={"sessionId": session, "turn": 1})
    refused = {row["path"]: row for row in undone["refused"]}
    assert set(refused) == {"tracked.py", "new"}
    assert "+and mine" in refused["tracked.py"]["difference"]
    assert "-ONE" not in refused["tracked.py"]["difference"]
    assert (folder / "tracked.py").read_text() == "ONE\nand mine\n"
    assert (folder / "doomed.txt").read_text() == "precious\n"
    assert [path.name for path in (folder / "new").iterdir()] == ["mine.txt"]
    rows = {row["path"]: row for row in (await value(daemon, session, "changes"))[0]["files"]}
    assert rows["tracked.py"]["status"] == "applied"
    assert "changed since" in rows["tracked.py"]["refused"]
    assert rows["doomed.txt"]["status"] == "undone"
    # Once the person put their own work aside, the same undo goes through.
    (folder / "tracked.py").write_text("ONE\n")
    assert "Undone: 1 file" in await said(daemon, session, "/undo tracked.py")
    assert (folder / "tracked.py").read_text() == "one\n"


async def test_the_model_is_told_what_was_undone_and_has_to_read_it_again(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / "a.txt").write_text("one\n")
    session = await session_in(daemon, folder)
    await turn(daemon, mock, session, Call("read_file", {"path": "a.txt"}))
    await turn(daemon, mock, session, Call("write_file", {"path": "a.txt", "content": "two\n"}))
    await execute(daemon, session, "/undo")
    await turn(daemon, mock, session, Call("write_file", {"path": "a.txt", "content": "three\n"}))
    told = [m["content"] for m in mock.requests[-1].parsed["messages"] if "Undone by the person" in str(m["content"])]
    assert len(told) == 1
    assert "turn 2: a.txt" in told[0]
    result = of(await daemon.log(session), "tool/result")[-1]
    assert result["error"]["code"] == "FS_STALE"
    assert (folder / "a.txt").read_text() == "one\n"


async def test_undo_waits_for_no_running_turn_and_says_so(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    session = await session_in(daemon, folder)
    await turn(daemon, mock, session, Call("write_file", {"path": "a.txt", "content": "one\n"}))
    gate = asyncio.Event()
    mock.add(Reply(text="slow", gates={0: gate}))
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "work")
        await mock.until(lambda: len(mock.requests) == 3)
        refused = daemon.result("undo/undo", request={"sessionId": session})["error"]
        assert refused["code"] == "session/agent-busy"
        assert "end of the turn" in refused["message"]
        assert "at work" in await said(daemon, session, "/undo")
        gate.set()
        await follow.until(ENDED)
    assert (folder / "a.txt").exists()


async def test_all_that_a_command_can_do_to_a_tree_is_undone_byte_for_byte(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / "d" / "sub").mkdir(parents=True)
    (folder / "d" / "sub" / "crlf.txt").write_bytes(b"a\r\nb\rc\n")
    (folder / "d" / "bin").write_bytes(bytes(range(256)))
    (folder / "d" / "empty").touch()
    (folder / "d" / "run").write_text("#!/bin/sh\n")
    (folder / "d" / "run").chmod(0o755)
    (folder / "d" / "sub").chmod(0o700)
    (folder / "hollow").mkdir()
    (folder / "link").symlink_to("d/bin")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "will-move").write_text("moved\n")
    (folder / "becomes-folder").write_text("file\n")
    (folder / "becomes-file").mkdir()
    (folder / "becomes-file" / "inner").write_text("inner\n")
    before = snapshot(folder)
    script = (
        "rm -r d/sub hollow becomes-folder becomes-file; chmod 600 d/run; : > d/bin; rm d/empty; ln -sfn other link;"
        "rm dangling; echo file > dangling; mkdir -p moved/to; mv will-move moved/to/here; touch fresh-empty;"
        "mkdir becomes-folder; echo x > becomes-folder/x; echo y > becomes-file; ln -s a new-link"
    )
    session = await session_in(daemon, folder)
    await turn(daemon, mock, session, Call("run_command", {"command": script}))
    after = snapshot(folder)
    text = await said(daemon, session, "/changes")
    assert "R moved/to/here from will-move" in text
    undone = await daemon.acall("undo/undo", request={"sessionId": session})
    assert undone["refused"] == []
    assert snapshot(folder) == before
    redone = await daemon.acall("undo/redo", request={"sessionId": session})
    assert redone["refused"] == []
    assert snapshot(folder) == after


async def test_files_are_undone_and_accepted_one_by_one(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    session = await session_in(daemon, folder)
    await turn(
        daemon,
        mock,
        session,
        *(Call("write_file", {"path": name, "content": f"{name}\n"}) for name in ("a b.txt", "c.txt", "d.txt")),
        Call("rename_file", {"path": "d.txt", "new_path": "e.txt"}),
    )
    assert "Undone: 1 file of turn 1" in await said(daemon, session, "/undo 1 a b.txt")
    assert not (folder / "a b.txt").exists()
    accepted = await daemon.acall("undo/accept", request={"sessionId": session, "paths": ["c.txt"]})
    assert accepted == {"turn": 1, "files": ["c.txt"]}
    text = await said(daemon, session, "/undo")
    assert "c.txt" in text.splitlines()[-1]
    assert sorted(path.name for path in folder.iterdir()) == ["c.txt"]
    assert (await daemon.acall("undo/difference", request={"sessionId": session, "turn": 1, "path": "c.txt"}))[
        "difference"
    ].endswith("+c.txt\n")
    states = {row["path"]: row["status"] for row in (await value(daemon, session, "changes"))[0]["files"]}
    assert states == {"a b.txt": "undone", "c.txt": "accepted", "e.txt": "undone"}
    assert "nothing" in await said(daemon, session, "/undo")
    assert "nothing" in await said(daemon, session, "/undo 7")
    assert daemon.result("undo/undo", request={"sessionId": session})["error"]["code"] == "undo/nothing"
    await said(daemon, session, "/redo 1 a b.txt")
    assert (folder / "a b.txt").read_text() == "a b.txt\n"


async def test_an_edit_of_the_user_between_two_of_the_agent_is_not_lost(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / "a.txt").write_text("one\ntwo\n")
    session = await session_in(daemon, folder)
    gate = asyncio.Event()
    edits = [
        Call("edit_file", {"path": "a.txt", "old_string": old, "new_string": new})
        for old, new in (("one", "1"), ("two", "2"))
    ]
    mock.add(Reply(calls=[edits[0]]), Reply(text="and", calls=[edits[1]], gates={1: gate}), Reply(text="done"))
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "work")
        await mock.until(lambda: len(mock.requests) == 2)
        (folder / "a.txt").write_text("1\ntwo\nmine\n")
        gate.set()
        await follow.until(ENDED)
    undone = await daemon.acall("undo/undo", request={"sessionId": session})
    (refused,) = undone["refused"]
    assert "+mine" in refused["difference"]
    assert (folder / "a.txt").read_text() == "1\n2\nmine\n"


async def test_a_command_that_was_stopped_has_its_changes_recorded(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await session_in(daemon, folder)
    mock.add(Reply(calls=[Call("run_command", {"command": "echo half > half.txt; echo on; sleep 300"})]))
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "work")
        async with asyncio.timeout(20):
            while not (folder / "half.txt").exists():
                await asyncio.sleep(0)
        await daemon.acall("session/cancel", request={"sessionId": session})
        await follow.until(ENDED)
    assert "A half.txt (+1 −0)" in await said(daemon, session, "/changes")
    await execute(daemon, session, "/undo")
    assert not (folder / "half.txt").exists()


async def test_what_is_kept_is_closed_to_others_and_holds_no_secret(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / ".env").write_text("TOKEN=very-secret\n")
    (folder / "a.txt").write_text("one\n")
    session = await session_in(daemon, folder)
    await turn(daemon, mock, session, Call("run_command", {"command": "echo x >> .env; echo two > a.txt"}))
    kept = daemon.home / "undo"
    files = [path for path in kept.rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (kept, *kept.rglob("*")) if path.is_dir()} == {0o700}
    assert {path.name for path in (kept / "blobs").glob("*/*")} == {
        hashlib.sha256(text).hexdigest() for text in (b"one\n", b"two\n")
    }
    assert not any(b"very-secret" in path.read_bytes() for path in files)
    assert [row["path"] for row in (await value(daemon, session, "changes"))[0]["files"]] == ["a.txt"]
    assert kinds(await daemon.log(session)).count("undo/changed") == 1
