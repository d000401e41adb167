"""A copied log is there as a whole or not at all, and others write while it is made."""

import asyncio
import shutil
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hd.errors import StoreFull, WorkspaceNotFound
from hd.session.store import copies
from hd.session.store.base import SessionRow, StoredEvent
from hd.session.store.repair import repair
from hd.session.store.sqlite import SqliteStore
from tests.session.store.make import event, plain
from tests.session.store.test_search import event as spoken_event

EVENTS = 5_000


def spoken(seqs: range) -> list[StoredEvent]:
    return [spoken_event(seq, f"word{seq}") if seq % 10 == 0 else event(seq) for seq in seqs]


def places(path: Path) -> tuple[int, int, int]:
    """How many events, texts and marks of copies a database holds."""
    connection = sqlite3.connect(path)
    try:
        events = connection.execute("SELECT count(*) FROM event").fetchone()[0]
        texts = connection.execute("SELECT count(*) FROM said").fetchone()[0]
        connection.execute("INSERT INTO said_index (said_index, rank) VALUES ('integrity-check', 1)")
        return events, texts, len(copies.left_over(connection))
    finally:
        connection.close()


async def filled(path: Path, count: int = EVENTS) -> SqliteStore:
    store = await SqliteStore.open(path)
    await store.create_session(SessionRow("session-a", 1))
    store.append("session-a", spoken(range(count)))
    await store.flush()
    return store


async def seqs(store: SqliteStore, session_id: str) -> list[int]:
    return [msgspec.json.decode(body)["seq"] for body in await store.events(session_id)]


async def test_others_create_and_write_while_a_log_is_copied(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "SLICE_S", 0.0)  # a slice is one stride, so that there are many
    store = await filled(path)
    copying = asyncio.create_task(store.copy_session(SessionRow("session-b", 2), "session-a", 4_000, [event(4_001)]))
    others = 0
    while not copying.done():
        name = f"session-{others + 10}"
        await store.create_session(SessionRow(name, 3))
        store.append(name, plain(range(2)))
        await store.flush()
        shown = {row.id for row in await store.sessions()}
        assert "session-b" not in shown or copying.done()
        others += 1
    await copying
    assert others > 10
    assert await seqs(store, "session-b") == list(range(4_002))
    assert await seqs(store, "session-10") == [0, 1]
    (hit,) = await store.search(["word3990"], 1)
    assert hit.session_id in ("session-a", "session-b")
    await store.close()
    assert places(path) == (EVENTS + 4_002 + 2 * others, 500 + 401, 0)


@settings(max_examples=25, deadline=None)
@given(through=st.integers(0, 300), strides=st.integers(1, 90))
async def test_a_copy_is_the_log_up_to_its_end(through: int, strides: int, tmp_path_factory: Any) -> None:
    path = tmp_path_factory.mktemp("copy") / "hd.db"
    store = await filled(path, 301)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(copies, "STRIDE", strides)
        patched.setattr(copies, "SLICE_S", 0.0)
        await store.copy_session(SessionRow("session-b", 2), "session-a", through, [])
    assert await store.events("session-b") == await store.events("session-a", to_seq=through)
    store.append("session-b", [event(through + 1)])
    await store.close()
    store = await SqliteStore.open(path)
    assert store.head("session-b") == through + 1
    await store.close()


async def test_a_copy_that_is_refused_at_the_end_leaves_nothing(path: Path) -> None:
    store = await filled(path)
    with pytest.raises(WorkspaceNotFound):
        await store.copy_session(SessionRow("session-b", 2, workspace_id="nowhere"), "session-a", 4_000, [])
    assert [row.id for row in await store.sessions()] == ["session-a"]
    await store.close()
    assert places(path) == (EVENTS, 500, 0)


async def test_a_copy_that_a_full_disk_stops_is_removed_by_the_next_start(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "SLICE_S", 0.0)
    store = await filled(path)
    connection = store._writer._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 10}")
    with pytest.raises(StoreFull):
        await store.copy_session(SessionRow("session-b", 2), "session-a", 4_000, [])
    assert [row.id for row in await store.sessions()] == ["session-a"]
    await store.close()
    store = await SqliteStore.open(path)
    assert [row.id for row in await store.sessions()] == ["session-a"]
    await store.close()
    assert places(path) == (EVENTS, 500, 0)


async def killed_while_copying(path: Path, slices: int) -> None:
    """A process of its own copies in small slices, says each of them, and is killed."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.session.store.copying_child", str(path)), stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    async with asyncio.timeout(30):
        for _ in range(slices):
            assert await child.stdout.readline() == b"slice\n"
        child.send_signal(signal.SIGKILL)
        await child.wait()


@pytest.mark.long
@pytest.mark.parametrize("slices", [1, 7, 40])
async def test_a_kill_in_the_middle_of_a_copy_leaves_none_of_it(path: Path, tmp_path: Path, slices: int) -> None:
    await (await filled(path)).close()
    await killed_while_copying(path, slices)
    damaged = tmp_path / "damaged" / "hd.db"
    damaged.parent.mkdir()
    for tail in ("", "-wal"):
        shutil.copyfile(path.with_name(f"hd.db{tail}"), damaged.with_name(f"hd.db{tail}"))
    events, _, marks = places(damaged)
    assert (events > EVENTS, marks) == (True, 1)
    store = await SqliteStore.open(path)
    assert [row.id for row in await store.sessions()] == ["session-a"]
    assert store.head("session-a") == EVENTS - 1
    await store.create_session(SessionRow("session-c", 3))
    assert store.head("session-c") == -1
    await store.close()
    assert places(path) == (EVENTS, 500, 0)
    # A person who has the same file repaired is not shown the half copy either.
    assert repair(damaged).sessions == 1
    assert repair(damaged).lost == ()
