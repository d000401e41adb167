"""What a tree looked like, over a restart: what is not read again, and everything that must be."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hd.files.guard import Guard
from hd.protocol.projections.changes import Node
from hd.undo import tree as room
from hd.undo.blobs import Blobs, digest
from hd.undo.index import IndexFile
from hd.undo.tree import Tree

OLD = 1_600_000_000_000_000_000


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    for name in "abc":
        (folder / name).write_bytes(name.encode())
    (folder / "link").symlink_to("a")
    return folder


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path / "blobs")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were read."""
    names: list[str] = []
    real = room.node_at

    def node_at(root: Path, place: Path, blobs: Blobs, most: int) -> Node | None:
        names.append(place.name)
        return real(root, place, blobs, most)

    monkeypatch.setattr(room, "node_at", node_at)
    # The files of a test are younger than any granularity; here they count as old.
    monkeypatch.setattr(room, "_TICK_NS", -(10**12))
    monkeypatch.setattr(room, "_COARSE_NS", -(10**12))
    return names


def index(work: Path, clock: Callable[[], int] | None = None) -> IndexFile:
    folder = work.parent / "index"
    return IndexFile(folder, work) if clock is None else IndexFile(folder, work, clock)


def looked(work: Path, blobs: Blobs, kept: IndexFile) -> Tree:
    """As a daemon that starts, runs a command that changes nothing, and ends."""
    tree = Tree(work, Guard(), blobs, kept=kept)
    window = tree.begin()
    tree.end(window)
    assert window.changes == {}
    tree.save()
    return tree


def again(work: Path, blobs: Blobs, read: list[str], kept: IndexFile | None = None) -> list[str]:
    """What the next daemon reads at its first command."""
    read.clear()
    looked(work, blobs, kept or index(work))
    return sorted(set(read))


def test_what_stands_as_it_did_is_not_read_again(work: Path, blobs: Blobs, read: list[str]) -> None:
    looked(work, blobs, index(work))
    assert sorted(read) == ["a", "b", "c", "link"]
    assert again(work, blobs, read) == []
    (work / "b").write_bytes(b"other")
    (work / "c").unlink()
    (work / "d").write_bytes(b"new")
    assert again(work, blobs, read) == ["b", "d"]
    assert again(work, blobs, read) == []


def test_what_changed_while_no_daemon_ran_is_nobody_s_and_its_content_is_kept_from_here_on(
    work: Path, blobs: Blobs, read: list[str]
) -> None:
    looked(work, blobs, index(work))
    (work / "a").write_bytes(b"by hand")
    tree = Tree(work, Guard(), blobs, kept=index(work))
    window = tree.begin()
    (work / "a").write_bytes(b"by a command")
    (work / "b").write_bytes(b"too")
    tree.end(window)
    found = {path: (change.before, change.after) for path, change in window.changes.items()}
    assert {path: blobs.get(before.blob) for path, (before, _) in found.items() if before} == {
        "a": b"by hand",
        "b": b"b",
    }


def _same_size_and_time(work: Path) -> None:
    state = (work / "a").stat()
    (work / "a").write_bytes(b"A")
    os.utime(work / "a", ns=(state.st_atime_ns, state.st_mtime_ns))


def _another_inode(work: Path) -> None:
    state = (work / "a").stat()
    (work / "beside").write_bytes(b"A")
    os.utime(work / "beside", ns=(state.st_atime_ns, state.st_mtime_ns))
    os.replace(work / "beside", work / "a")


def _in_the_past(work: Path) -> None:
    (work / "a").write_bytes(b"A")
    os.utime(work / "a", ns=(OLD, OLD))


def _another_mode(work: Path) -> None:
    (work / "a").chmod(0o755)


def _a_link_now(work: Path) -> None:
    (work / "a").unlink()
    (work / "a").symlink_to("b")


@pytest.mark.parametrize("trick", [_same_size_and_time, _another_inode, _in_the_past, _another_mode, _a_link_now])
def test_no_trick_with_times_hides_a_change(
    work: Path, blobs: Blobs, read: list[str], trick: Callable[[Path], None]
) -> None:
    os.utime(work / "a", ns=(OLD, OLD))
    looked(work, blobs, index(work))
    trick(work)
    assert again(work, blobs, read) == ["a"]


def test_what_was_read_before_it_had_settled_is_read_again(work: Path, blobs: Blobs, read: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "_TICK_NS", 10**12)
        patch.setattr(room, "_COARSE_NS", 10**12)
        looked(work, blobs, index(work))
    assert again(work, blobs, read) == ["a", "b", "c", "link"]


def test_a_content_that_was_let_go_is_kept_again(work: Path, blobs: Blobs, read: list[str], tmp_path: Path) -> None:
    looked(work, blobs, index(work))
    name = digest(b"b")
    (tmp_path / "blobs" / name[:2] / name).unlink()
    assert again(work, blobs, read) == ["b"]
    assert blobs.has(name)


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: b"",
        lambda raw: raw[:-1],
        lambda raw: raw[:40] + bytes([raw[40] ^ 1]) + raw[41:],
        lambda raw: b"not this at all" * 9,
    ],
)
def test_a_damaged_file_is_none(work: Path, blobs: Blobs, read: list[str], damage: Callable[[bytes], bytes]) -> None:
    looked(work, blobs, index(work))
    (place,) = (work.parent / "index").iterdir()
    assert place.stat().st_mode & 0o777 == 0o600
    place.write_bytes(damage(place.read_bytes()))
    assert again(work, blobs, read) == ["a", "b", "c", "link"]
    assert again(work, blobs, read) == []


def test_one_of_another_folder_or_from_later_than_now_is_none(work: Path, blobs: Blobs, read: list[str]) -> None:
    looked(work, blobs, index(work))
    assert again(work, blobs, read, index(work, lambda: OLD)) == ["a", "b", "c", "link"]
    os.rename(work, work.parent / "moved")
    work.mkdir()
    for name in "abc":
        os.rename(work.parent / "moved" / name, work / name)
    assert again(work, blobs, read) == ["a", "b", "c"]


def test_a_disk_that_takes_no_index_is_no_trouble(work: Path, blobs: Blobs, read: list[str]) -> None:
    (work.parent / "index").write_text("a file stands here")
    looked(work, blobs, index(work))
    assert again(work, blobs, read) == ["a", "b", "c", "link"]
