"""`workspaceFiles/*`: what a client sees of a session's folder, and what it never sees."""

import base64
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.daemon import Daemon

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("workspaceFiles/list", {}),
    ("workspaceFiles/stat", {}),
    ("workspaceFiles/read", {"range": {}}),
    ("workspaceFiles/readBytes", {"options": {}}),
)
SECRET = "the secret value"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    place = tmp_path / "outside"
    place.mkdir()
    (place / "file").write_text(SECRET)
    return place


@pytest.fixture
def filled(folder: Path, outside: Path) -> Path:
    (folder / "text").write_bytes("alpha\r\nβeta\r\ngamma\r\n".encode())
    (folder / "binary").write_bytes(bytes(range(256)) * 20)
    (folder / ".env").write_text(SECRET)
    (folder / ".git").mkdir()
    (folder / "below" / ".ssh").mkdir(parents=True)
    (folder / "below" / ".ssh" / "id").write_text(SECRET)
    (folder / "inner").symlink_to("text")
    (folder / "to-secret").symlink_to(".env")
    (folder / "to-outside").symlink_to(outside)
    (folder / "to-file").symlink_to(outside / "file")
    os.mkfifo(folder / "pipe")
    return folder


def call(daemon: Daemon, endpoint: str, session: str, path: str, **more: Any) -> Any:
    return daemon.call(f"workspaceFiles/{endpoint}", workspaceFileScopeId=session, path=path, **more)


def test_a_folder_is_listed(shared: Daemon, session: str, filled: Path) -> None:
    found = call(shared, "list", session, ".")
    assert found == call(shared, "list", session, "") == call(shared, "list", session, str(filled))
    assert found == {
        "path": "",
        "entries": [
            {"name": "below", "type": "directory"},
            {"name": "binary", "type": "file", "size": 5120},
            {"name": "inner", "type": "file"},
            {"name": "pipe", "type": "other"},
            {"name": "text", "type": "file", "size": 21},
            {"name": "to-file", "type": "other"},
            {"name": "to-outside", "type": "other"},
        ],
        "truncated": False,
    }
    assert call(shared, "list", session, "below/") == {"path": "below", "entries": [], "truncated": False}


def test_a_text_is_read_by_lines(shared: Daemon, session: str, filled: Path) -> None:
    found = call(shared, "read", session, "text", range={})
    stat = call(shared, "stat", session, "text")
    assert stat == {"absolutePath": str(filled / "text"), "version": found["version"], "bytes": 21}
    assert found == {**stat, "offset": 1, "text": "alpha\nβeta\ngamma", "lines": 3, "eof": True}
    part = call(shared, "read", session, "inner", range={"offset": 2, "limit": 1})
    assert (part["absolutePath"], part["offset"], part["text"], part["eof"]) == (stat["absolutePath"], 2, "βeta", False)
    behind = call(shared, "read", session, "text", range={"offset": 9})
    assert (behind["text"], behind["lines"], behind["eof"]) == ("", 0, True)


def test_bytes_are_read_by_ranges(shared: Daemon, session: str, filled: Path) -> None:
    raw = (filled / "binary").read_bytes()
    for more in ({}, {"options": {}}, {"range": {}}):
        whole = call(shared, "readBytes", session, "binary", **more)
        assert (base64.b64decode(whole["data"]), whole["eof"], whole["bytes"]) == (raw, True, 5120)
    part = call(shared, "readBytes", session, "binary", options={"range": {"offset": 10, "length": 5}})
    assert (base64.b64decode(part["data"]), part["offset"], part["eof"]) == (raw[10:15], 10, False)
    old = call(shared, "readBytes", session, "binary", range={"offset": 5118, "length": 50})
    assert (base64.b64decode(old["data"]), old["eof"]) == (raw[-2:], True)
    beside = call(shared, "readBytes", session, "../text", options={"baseFile": "below/page.html"})
    assert base64.b64decode(beside["data"]) == (filled / "text").read_bytes()


def test_a_version_changes_with_the_file(shared: Daemon, session: str, filled: Path) -> None:
    before = call(shared, "stat", session, "text")
    (filled / "text").write_text("other")
    after = call(shared, "stat", session, "text")
    assert after["version"] != before["version"]
    assert "bytes" not in call(shared, "stat", session, ".")


@pytest.mark.parametrize(("endpoint", "more"), CALLS)
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("..", "outside-workspace"),
        ("../outside/file", "outside-workspace"),
        ("/etc/passwd", "outside-workspace"),
        ("~/x", "outside-workspace"),
        ("to-outside", "outside-workspace"),
        ("to-outside/file", "outside-workspace"),
        ("to-file", "outside-workspace"),
        ("a\0b", "outside-workspace"),
        (".env", "secret"),
        ("to-secret", "secret"),
        ("below/.ssh", "secret"),
        ("below/.ssh/id", "secret"),
    ],
)
def test_what_is_forbidden_is_refused_everywhere(
    shared: Daemon, session: str, filled: Path, endpoint: str, more: dict[str, Any], path: str, code: str
) -> None:
    result = shared.result(endpoint, workspaceFileScopeId=session, path=path, **more)
    assert (result["error"]["code"], result["error"]["details"]) == (f"workspace-file/{code}", {"path": path})
    assert SECRET not in str(result)


@pytest.mark.parametrize("base", ["../x", "/etc/passwd", ".ssh/x", "below/.ssh/x"])
def test_no_base_leads_out(shared: Daemon, session: str, filled: Path, base: str) -> None:
    options = {"baseFile": base}
    result = shared.result(
        "workspaceFiles/readBytes", workspaceFileScopeId=session, path="outside/file", options=options
    )
    assert result["error"]["code"] in ("workspace-file/outside-workspace", "workspace-file/secret")


def test_the_daemons_own_home_is_refused(shared: Daemon) -> None:
    session = shared.call("session/create", request={"cwd": str(shared.home.parent)})["sessionId"]
    for endpoint, more in CALLS:
        result = shared.result(endpoint, workspaceFileScopeId=session, path="home/store/hd.db", **more)
        assert result["error"]["code"] == "workspace-file/secret"
    assert "home" not in str(call(shared, "list", session, ".")["entries"])


@pytest.mark.parametrize(
    ("endpoint", "path", "more", "code"),
    [
        ("list", "text", {}, "not-directory"),
        ("list", "gone", {}, "not-found"),
        ("stat", "gone", {}, "not-found"),
        ("read", "gone", {"range": {}}, "not-found"),
        ("read", "below", {"range": {}}, "not-regular-file"),
        ("read", ".", {"range": {}}, "not-regular-file"),
        ("read", "pipe", {"range": {}}, "not-regular-file"),
        ("read", "binary", {"range": {}}, "not-text"),
        ("readBytes", "pipe", {"options": {}}, "not-regular-file"),
        ("readBytes", "below", {"options": {}}, "not-regular-file"),
    ],
)
def test_what_cannot_be_read_says_why(
    shared: Daemon, session: str, filled: Path, endpoint: str, path: str, more: dict[str, Any], code: str
) -> None:
    result = shared.result(f"workspaceFiles/{endpoint}", workspaceFileScopeId=session, path=path, **more)
    assert result["error"]["code"] == f"workspace-file/{code}"


def test_there_is_no_folder_without_a_session(shared: Daemon) -> None:
    for endpoint, more in CALLS:
        result = shared.result(endpoint, workspaceFileScopeId="none", path=".", **more)
        assert result["error"]["code"] == "session/not-found"


async def test_changes_in_a_folder_are_told(shared: Daemon, session: str, filled: Path) -> None:
    async with shared.socket() as socket:
        watched = await socket.open("workspaceFiles/changes", workspaceFileScopeId=session, path=".")
        old = await socket.open("workspaceFiles/changes", workspaceFileScopeId=session)
        for stream in (watched, old):
            assert await stream.item() == {"kind": "ready"}
        (filled / "new").write_text("x")
        (filled / ".env").write_text("y")
        for stream in (watched, old):
            change = (await stream.item())["change"]
            version = shared.call("workspaceFiles/stat", workspaceFileScopeId=session, path="new")["version"]
            assert change == {"absolutePath": str(filled / "new"), "version": version}
        (filled / "new").unlink()
        change = {"absolutePath": str(filled / "new"), "absent": True}
        assert await watched.item() == {"kind": "change", "change": change}


async def test_a_file_that_comes_and_goes_is_told(shared: Daemon, session: str, folder: Path) -> None:
    async with shared.socket() as socket:
        watched = await socket.open("workspaceFiles/changes", workspaceFileScopeId=session, path="a/later")
        assert await watched.item() == {"kind": "ready"}
        (folder / "a").mkdir()
        (folder / "a" / "later").write_text("x")
        assert (await watched.item())["change"]["absolutePath"] == str(folder / "a" / "later")


@pytest.mark.parametrize("path", ["..", ".env", "to-secret", "to-outside"])
async def test_nothing_forbidden_is_watched(shared: Daemon, session: str, filled: Path, path: str) -> None:
    async with shared.socket() as socket:
        watched = await socket.open("workspaceFiles/changes", workspaceFileScopeId=session, path=path)
        frame = await watched.frame()
        assert frame["type"] == "error"
        assert frame["error"]["code"] in ("workspace-file/outside-workspace", "workspace-file/secret")
