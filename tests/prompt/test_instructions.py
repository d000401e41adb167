"""Instruction files: which ones apply, in which order, and what is not followed."""

import os
from pathlib import Path

import pytest

from hd.prompt.instructions import LIMIT, find, render


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "code" / "repo"
    (folder / "packages" / "app").mkdir(parents=True)
    (folder / ".git").mkdir()
    return folder


def texts(workspace: Path, home: Path, stop: Path | None = None) -> list[str]:
    return [one.text for one in find(workspace, home, stop)]


def test_home_first_then_from_the_top_of_the_tree_to_the_workspace(tree: Path, home: Path) -> None:
    (home / "AGENTS.md").write_text("home")
    (tree.parent / "AGENTS.md").write_text("above the tree")
    (tree / "AGENTS.md").write_text("top")
    (tree / "packages" / "app" / "AGENTS.md").write_text("app")
    (tree / "packages" / "CLAUDE.md").write_text("other name")
    assert texts(tree / "packages" / "app", home) == ["home", "top", "app"]
    assert texts(tree, home) == ["home", "top"]


def test_a_linked_work_tree_has_a_file_named_git(tree: Path, home: Path) -> None:
    (tree / ".git").rmdir()
    (tree / ".git").write_text("gitdir: elsewhere")
    (tree / "AGENTS.md").write_text("top")
    assert texts(tree / "packages", home) == ["top"]


def test_without_a_tree_only_the_workspace_counts(tmp_path: Path, home: Path) -> None:
    workspace = tmp_path / "a" / "b"
    workspace.mkdir(parents=True)
    (workspace.parent / "AGENTS.md").write_text("above")
    (workspace / "AGENTS.md").write_text("here")
    assert texts(workspace, home, stop=tmp_path) == ["here"]


def test_the_search_does_not_go_above_the_stop(tree: Path, home: Path) -> None:
    (tree / "AGENTS.md").write_text("top")
    (tree / "packages" / "AGENTS.md").write_text("packages")
    assert texts(tree / "packages", home, stop=tree / "packages") == ["packages"]


def test_a_link_is_followed_within_the_tree_only(tree: Path, home: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("outside")
    (tree / "AGENTS.md").symlink_to(tmp_path / "secret")
    (tree / "docs.md").write_text("inside")
    (tree / "packages" / "AGENTS.md").symlink_to(tree / "docs.md")
    (tree / "packages" / "app" / "AGENTS.md").symlink_to("AGENTS.md")  # a circle
    assert texts(tree / "packages" / "app", home) == ["inside"]


def test_one_file_stands_once(tree: Path) -> None:
    (tree / "AGENTS.md").write_text("both")
    (tree / "packages" / "AGENTS.md").symlink_to(tree / "AGENTS.md")
    assert texts(tree / "packages", home=tree) == ["both"]


def test_what_is_no_readable_text_is_left_out(tree: Path, home: Path) -> None:
    os.mkfifo(home / "AGENTS.md")
    (tree / "AGENTS.md").mkdir()
    (tree / "packages" / "AGENTS.md").write_text(" \n")
    assert texts(tree / "packages", home) == []


def test_bytes_become_text_within_bounds(tree: Path, home: Path) -> None:
    (home / "AGENTS.md").write_bytes(b"\xef\xbb\xbfbad \xff byte")
    (tree / "AGENTS.md").write_bytes("é".encode() * LIMIT)
    first, second = find(tree, home)
    assert (first.text, first.truncated) == ("bad \ufffd byte", False)
    assert (second.text, second.truncated) == ("é" * (LIMIT // 2), True)
    assert "cut after 64 KiB" in render([second])
    assert "cut" not in render([first])


def test_rendering_names_each_file_in_order(tree: Path, home: Path) -> None:
    (home / "AGENTS.md").write_text("be kind\n")
    (tree / "AGENTS.md").write_text("use tabs\n")
    text = render(find(tree, home))
    assert text.index(str(home / "AGENTS.md")) < text.index("be kind") < text.index("use tabs")
    assert render([]) == ""
