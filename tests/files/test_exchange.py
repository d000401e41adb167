"""What somebody saves between the last look at a file and the moment in which another takes its place."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hd.files import exchange
from hd.files.errors import Code, FileError
from hd.files.exact import Exact, Form
from hd.files.guard import Guard
from hd.files.layer import FileLayer
from hd.files.scan import Kind
from tests.files.trees import plant, snapshot

LIMIT = 1 << 20


def in_the_moment(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object], times: int = 1) -> None:
    """Does something right before the next exchange, or the next ones."""
    real, left = exchange._swapped, [times]

    def swapped(folder: int, one: str, other: str) -> bool:
        if left[0]:
            left[0] -= 1
            act()
        return real(folder, one, other)

    monkeypatch.setattr(exchange, "_swapped", swapped)


def save(place: Path, text: str) -> Callable[[], None]:
    """As an editor does."""

    def act() -> None:
        beside = place.with_name("beside~")
        beside.write_text(text)
        os.replace(beside, place)

    return act


@pytest.mark.parametrize("times", [1, 2, 3])
def test_an_edit_that_comes_too_late_by_a_moment_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """Also when the person saves again while theirs is being put back."""
    root = plant(tmp_path / "work", {"f": "old\n"})
    in_the_moment(monkeypatch, save(root / "f", "theirs\n"), times)
    with pytest.raises(FileError) as caught:
        FileLayer(root).edit("f", "old", "new")
    assert caught.value.code is Code.STALE
    assert snapshot(root) == {"f": b"theirs\n"}


def test_what_was_written_into_the_file_itself_is_seen_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plant(tmp_path / "work", {"f": "old\n"})
    in_the_moment(monkeypatch, lambda: (root / "f").write_text("odd\n"))
    with pytest.raises(FileError):
        FileLayer(root).edit("f", "old", "new")
    assert snapshot(root) == {"f": b"odd\n"}


def test_a_file_that_was_removed_in_the_moment_stays_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plant(tmp_path / "work", {"f": "old\n"})
    in_the_moment(monkeypatch, (root / "f").unlink)
    with pytest.raises(FileError):
        FileLayer(root).edit("f", "old", "new")
    assert snapshot(root) == {}


def test_bytes_are_not_brought_over_what_came_in_the_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plant(tmp_path / "work", {"f": "old\n"})
    exact = Exact(root, Guard())
    was = exact.form("f", LIMIT)
    for form in (Form(Kind.FILE, 0o644, b"new\n", 4), Form(Kind.LINK, 0, b"new", 3)):
        in_the_moment(monkeypatch, save(root / "f", "theirs\n"))
        with pytest.raises(FileError) as caught:
            exact.bring("f", form, lambda here: here == was, LIMIT)
        assert caught.value.code is Code.STALE
        assert snapshot(root) == {"f": b"theirs\n"}
        (root / "f").write_text("old\n")


def test_a_removal_that_comes_too_late_by_a_moment_removes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = plant(tmp_path / "work", {"f": "old\n"})
    exact, rename = Exact(root, Guard()), os.rename
    was = exact.form("f", LIMIT)

    def late(source: str, target: str, **where: int) -> None:
        save(root / "f", "theirs\n")()
        rename(source, target, **where)

    monkeypatch.setattr(os, "rename", late)
    with pytest.raises(FileError) as caught:
        exact.bring("f", None, lambda here: here == was, LIMIT)
    assert caught.value.code is Code.STALE
    layer = FileLayer(root)
    (root / "f").write_text("old\n")
    expect = layer.read("f").hash
    with pytest.raises(FileError) as caught:
        layer.delete("f", expect=expect)
    assert caught.value.code is Code.STALE
    assert snapshot(root) == {"f": b"theirs\n"}


def test_where_names_cannot_be_exchanged_the_look_before_has_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = plant(tmp_path / "work", {"f": "old\n"})
    monkeypatch.setattr(exchange, "_renameat2", lambda: None)
    FileLayer(root).edit("f", "old", "new")
    assert snapshot(root) == {"f": b"new\n"}
