"""The comparison of trees, on real folders: what is seen, what is not, and whose it is."""

import os
import threading
from pathlib import Path

import pytest

from hd.files.guard import Guard
from hd.files.walk import Limits
from hd.protocol.projections.changes import Node
from hd.undo import tree as room
from hd.undo.blobs import Blobs, digest
from hd.undo.tree import Tree


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path / "kept")


def node(text: bytes, mode: int = 0o644) -> Node:
    return Node("file", mode, digest(text), len(text))


def test_what_happens_between_two_commands_belongs_to_nobody(work: Path, blobs: Blobs) -> None:
    tree = Tree(work, Guard(), blobs)
    (work / "a").write_bytes(b"1")
    first = tree.begin()
    (work / "a").write_bytes(b"2")
    tree.end(first)
    (work / "a").write_bytes(b"the user's")
    second = tree.begin()
    (work / "b").write_bytes(b"3")
    tree.end(second)
    assert [(c.before, c.after) for c in first.changes.values()] == [(node(b"1"), node(b"2"))]
    assert set(second.changes) == {"b"}
    assert blobs.get(digest(b"1")) == b"1"


def test_a_change_that_leaves_size_and_time_alike_is_seen(work: Path, blobs: Blobs) -> None:
    """As with a clock too coarse: what is written right behind a look has the time of the look."""
    tree = Tree(work, Guard(), blobs)
    place = work / "a"
    place.write_bytes(b"1")
    window = tree.begin()
    state = place.stat()
    with place.open("r+b") as file:
        file.write(b"2")
    os.utime(place, ns=(state.st_atime_ns, state.st_mtime_ns))
    tree.end(window)
    assert window.changes["a"].after == node(b"2")


def test_ignored_and_secret_files_are_neither_seen_nor_kept(work: Path, blobs: Blobs) -> None:
    (work / ".gitignore").write_text("out/\n")
    (work / "out").mkdir()
    tree = Tree(work, Guard(), blobs)
    window = tree.begin()
    for name in ("out/built", ".env", "key.pem"):
        (work / name).write_bytes(b"secret")
    tree.end(window)
    assert window.changes == {}
    assert not blobs.has(digest(b"secret"))


def test_what_a_tool_told_is_not_taken_for_the_work_of_a_command(work: Path, blobs: Blobs) -> None:
    tree = Tree(work, Guard(), blobs)
    window = tree.begin()
    (work / "a").write_bytes(b"by a tool of another session")
    tree.note({"a": node(b"by a tool of another session")})
    (work / "b").write_bytes(b"by the command")
    tree.end(window)
    assert set(window.changes) == {"b"}


def test_two_commands_at_a_time_miss_nothing_and_count_nothing_twice(work: Path, blobs: Blobs) -> None:
    tree = Tree(work, Guard(), blobs)
    one = tree.begin()
    (work / "a").write_bytes(b"1")
    two = tree.begin()
    (work / "b").write_bytes(b"2")
    tree.end(two)
    (work / "c").write_bytes(b"3")
    tree.end(one)
    assert (set(one.changes), set(two.changes)) == ({"a", "c"}, {"b"})


def test_a_tree_that_is_too_large_says_so_and_is_left_alone(work: Path, blobs: Blobs) -> None:
    for number in range(20):
        (work / f"d{number}").mkdir()
        (work / f"d{number}" / "f").touch()
    tree = Tree(work, Guard(), blobs, Limits(entries=10))
    window = tree.begin()
    (work / "d0" / "f").write_bytes(b"x")
    tree.end(window)
    assert window.changes == {}
    assert "more than 10 entries" in str(window.trouble)
    again = tree.begin()
    assert again.trouble is not None
    tree.end(again)


def test_a_look_that_was_stopped_covers_nothing_and_the_next_one_all(work: Path, blobs: Blobs) -> None:
    (work / "a").write_bytes(b"1")
    tree = Tree(work, Guard(), blobs)
    stopped = threading.Event()
    stopped.set()
    window = tree.begin(stopped)
    tree.end(window)
    assert window.trouble is not None
    window = tree.begin()
    (work / "a").unlink()
    tree.end(window)
    assert window.changes["a"].after is None


def test_what_is_too_large_to_keep_is_noticed_all_the_same(
    work: Path, blobs: Blobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "MOST_FILE", 4)
    (work / "a").write_bytes(b"12345")
    tree = Tree(work, Guard(), blobs)
    window = tree.begin()
    (work / "a").write_bytes(b"54321")
    tree.end(window)
    assert window.changes["a"].before == window.changes["a"].after == Node("file", 0o644, "", 5)


def test_contents_that_were_let_go_are_kept_again(work: Path, tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "small", most_bytes=100)
    (work / "a").write_bytes(b"1" * 60)
    tree = Tree(work, Guard(), blobs)
    tree.end(tree.begin())
    os.utime(tmp_path / "small" / digest(b"1" * 60)[:2] / digest(b"1" * 60), ns=(1, 1))
    blobs.put(b"2" * 60)
    assert not blobs.has(digest(b"1" * 60))
    window = tree.begin()
    assert blobs.has(digest(b"1" * 60))
    tree.end(window)


def test_the_longest_unused_contents_go_first_and_a_damaged_one_counts_as_gone(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "kept", most_bytes=100)
    names = [blobs.put(bytes([letter]) * 30) for letter in b"abc"]
    for age, name in enumerate(names):
        os.utime(tmp_path / "kept" / name[:2] / name, ns=(age + 1, age + 1))
    blobs.use(names[0])
    kept = blobs.put(b"d" * 30)
    assert [blobs.has(name) for name in (*names, kept)] == [True, False, False, True]
    (tmp_path / "kept" / kept[:2] / kept).write_bytes(b"damaged")
    assert blobs.get(kept) is None
    assert blobs.get("0" * 64) is None


def test_what_changes_outside_of_commands_is_seen_by_who_watches(work: Path, blobs: Blobs) -> None:
    tree = Tree(work, Guard(), blobs)
    (work / "before").write_bytes(b"1")
    watching = tree.watch(look=True)
    (work / "a").write_bytes(b"1")
    command = tree.begin()
    (work / "b").write_bytes(b"2")
    tree.end(command)
    (work / "a").write_bytes(b"3")
    (work / "told").write_bytes(b"4")
    tree.note({"told": node(b"4")})
    assert tree.seen_by(watching) == {"a"}
    tree.note({"told": node(b"5")})
    (work / "told").write_bytes(b"6")
    tree.unwatch(watching)
    (work / "c").write_bytes(b"7")
    assert set(command.changes) == {"b"}
    assert watching.changes["a"].after == node(b"3")
    assert (watching.changes["told"].before, watching.changes["told"].after) == (node(b"5"), node(b"6"))
    assert set(watching.changes) == {"a", "told"}


def test_what_follows_on_a_command_is_seen_from_its_end_on(work: Path, blobs: Blobs) -> None:
    tree = Tree(work, Guard(), blobs)
    command = tree.begin()
    (work / "a").write_bytes(b"1")
    tree.end(command)
    (work / "a").write_bytes(b"2")
    watching = tree.watch(look=False)
    tree.unwatch(watching)
    assert (watching.changes["a"].before, watching.changes["a"].after) == (node(b"1"), node(b"2"))


def test_who_watches_a_tree_that_cannot_be_seen_is_told(work: Path, blobs: Blobs) -> None:
    tree = Tree(work, Guard(), blobs, Limits(entries=1))
    for number in range(3):
        (work / f"d{number}").mkdir()
        (work / f"d{number}" / "f").touch()
    watching = tree.watch(look=True)
    tree.unwatch(watching)
    assert "more than 1 entries" in str(watching.trouble)
