"""One list of forbidden paths against every endpoint that takes a path; the endpoints are found by their types."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from hd.protocol.endpoints import ENDPOINTS
from tests.files.trees import snapshot
from tests.support.daemon import Daemon
from tests.tools.kinds.test_forbidden_paths import OUTSIDE, SECRET, world

VALUE = "value"
PATH_NAMES = frozenset({"path", "paths", "cwd", "folder", "file", "baseFile", "query"})

Arguments = Callable[[str, str], dict[str, Any]]


def _files(**more: Any) -> Arguments:
    return lambda session, path: {"workspaceFileScopeId": session, "path": path, **more}


def _base(session: str, path: str) -> dict[str, Any]:
    return {"workspaceFileScopeId": session, "path": path, "options": {"baseFile": "deep/x"}}


# Refused, whatever stands there: the workspace is the border.
INSIDE: dict[str, Arguments] = {
    "workspaceFiles/list": _files(),
    "workspaceFiles/read": _files(range={}),
    "workspaceFiles/readBytes": _files(options={}),
    "workspaceFiles/stat": _files(),
}
# Take a path and hold no border against it, and why that is right.
OTHERWISE = {
    "directoryPicker/createDirectory": "names any folder of the machine; the secret ones are refused",
    "directoryPicker/list": "names any folder of the machine; the secret ones are refused",
    "fileReferences/list": "searches names in the workspace; a query is no path",
    "session/create": "opens a folder; what a session may touch is a question of its tools",
    "session/search": "searches the texts of sessions; a query is no path",
    "settings/mutate": "its path is that of a setting",
    "undo/accept": "names changes that are kept, by the file that they are of",
    "undo/difference": "names changes that are kept, by the file that they are of",
    "undo/redo": "names changes that are kept, by the file that they are of",
    "undo/undo": "names changes that are kept, by the file that they are of",
    "workspace/create": "registers a folder; what is in it is a question of its sessions",
    "workspaceFiles/changes": "a stream; held by a test of its own below",
}


def _names(kind: Any) -> Iterator[str]:
    """The names of all fields in an argument's type, however deep."""
    if isinstance(kind, type) and hasattr(kind, "__required_keys__"):
        for name, below in get_type_hints(kind, include_extras=True).items():
            yield name
            yield from _names(below)
    elif get_origin(kind) is not None:
        for below in get_args(kind):
            yield from _names(below)


def _takes_path(params: Any) -> bool:
    return any(name in PATH_NAMES for key, kind in params.items() for name in (key, *_names(kind)))


def test_no_endpoint_that_takes_a_path_is_left_out() -> None:
    taking = {endpoint.name for endpoint in ENDPOINTS if _takes_path(endpoint.params)}
    assert taking == {*INSIDE, *OTHERWISE}


@pytest.fixture
async def session(shared: Daemon, tmp_path: Path) -> str:
    return await shared.new_session(world(tmp_path))


@pytest.mark.parametrize("endpoint", INSIDE)
def test_c02_every_endpoint_refuses_every_forbidden_path(
    shared: Daemon, session: str, tmp_path: Path, endpoint: str
) -> None:
    before = snapshot(tmp_path)
    absolute = [str(tmp_path / "work" / path) for path in SECRET]
    for path in (*OUTSIDE, *SECRET, *absolute):
        result = shared.result(endpoint, **INSIDE[endpoint](session, path))
        assert result["error"]["code"] in {"workspace-file/outside-workspace", "workspace-file/secret"}, path
        assert VALUE not in str(result).replace("value that is needed", ""), path
    assert snapshot(tmp_path) == before


def test_c02_a_base_file_leads_nowhere_that_a_path_does_not(shared: Daemon, session: str) -> None:
    for path in ("../../out/file", "../.env", "../to-secret", "../far/file", "../.ssh/config"):
        result = shared.result("workspaceFiles/readBytes", **_base(session, path))
        assert result["error"]["code"] in {"workspace-file/outside-workspace", "workspace-file/secret"}, path
    for base in (".ssh/config", "../out/file", "far/file"):
        arguments = {"workspaceFileScopeId": session, "path": "config", "options": {"baseFile": base}}
        assert "error" in shared.result("workspaceFiles/readBytes", **arguments), base
    arguments = {"workspaceFileScopeId": session, "path": "file", "options": {"baseFile": "far/x"}}
    assert shared.result("workspaceFiles/readBytes", **arguments)["error"]["code"] == "workspace-file/outside-workspace"


async def test_c02_changes_of_a_forbidden_path_are_not_followed(shared: Daemon, session: str) -> None:
    async with shared.socket() as socket:
        for path in ("../out", "far", ".ssh", ".env", "to-secret", "/etc"):
            stream = await socket.open("workspaceFiles/changes", workspaceFileScopeId=session, path=path)
            frame = await stream.frame()
            assert frame["type"] == "error", path
            assert frame["error"]["code"] in {"workspace-file/outside-workspace", "workspace-file/secret"}, path


@pytest.mark.parametrize("query", ["", ".env", "ssh", "pem", "credentials", "secrets", "out", "far", "../", "/etc"])
def test_c02_no_reference_names_a_secret_or_what_lies_outside(shared: Daemon, session: str, query: str) -> None:
    text = str(shared.call("fileReferences/list", agentId=session, query=query))
    for name in (".env", ".ssh", ".pem", "credentials", "secrets.yaml", "to-secret", "out/", "passwd"):
        assert name not in text


def test_c02_the_picker_neither_enters_nor_makes_a_secret_folder(shared: Daemon, session: str, tmp_path: Path) -> None:
    before = snapshot(tmp_path)
    for place in (tmp_path / "work" / ".ssh", tmp_path / "work" / "to-folder-x" / ".." / ".ssh", shared.home):
        for call, more in (("list", {}), ("createDirectory", {"name": "new"})):
            assert "error" in shared.result(f"directoryPicker/{call}", path=str(place), **more), place
    for name in (".ssh", ".aws/credentials", "..", "a/b", ".env"):
        made = shared.result("directoryPicker/createDirectory", path=str(tmp_path / "work"), name=name)
        assert "error" in made, name
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("call", ["undo/undo", "undo/redo", "undo/accept", "undo/difference"])
def test_c02_undo_touches_no_file_that_no_change_is_of(shared: Daemon, session: str, tmp_path: Path, call: str) -> None:
    before = snapshot(tmp_path)
    for path in ("../out/file", ".env", "to-secret", "far/file", "/etc/passwd"):
        named: dict[str, Any] = {"turn": 1, "path": path} if call == "undo/difference" else {"paths": [path]}
        result = shared.result(call, request={"sessionId": session, **named})
        assert VALUE not in str(result), path
    assert snapshot(tmp_path) == before
