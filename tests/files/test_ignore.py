"""Ignore rules, held against git itself."""

import os
import random
import subprocess
from pathlib import Path

import pytest

from hd.files.ignore import Ignores, parse

PATTERNS = [
    *("*", "!*/", "!*.py", "*.py", "foo", "foo/", "/foo", "/*", "!/a", "!/a/", "a/b", "a/**", "**/b", "a/**/b", "!foo"),
    *("!foo/", "*/", "build/", "!build/", "?", "[ab]", "[!a]", "/a/*", "!/a/b", "**/foo/", "**", "!y.txt", "a/*.py"),
    *("*o*", "!x.py", "/a/b/", r"\!x.py", "#x", "x.p?", "[a", "a**o", "**foo", "y.txt  ", "x.[p-z]y", "[[:alpha:]]"),
]
FOLDERS = ("", "a", "b", "foo", "build", "a/b", "a/foo", "foo/a", "foo/build", "a/b/foo", "b/a", "b/a/b")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", root], check=True)
    for folder in FOLDERS:
        (root / folder).mkdir(exist_ok=True)
        for name in ("x.py", "y.txt"):
            (root / folder / name).touch()
    return root


def seen_by_git(root: Path, lines: list[str]) -> set[str]:
    (root / ".git/info/exclude").write_text("\n".join(lines) + "\n")
    command = ["git", "-C", str(root), "ls-files", "-z", "-o", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(listed.stdout.split("\0")) - {""}


def seen_by_us(root: Path, lines: list[str]) -> set[str]:
    ignores, seen, folders = Ignores().inside("", lines), set[str](), [""]
    while folders:
        base = folders.pop()
        for item in os.scandir(root / base):
            name = f"{base}/{item.name}" if base else item.name
            if item.name == ".git" or ignores.ignored(name, directory=item.is_dir()):
                continue
            if item.is_dir():
                folders.append(name)
            else:
                seen.add(name)
    return seen


def test_random_ignore_files_mean_what_git_says(repository: Path) -> None:
    dice = random.Random(20)
    for _ in range(150):
        lines = dice.sample(PATTERNS, dice.randint(1, 5))
        assert seen_by_us(repository, lines) == seen_by_git(repository, lines), lines


def test_deeper_rules_come_first() -> None:
    above = Ignores().inside("", ["*.log"])
    ignores = above.inside("a", ["!keep.log", "/out"])
    assert above.ignored("x.log", directory=False)
    assert not ignores.ignored("a/keep.log", directory=False)
    assert ignores.ignored("a/other.log", directory=False)
    assert ignores.ignored("a/out", directory=True)
    assert not ignores.ignored("a/b/out", directory=True)


@pytest.mark.parametrize("line", ["", "   ", "# note", "/", "!", "a[b", "!#", "\r"])
def test_lines_without_a_rule(line: str) -> None:
    assert parse(line) is None or line == "!#"


def test_trailing_blanks_count_only_behind_a_backslash() -> None:
    assert Ignores().inside("", ["a  "]).ignored("a", directory=False)
    assert Ignores().inside("", ["a\\ "]).ignored("a ", directory=False)
