"""Looks at a real tree, and what a second one does not read again."""

import os
from pathlib import Path

import pytest

from hd.files.guard import Guard
from hd.files.tree import MOST_ENTRIES, Tree

LONG_AGO = 1_600_000_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("src/deep/x.py", "src/a.py", "build/out.o", "node_modules/m/i.js", ".git/config", "z.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / ".gitignore").write_text("build/\n")
    (tmp_path / ".env").write_text("KEY=1")
    (tmp_path / "link").symlink_to("src")
    return tmp_path


def rest(root: Path) -> None:
    """All folders look as if nothing had happened in them for long."""
    for folder, _, _ in os.walk(root):
        os.utime(folder, (LONG_AGO, LONG_AGO))


def named(tree: Tree, *wanted: str) -> dict[str, tuple[str, ...]]:
    return {path: folder.names for path, folder in tree.look(wanted).folders.items()}


def test_ignored_secret_and_machine_made_places_are_left_out(root: Path) -> None:
    assert named(Tree(root, Guard())) == {
        "": ("src/", ".gitignore", "link", "z.md"),
        "src": ("deep/", "a.py"),
        "src/deep": ("x.py",),
    }


def test_only_folders_that_changed_are_read_again(root: Path) -> None:
    tree = Tree(root, Guard())
    rest(root)
    assert tree.look().read == 3
    assert tree.look().read == 0
    (root / "src/deep/y.py").write_text("")
    (root / "src/a.py").write_text("other content, same names")
    looked = tree.look()
    assert (looked.read, looked.folders["src/deep"].names) == (1, ("x.py", "y.py"))
    assert tree.look().read == 1, "it changed a moment ago and may do so again within the same tick"


def test_a_folder_that_went_and_one_that_became_a_link(root: Path) -> None:
    tree = Tree(root, Guard())
    rest(root)
    tree.look()
    os.rename(root / "src/deep", root / "deeper")
    (root / "src/deep").symlink_to(root / "deeper")
    assert named(tree) == {
        "": ("deeper/", "src/", ".gitignore", "link", "z.md"),
        "deeper": ("x.py",),
        "src": ("a.py", "deep"),
    }


def test_a_moved_file_keeps_its_marks(root: Path) -> None:
    tree = Tree(root, Guard())
    before = tree.look().marks["z.md"]
    os.rename(root / "z.md", root / "src/y.md")
    after = tree.look().marks
    assert after["src/y.md"] == before == after["z.md"]
    (root / "src/y.md").write_text("longer than before")
    os.utime(root / "src", (LONG_AGO, LONG_AGO))
    assert tree.look().marks["src/y.md"] != before


def test_there_is_an_end_but_not_to_what_is_wanted(tmp_path: Path) -> None:
    for number in range(4):
        folder = tmp_path / f"d{number}/below"
        folder.mkdir(parents=True)
        for place in range(MOST_ENTRIES // 2):
            (folder / f"{place}").touch()
    tree = Tree(tmp_path, Guard())
    assert [path for path in named(tree) if path.endswith("below")] == ["d0/below", "d1/below"]
    assert named(tree, "d3/below", "gone")["d3/below"][:2] == ("0", "1")


def test_time_is_bounded_and_said(root: Path) -> None:
    ticks = iter(range(100))
    looked = Tree(root, Guard(), clock=lambda: float(next(ticks))).look(seconds=1.5)
    assert (looked.stopped, list(looked.folders)) == (True, ["", "src"])
    assert not Tree(root, Guard()).look().stopped


def test_a_name_that_is_no_text_can_be_told(tmp_path: Path) -> None:
    os.mkdir(os.fsencode(tmp_path) + b"/d\xff")
    (tmp_path / "a").touch()
    assert named(Tree(tmp_path, Guard())) == {"": ("d\\xff/", "a")}


def test_a_workspace_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        Tree(tmp_path / "gone", Guard()).look()
