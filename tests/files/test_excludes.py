"""Ignore rules outside the tree and behind links, held against git where git reads them."""

import os
import subprocess
from pathlib import Path

import pytest

from hd.files.guard import Guard
from hd.files.scan import Kind
from hd.files.walk import Walk
from tests.files.trees import plant


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, so that what the person at this machine ignores plays no part."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = plant(tmp_path / "work", dict.fromkeys(("a.py", "b.log", "sub/c.log", "sub/d.tmp", "e.tmp", "f.bak"), ""))
    git(tmp_path, "init", "-q", str(root))
    return root


def walked(root: Path) -> set[str]:
    return {entry.name for entry in Walk(root, root, Guard()) if entry.kind is Kind.FILE}


def listed(root: Path) -> set[str]:
    return set(git(root, "ls-files", "-co", "--exclude-standard").split())


def test_the_users_own_file_holds_in_every_repository(repository: Path, home: Path) -> None:
    plant(home, {".config/git/ignore": "*.log\n"})
    assert walked(repository) == {"a.py", "sub/d.tmp", "e.tmp", "f.bak"} == listed(repository)


def test_another_place_for_it_is_read_from_the_configuration(
    repository: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(home, {".gitconfig": "[include]\n\tpath = more\n", "more": "[core]\n\texcludesFile = ~/mine\n"})
    plant(home, {"mine": "*.tmp\n", "elsewhere/git/ignore": "*.py\n"})
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "elsewhere"))
    assert walked(repository) == {"a.py", "b.log", "sub/c.log", "f.bak"} == listed(repository)
    (home / ".gitconfig").unlink()
    assert walked(repository) == {"b.log", "sub/c.log", "sub/d.tmp", "e.tmp", "f.bak"} == listed(repository)


def test_what_is_nearer_wins(repository: Path, home: Path) -> None:
    plant(home, {".config/git/ignore": "*.log\n*.tmp\n*.bak\n"})
    plant(repository, {".git/info/exclude": "!*.tmp\n", "sub/.gitignore": "!*.log\n*.tmp\n"})
    assert walked(repository) == {"a.py", "e.tmp", "sub/.gitignore", "sub/c.log"} == listed(repository)


def test_linked_rules_outside_the_tree_are_followed(repository: Path, home: Path) -> None:
    plant(home, {"dotfiles/ignore": "*.log\n", "dotfiles/exclude": "*.bak\n", ".config/git/x": ""})
    (home / ".config/git/ignore").symlink_to(home / "dotfiles/ignore")
    exclude = repository / ".git/info/exclude"
    exclude.unlink(missing_ok=True)
    exclude.parent.mkdir(exist_ok=True)
    exclude.symlink_to(home / "dotfiles/exclude")
    assert walked(repository) == {"a.py", "sub/d.tmp", "e.tmp"} == listed(repository)


def test_a_linked_ignore_file_in_the_tree_counts(repository: Path) -> None:
    plant(repository, {"shared/rules": "*.log\n"})
    (repository / "sub/.gitignore").symlink_to("../shared/rules")
    assert walked(repository) == {"a.py", "b.log", "sub/d.tmp", "e.tmp", "f.bak", "shared/rules"}


def test_an_ignore_file_that_is_none_is_passed_over(repository: Path) -> None:
    (repository / "sub/.gitignore").symlink_to(".gitignore")
    os.mkfifo(repository / ".gitignore")
    assert walked(repository) == {"a.py", "b.log", "sub/c.log", "sub/d.tmp", "e.tmp", "f.bak"}


def test_a_linked_work_tree_has_the_rules_of_its_repository(repository: Path, tmp_path: Path) -> None:
    plant(repository, {".git/info/exclude": "*.log\n"})
    git(repository, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first")
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    plant(tmp_path / "tree", {"a.py": "", "b.log": ""})
    assert walked(tmp_path / "tree") - {".git"} == {"a.py"} == listed(tmp_path / "tree")


def test_without_a_repository_the_users_file_says_nothing(tmp_path: Path, home: Path) -> None:
    plant(home, {".config/git/ignore": "*.log\n"})
    plant(tmp_path / "plain", {"a.log": ""})
    assert walked(tmp_path / "plain") == {"a.log"}


def test_without_git_its_ordinary_place_is_read(repository: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(home, {".config/git/ignore": "*.log\n"})
    monkeypatch.setenv("PATH", str(home))
    assert walked(repository) == {"a.py", "sub/d.tmp", "e.tmp", "f.bak"}
