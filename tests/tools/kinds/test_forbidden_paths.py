"""One list of forbidden paths against every file tool: refused, and nothing read or written anywhere."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hd.files import disk
from hd.files.errors import FileRefused
from hd.tools.table import default_tools
from tests.files.trees import plant, snapshot
from tests.tools.kinds.desk import Desk

PLACE = "<forbidden>"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read_file", {"path": PLACE}),
    ("write_file", {"path": PLACE, "content": "planted"}),
    ("edit_file", {"path": PLACE, "old_string": "value", "new_string": "planted"}),
    ("list_files", {"path": PLACE}),
    ("search_files", {"pattern": "*", "path": PLACE}),
    ("grep", {"pattern": ".", "path": PLACE}),
    ("create_directory", {"path": PLACE}),
    ("rename_file", {"path": PLACE, "new_path": "free"}),
    ("rename_file", {"path": "plain.txt", "new_path": PLACE}),
    ("delete_file", {"path": PLACE}),
    ("read_problems", {"path": PLACE}),
    ("present", {"files": [PLACE]}),
    ("present", {"files": ["plain.txt", PLACE]}),
]
PATH_NAME = re.compile(r"path|file|folder|dir|cwd", re.IGNORECASE)
OUTSIDE = [
    "..",
    "../out",
    "../out/file",
    "../../etc/passwd",
    "/etc/passwd",
    "/",
    "sub/../../out/file",
    "far",
    "far/file",
]
OUTSIDE += [
    "loop/../far",
    "loop/../to-file",
    "loop/../deep/far/file",
    "to-file",
    "deep/far/file",
    "~root/../../../etc/passwd/..",
    "./sub/.././../out/new",
    "loop/../../out/file",
]
SECRET = [
    ".env",
    ".ENV",
    "sub/.env.local",
    "to-secret",
    "to-folder/config",
    ".ssh",
    ".ssh/new",
    "tls/a.pem",
    "tls/A.KEY",
]
SECRET += [
    "sub/../.env",
    "./.env",
    "credentials.json",
    "named.pem",
    "secrets.yaml",
    ".aws/credentials",
    ".env/",
    "dead",
]


def world(top: Path) -> Path:
    """A workspace with everything that must not be touched, inside and around it."""
    root = plant(top / "work", {"plain.txt": "value\n", ".env": "A=value\n", "sub/.env.local": "A=value\n"})
    plant(root, {".ssh/config": "value\n", "tls/a.pem": "value\n", "credentials.json": "value", "deep/x": "value\n"})
    plant(root, {"secrets.yaml": "value", ".aws/credentials": "value"})
    plant(top, {"out/file": "value\n"})
    for name, target in {
        "far": "../out",
        "to-file": "../out/file",
        "deep/far": "../../out",
        "to-secret": ".env",
        "to-folder": ".ssh",
        "named.pem": "plain.txt",
        "loop": "loop",
        "dead": ".env.gone",
    }.items():
        (root / name).symlink_to(target)
    return root


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all files whose content was read."""
    seen: list[str] = []
    real = disk.read

    def spy(folder: int, name: str, limit: int) -> disk.Content:
        seen.append(name)
        return real(folder, name, limit)

    monkeypatch.setattr(disk, "read", spy)
    return seen


def with_path(arguments: dict[str, Any], path: str) -> dict[str, Any]:
    def put(value: Any) -> Any:
        return [put(one) for one in value] if isinstance(value, list) else path if value == PLACE else value

    return {key: put(value) for key, value in arguments.items()}


def named(schema: dict[str, Any]) -> Iterator[str]:
    """The names of all fields in the schema of a tool's arguments, however deep."""
    for name, below in schema.get("properties", {}).items():
        yield name
        yield from named(below)
        yield from named(below.get("items", {}))


def test_no_tool_that_takes_a_path_is_left_out() -> None:
    taking = {
        (spec.name, name)
        for spec in default_tools().specs()
        for name in named(dict(spec.parameters))
        if PATH_NAME.search(name)
    }
    held = {
        (tool, name) for tool, arguments in CALLS for name, value in arguments.items() if PLACE in (value, *list(value))
    }
    assert taking == held


@pytest.mark.parametrize(("name", "arguments"), CALLS)
async def test_c02_every_tool_refuses_every_forbidden_path(
    name: str, arguments: dict[str, Any], tmp_path: Path, reads: list[str]
) -> None:
    desk = Desk(world(tmp_path))
    absolute = [str(desk.root / path) for path in SECRET]
    before = snapshot(tmp_path)
    for path in (*OUTSIDE, *SECRET, *absolute):
        error = await desk.refusal(name, **with_path(arguments, path))
        assert (error.name, error.code) in {("FsError", "FS_OUTSIDE"), ("FsError", "FS_SECRET")}, path
        assert "value" not in error.message.replace("value that is needed", "")
        with pytest.raises(type(error)) as planned:
            desk.plan(name, **with_path(arguments, path))
        assert planned.value.code == error.code
    assert reads == []
    assert snapshot(tmp_path) == before
    assert desk.context.seen == {}


@pytest.mark.parametrize(("name", "arguments"), CALLS)
async def test_a_link_made_in_the_same_turn_is_refused(
    name: str, arguments: dict[str, Any], tmp_path: Path, reads: list[str]
) -> None:
    desk = Desk(world(tmp_path))
    (desk.root / "notes.txt").symlink_to(desk.root / ".env")
    assert (await desk.refusal(name, **with_path(arguments, "notes.txt"))).code == "FS_SECRET"
    assert reads == []


@given(st.lists(st.sampled_from(["..", ".", "sub", "far", "deep", "loop", "out", "work", "file", "x"]), max_size=7))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
async def test_no_path_leads_outside(tmp_path: Path, parts: list[str]) -> None:
    if not (tmp_path / "work").exists():
        world(tmp_path)
    desk = Desk(tmp_path / "work")
    path = "/".join(parts) or "."
    try:
        resolved = desk.files.resolve(path)
    except FileRefused:
        return
    assert resolved.is_relative_to(desk.root)
    assert os.path.realpath(resolved) == str(resolved)


async def test_secrets_show_in_no_listing_and_no_search(tmp_path: Path) -> None:
    desk = Desk(world(tmp_path))
    texts = [
        (await desk.run("list_files")).text,
        (await desk.run("search_files", pattern="*")).text,
        (await desk.run("search_files", pattern="e")).text,
        (await desk.run("grep", pattern="value|A=")).text,
        (await desk.run("read_file", path=".")).text,
    ]
    for text in texts:
        for secret in (".env", ".ssh", "pem", "credentials", "secrets", "to-secret", "to-folder", "A=value", "dead"):
            assert secret not in text
    assert texts[3] == "deep/x:1: value\nplain.txt:1: value"


@pytest.mark.parametrize("path", [".env.example", ".env.template", ".env.sample", "src/environment/config.ts"])
async def test_c05_names_that_only_look_alike_can_be_read(tmp_path: Path, path: str) -> None:
    desk = Desk(plant(tmp_path, {path: "free\n"}))
    assert (await desk.run("read_file", path=path)).text == "1: free"
