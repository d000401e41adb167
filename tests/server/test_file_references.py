"""`fileReferences/list`: which file is meant by a few letters."""

from pathlib import Path

import pytest

from hd.files.guard import Guard
from hd.files.references import KEPT_FOR_S, MOST_KEPT, MOST_OFFERED, Reference, References, fold, ranked
from hd.files.scan import Kind
from tests.support.daemon import Daemon


def of(*paths: str) -> list[Reference]:
    return [Reference(path, Kind.DIRECTORY if path.endswith("/") else Kind.FILE, fold(path)) for path in paths]


def found(query: str, *paths: str) -> list[str]:
    return [reference.path for reference in ranked(of(*paths), query)]


def test_a_better_fit_comes_first() -> None:
    paths = ("m/a/i/n.py", "domain/x.py", "src/remain.py", "src/main_window.py", "src/main", "xx/m-a-i-n", "other")
    assert found("main", *paths) == [
        "src/main",
        "src/main_window.py",
        "src/remain.py",
        "domain/x.py",
        "xx/m-a-i-n",
        "m/a/i/n.py",
    ]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("READ", "docs/readme.md"),
        ("straße", "STRASSE"),
        ("e\u0301", "\u00e9"),
        ("./a/b", "a/b.c"),
        ("文", "说明/中文.md"),
    ],
)
def test_case_and_form_do_not_count(query: str, path: str) -> None:
    assert found(query, "nothing", path) == [path]


def test_without_letters_what_lies_on_top_comes_first() -> None:
    assert found(" ", "b/c", "z", "b/") == ["z", "b/", "b/c"]


def test_no_more_are_offered_than_fit_on_a_screen() -> None:
    assert len(found("a", *(f"a{number}" for number in range(200)))) == MOST_OFFERED


def test_letters_are_no_pattern() -> None:
    assert found("a.*b", "aXXb", "a.*b") == ["a.*b"]


def test_names_are_kept_for_a_moment(tmp_path: Path) -> None:
    now = [0.0]
    references = References(Guard(), lambda: now[0])
    (tmp_path / "one").write_text("")
    assert [r.path for r in references.find(tmp_path, "")] == ["one"]
    (tmp_path / "two").write_text("")
    assert [r.path for r in references.find(tmp_path, "")] == ["one"]
    now[0] = KEPT_FOR_S + 1
    assert [r.path for r in references.find(tmp_path, "")] == ["one", "two"]


def test_few_workspaces_are_kept(tmp_path: Path) -> None:
    references = References(Guard(), lambda: 0.0)
    for number in range(MOST_KEPT + 3):
        folder = tmp_path / str(number)
        folder.mkdir()
        references.find(folder, "")
    (tmp_path / "0" / "new").write_text("")
    assert [r.path for r in references.find(tmp_path / "0", "")] == ["new"]


def test_files_and_folders_are_found_over_the_wire(shared: Daemon, session: str, folder: Path) -> None:
    (folder / "src").mkdir()
    (folder / "src" / "demo.txt").write_text("")
    (folder / "node_modules" / "demo").mkdir(parents=True)
    assert shared.call("fileReferences/list", agentId=session, query="dem") == [
        {"path": "src/demo.txt", "kind": "file"}
    ]
    both = [{"path": "src", "kind": "directory"}, {"path": "src/demo.txt", "kind": "file"}]
    assert shared.call("fileReferences/list", agentId=session, query="src") == both


@pytest.mark.parametrize("query", ["env", ".env", "id_rsa", "../", "/etc/passwd", "plain", "out"])
def test_nothing_forbidden_is_offered(shared: Daemon, session: str, folder: Path, query: str) -> None:
    (folder / ".env").write_text("x")
    (folder / ".ssh").mkdir()
    (folder / ".ssh" / "id_rsa").write_text("x")
    (folder / "plain").symlink_to(".env")
    (folder / "out").symlink_to("/etc")
    assert shared.call("fileReferences/list", agentId=session, query=query) == []


def test_there_are_no_files_without_a_session(shared: Daemon) -> None:
    assert shared.result("fileReferences/list", agentId="none", query="")["error"]["code"] == "session/not-found"


def test_a_folder_that_is_gone_has_no_files(shared: Daemon, session: str, folder: Path) -> None:
    folder.rmdir()
    assert shared.call("fileReferences/list", agentId=session, query="") == []
