"""Damaged files: seen at the start, never overwritten, repaired only when asked."""

import sqlite3
from pathlib import Path

import msgspec
import pytest

from hd.errors import StoreDamaged, StoreFull
from hd.session.store import schema
from hd.session.store.base import SessionRow
from hd.session.store.repair import repair
from hd.session.store.sqlite import SqliteStore
from tests.session.store.make import event, plain, written

PAGE = 4096


def page_of(path: Path, seq: int) -> int:
    """The page (from 1) of the database that holds an event, found by its text."""
    return path.read_bytes().index(b'{"n":%d}' % seq) // PAGE + 1


def spoil(path: Path, page: int) -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(b"\xa5" * PAGE)


async def seqs(store: SqliteStore, session_id: str = "session-a") -> list[int]:
    return [msgspec.json.decode(body)["seq"] for body in await store.events(session_id)]


@pytest.mark.parametrize("content", [b"hello\n", b"\0" * 8192, b"SQLite format 3\0" + b"\1" * 5000])
async def test_a_file_that_is_no_database_is_refused_and_kept(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreDamaged, match="hd doctor --repair"):
        await SqliteStore.open(path)
    assert path.read_bytes() == content


async def test_an_empty_file_is_a_new_database(path: Path) -> None:
    path.parent.mkdir()
    path.touch(0o600)
    store = await SqliteStore.open(path)
    assert await store.sessions() == []
    await store.close()


async def test_damage_is_seen_at_the_start_and_the_file_is_kept(path: Path) -> None:
    await written(path, 600)
    spoil(path, page_of(path, 300))
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match="damaged"):
        await SqliteStore.open(path)
    assert path.read_bytes() == before


async def test_damage_that_appears_later_is_an_error_of_the_tree(path: Path) -> None:
    await written(path, 3000)
    store = await SqliteStore.open(path)
    spoil(path, page_of(path, 2000))
    with pytest.raises(StoreDamaged):
        await store.events("session-a")
    await store.close()


async def test_repair_sets_the_file_aside_and_saves_the_readable_part(path: Path) -> None:
    store = await SqliteStore.open(path)
    workspace, _ = await store.create_workspace("/w", "w")
    await store.create_session(SessionRow("session-a", 1, workspace_id=workspace.id))
    store.append("session-a", [event(seq) for seq in range(600)])
    await store.flush()
    await store.create_session(SessionRow("session-b", 2))
    store.append("session-b", plain(range(5)))
    await store.save_setting("model", "deepseek-flash")
    await store.close()
    spoil(path, page_of(path, 300))
    damaged = path.read_bytes()

    done = repair(path)

    assert done.aside.read_bytes() == damaged
    assert done.sessions == 2
    assert done.lost
    store = await SqliteStore.open(path)
    kept = await seqs(store)
    assert kept == list(range(len(kept)))
    assert 200 < len(kept) <= 300
    assert len(await seqs(store, "session-b")) == 5
    assert done.events == len(kept) + 5
    assert [w.session_ids for w in await store.workspaces()] == [("session-a",)]
    assert await store.load_setting("model") == "deepseek-flash"
    store.append("session-a", plain([len(kept)]))
    await store.close()


async def test_repair_of_a_healthy_database_loses_nothing(path: Path) -> None:
    await written(path, 700)
    done = repair(path)
    assert (done.sessions, done.events, done.lost) == (1, 700, ())
    store = await SqliteStore.open(path)
    assert await store.page_start("session-a", before_seq=None, through_seq=699, messages=2) == 696
    await store.close()


async def test_repair_finds_logs_without_their_session(path: Path) -> None:
    await written(path, 20)
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM session")
    connection.commit()
    connection.close()
    done = repair(path)
    assert (done.sessions, done.events) == (1, 20)
    store = await SqliteStore.open(path)
    (row,) = await store.sessions()
    assert row.id in done.lost[0]
    assert len(await seqs(store, row.id)) == 20
    await store.close()


async def test_repair_of_rubbish_gives_an_empty_database_and_never_overwrites_an_earlier_one(path: Path) -> None:
    path.parent.mkdir()
    asides = []
    for content in (b"rubbish one", b"rubbish two"):
        path.write_bytes(content)
        done = repair(path)
        asides.append(done.aside)
        assert done.aside.read_bytes() == content
    assert asides[0].read_bytes() == b"rubbish one"
    store = await SqliteStore.open(path)
    assert await store.sessions() == []
    await store.close()


async def test_a_second_writer_is_met_as_damage_not_as_silence(store: SqliteStore, path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("INSERT INTO event VALUES (?, 1, 'x', NULL, '{}')", (schema.place(1, 0),))
    other.commit()
    other.close()
    store.append("session-a", plain([0]))
    with pytest.raises(StoreDamaged):
        await store.flush()
    with pytest.raises(StoreFull, match="last 1 events are lost"):
        await store.close()
