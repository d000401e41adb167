"""A person's own rules on which files are secret."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.files.errors import FileError, FileRefused
from hd.files.guard import Guard
from hd.files.layer import FileLayer
from hd.files.rules import OwnRules
from tests.files.trees import plant


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("secrets/**", "secrets/a", True),
        ("secrets/**", "secrets/a/b", True),
        ("secrets/**", "SECRETS/a", True),
        ("secrets/**", "secrets", False),
        ("secrets/**", "sub/secrets/a", False),
        ("**/secrets/**", "sub/secrets/a", True),
        ("*.sqlite", "a.sqlite", True),
        ("*.sqlite", "deep/down/a.SQLite", True),
        ("*.sqlite", "a.sqlite.bak", False),
        ("private", "private/a/b", True),
        ("private", "sub/private/a", True),
        ("private", "sub/privately", False),
        ("deploy/*.json", "deploy/a.json", True),
        ("deploy/*.json", "deploy/sub/a.json", False),
        ("/deploy", "deploy/a", True),
        ("*.{pfx,jks2}", "x/a.jks2", True),
    ],
)
def test_c07_what_a_pattern_denies(pattern: str, name: str, fits: bool) -> None:
    guard = Guard(own=OwnRules(deny=[pattern]))
    assert (guard.why_name(name) is not None) is fits
    assert (guard.why(Path("/work") / name, Path("/work")) is not None) is fits


def test_an_exception_opens_what_a_rule_closes_but_not_the_daemons_own_folder() -> None:
    guard = Guard(
        (Path("/home/me/.h"),), OwnRules(deny=["secrets/**"], allow=["secrets/example.txt", "test.pem", ".h"])
    )
    root = Path("/home/me")
    assert guard.why(root / "secrets/example.txt", root) is None
    assert guard.why(root / "tests/test.pem", root) is None
    assert guard.why(root / "tests/live.pem", root) is not None
    assert guard.why(root / ".h/key", root) == "the daemon's own folder"


def test_a_pattern_that_cannot_be_used_changes_nothing() -> None:
    rules = OwnRules(deny=["a"])
    with pytest.raises(FileError):
        rules.change(["b", "[x"], [])
    assert rules.judge("a") is not None
    assert rules.judge("b") is None


def test_c07_every_way_to_a_file_keeps_to_the_rules_at_once(tmp_path: Path) -> None:
    rules = OwnRules()
    files = FileLayer(plant(tmp_path, {"secrets/a.txt": "found\n", "b.txt": "found\n"}), Guard(own=rules))
    assert files.read("secrets/a.txt").view == "found\n"
    rules.change(["secrets/**"], [])
    for call in (files.read, files.resolve, lambda path: files.write(path, "x"), files.delete, files.make_directory):
        with pytest.raises(FileRefused):
            call("secrets/a.txt")
    assert [match.name for match in files.grep("found").found] == ["b.txt"]


@given(st.lists(st.text(max_size=12), max_size=4), st.text(max_size=30))
def test_no_pattern_breaks_the_guard(patterns: list[str], name: str) -> None:
    try:
        rules = OwnRules(deny=patterns)
    except FileError:
        return
    assert Guard(own=rules).why_name(name) is None or patterns or Guard().why_name(name)
