"""A disk that refuses: nothing is dropped, readers go on, and writing resumes in order."""

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from hd.errors import StoreFull
from hd.session.store.base import SessionRow, StoredEvent
from hd.session.store.sqlite import SqliteStore
from tests.session.store.make import event, plain


def big(seq: int) -> StoredEvent:
    return StoredEvent(seq, 1, "step/start", msgspec.json.encode({"seq": seq, "pad": "x" * 20_000}))


def limit_pages(store: SqliteStore, pages: int) -> None:
    """Sets how far the database may grow; only while nothing is being written."""
    store._writer._connection.execute(f"PRAGMA max_page_count = {pages}").fetchone()


async def seqs(store: SqliteStore) -> list[int]:
    return [msgspec.json.decode(body)["seq"] for body in await store.events("session-a")]


async def test_i03_a_full_store_keeps_events_in_order_and_writes_them_when_there_is_room(
    store: SqliteStore, path: Path
) -> None:
    limit_pages(store, 30)
    for seq in range(10):
        store.append("session-a", [big(seq)])
    with pytest.raises(StoreFull, match="held in memory"):
        await store.flush(durable=True)
    store.append("session-a", [big(10)])
    with pytest.raises(StoreFull):
        await store.flush()
    assert await seqs(store) == list(range(11))
    assert (await store.session("session-a")).head == 10
    limit_pages(store, 100_000)
    await store.flush()
    assert not store._logs["session-a"].pending
    other = sqlite3.connect(path)
    assert other.execute("SELECT count(*) FROM event").fetchone() == (11,)
    other.close()


async def test_a_change_that_was_refused_is_not_made_later(store: SqliteStore) -> None:
    limit_pages(store, 30)
    store.append("session-a", [big(seq) for seq in range(10)])
    with pytest.raises(StoreFull):
        await store.create_session(SessionRow("session-b", 1))
    limit_pages(store, 100_000)
    await store.flush()
    assert [row.id for row in await store.sessions()] == ["session-a"]


async def test_closing_a_full_store_says_how_much_is_lost(path: Path) -> None:
    store = await SqliteStore.open(path)
    await store.create_session(SessionRow("session-a", 1))
    limit_pages(store, 30)
    store.append("session-a", [big(seq) for seq in range(10)])
    with pytest.raises(StoreFull, match="last 10 events"):
        await store.close()
    store = await SqliteStore.open(path)
    assert store.head("session-a") == -1
    store.append("session-a", plain([0]))
    await store.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, check=False
        ).returncode
    )
    if not mounted:
        pytest.skip("a small disk cannot be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


async def test_i03_a_really_full_disk(small_disk: Path) -> None:
    path = small_disk / "store" / "hd.db"
    store = await SqliteStore.open(path)
    await store.create_session(SessionRow("session-a", 1))
    store.append("session-a", [event(0)])
    await store.flush(durable=True)
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="space"):
        file.writelines(bytes(4096) for _ in range(1000))
    store.append("session-a", [big(seq) for seq in range(1, 12)])
    with pytest.raises(StoreFull):
        await store.flush(durable=True)
    assert await seqs(store) == list(range(12))
    filler.unlink()
    await store.flush(durable=True)
    await store.close()
    assert path.stat().st_size > 0
    store = await SqliteStore.open(path)
    assert await seqs(store) == list(range(12))
    await store.close()
