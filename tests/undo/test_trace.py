"""What a trace keeps of the file layer's changes, in the odd cases."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hd.files.errors import FileError
from hd.files.guard import Guard
from hd.files.layer import FileLayer
from hd.protocol.projections.changes import Change, Node
from hd.undo import trace as room
from hd.undo.blobs import Blobs
from hd.undo.pending import Pending
from hd.undo.trace import Origin, Trace, intended, told
from hd.undo.tree import Tree


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def trace(work: Path, tmp_path: Path) -> Trace:
    tree = Tree(work, Guard(), Blobs(tmp_path / "blobs"))
    return Trace(tree, Pending(tmp_path / "pending"), Origin("s", "c", 1, 1), None)


def paths(trace: Trace) -> dict[str, str]:
    facts = trace.facts()
    return {} if facts is None else {c["path"]: _what(c) for c in facts["changes"]}


def _what(change: dict[str, object]) -> str:
    return "created" if change["before"] is None else "deleted" if change["after"] is None else "changed"


def test_several_changes_of_one_call_are_one(work: Path, trace: Trace) -> None:
    files = FileLayer(work).witnessed(trace.witness)
    files.write("a", "one\n")
    files.write("a", "two\n")
    files.write("b", "gone soon\n")
    files.delete("b")
    facts = trace.facts()
    assert facts is not None
    (change,) = facts["changes"]
    assert (change["path"], change["before"], change["added"], change["removed"]) == ("a", None, 1, 0)
    assert trace.facts() is None


def test_a_change_that_failed_or_was_only_tried_is_none(work: Path, trace: Trace) -> None:
    files = FileLayer(work).witnessed(trace.witness)
    files.write("a", "one\n", dry_run=True)
    with pytest.raises(FileError):
        files.edit("missing", "a", "b")
    with pytest.raises(FileError):
        files.write(".env", "secret")
    assert paths(trace) == {}


def test_a_folder_takes_all_that_is_in_it_along(work: Path, trace: Trace) -> None:
    (work / "old" / "in").mkdir(parents=True)
    (work / "old" / "in" / "f").write_text("x")
    files = FileLayer(work).witnessed(trace.witness)
    files.rename("old", "new/place")
    assert paths(trace) == {
        "old": "deleted",
        "old/in": "deleted",
        "old/in/f": "deleted",
        "new": "created",
        "new/place": "created",
        "new/place/in": "created",
        "new/place/in/f": "created",
    }
    files.make_directory("made/deep")
    assert paths(trace) == {"made": "created", "made/deep": "created"}


def test_a_folder_of_too_much_is_moved_and_said_not_to_be_kept(
    work: Path, trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "MOST_CHANGES", 2)
    (work / "old").mkdir()
    for name in "abc":
        (work / "old" / name).touch()
    FileLayer(work).witnessed(trace.witness).rename("old", "new")
    facts = trace.facts()
    assert facts is not None
    assert facts["changes"] == []
    assert "not kept" in facts["uncovered"]
    assert (work / "new" / "a").exists()


def test_what_had_a_name_that_no_log_can_tell_is_not_half_undone(work: Path, trace: Trace) -> None:
    (work / os.fsdecode(b"bad\xff")).write_text("x")
    FileLayer(work).witnessed(trace.witness).rename(os.fsdecode(b"bad\xff"), "good")
    facts = trace.facts()
    assert facts is not None
    assert facts["changes"] == []
    assert "UTF-8" in facts["uncovered"]


def test_a_disk_without_room_for_contents_does_not_hold_up_the_work(work: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    blocked = tmp_path / "file" / "never"
    trace = Trace(Tree(work, Guard(), Blobs(blocked)), Pending(blocked), Origin("s", "c", 1, 1), None)
    FileLayer(work).witnessed(trace.witness).write("a", "one\n")
    assert (work / "a").read_text() == "one\n"
    assert paths(trace) == {"a": "created"}


def test_what_is_meant_to_stand_where() -> None:
    file, folder = Node("file", 0o644, "aa", 1), Node("directory", 0o755)
    made = Node("directory", -1)
    written = Node("file", -1, "9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0", 3)
    assert intended({"d": None, "d/a": None}, ["d/a"], b"aaa") == {"d": made, "d/a": written}
    assert intended({"a": file}, ["a"], None) == {"a": None}
    assert intended({"a": None}, ["a"], None) == {"a": made}
    assert intended({"o": folder, "o/f": file, "n": None}, ["o", "n"], None) == {
        "o": None,
        "o/f": None,
        "n": folder,
        "n/f": file,
    }


def test_what_was_saved_in_the_moment_of_a_change_is_not_the_agent_s() -> None:
    old, new, theirs = (Node("file", 0o644, blob, 1) for blob in ("aa", "bb", "cc"))
    edit, made = Change("a", old, new), Change("b", None, Node("file", -1, "bb", 1))
    assert told([edit], {"a": new}, whole=True) == [edit]
    assert told([edit], {"a": old}, whole=False) == []
    assert told([edit], {"a": theirs}, whole=False) == []
    assert told([edit], {"a": theirs}, whole=True) == [edit]
    assert told([made], {"b": Node("file", 0o600, "bb", 1)}, whole=True)[0].after == Node("file", 0o600, "bb", 1)
    assert told([made], {"b": theirs}, whole=True)[0].after == Node("file", 0o644, "bb", 1)


def test_a_save_that_keeps_an_edit_from_being_made_is_no_change_of_the_call(work: Path, trace: Trace) -> None:
    (work / "a").write_text("one\n")

    def in_between(*places: Path, content: bytes | None = None) -> Any:
        @contextmanager
        def around() -> Iterator[None]:
            with trace.witness(*places, content=content):
                (work / "a").write_text("theirs\n")
                yield

        return around()

    with pytest.raises(FileError):
        FileLayer(work).witnessed(in_between).edit("a", "one", "two")
    assert (work / "a").read_text() == "theirs\n"
    assert paths(trace) == {}
