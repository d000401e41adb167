"""Appending, reading back, and what readers see of events that are still queued."""

import asyncio
import stat
from pathlib import Path
from threading import Event

import msgspec
import pytest

from hd.errors import SessionConflict, SessionNotFound
from hd.session.store import base
from hd.session.store.base import SessionRow
from hd.session.store.pages import SPLIT_BYTES
from hd.session.store.sqlite import SqliteStore
from tests.session.store.conftest import NOW
from tests.session.store.make import event, message, plain


async def test_bodies_come_back_byte_for_byte_and_in_order(store: SqliteStore) -> None:
    wanted = plain(range(1000))
    store.append("session-a", wanted[:400])
    store.append("session-a", wanted[400:])
    await store.flush()
    assert await store.events("session-a") == [e.body for e in wanted]
    assert await store.events("session-a", from_seq=10, to_seq=12) == [e.body for e in wanted[10:13]]
    assert store.head("session-a") == 999


async def test_events_can_be_read_before_they_are_written(store: SqliteStore) -> None:
    store.append("session-a", plain(range(5)))
    await store.flush()
    store.append("session-a", plain(range(5, 900)))
    assert [msgspec.json.decode(b)["seq"] for b in await store.events("session-a", from_seq=3)] == list(range(3, 900))
    assert (await store.session("session-a")).head == 899


async def test_written_events_leave_the_memory(store: SqliteStore) -> None:
    store.append("session-a", plain(range(50)))
    await store.flush()
    assert not store._logs["session-a"].pending


async def test_events_can_be_chosen_by_type(store: SqliteStore) -> None:
    store.append("session-a", [event(0), message(1), event(2), message(3)])
    wanted = [message(1).body, message(3).body]
    assert await store.events("session-a", types={"user/message"}) == wanted
    await store.flush()
    assert await store.events("session-a", types={"user/message"}) == wanted
    assert await store.events("session-a", types=()) == []


async def test_pages_are_bounded_by_count_and_by_bytes(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.append("session-a", plain(range(1300)))
    await store.flush()
    sizes = [len(piece) async for piece in store.pages("session-a")]
    assert sum(sizes) == 1300
    assert max(sizes) == base.PAGE_EVENTS
    monkeypatch.setattr("hd.session.store.reads.PAGE_BYTES", 200)
    assert max([len(piece) async for piece in store.pages("session-a")]) < 10


async def test_a_gap_a_repeat_and_an_unknown_session_are_refused_at_once(store: SqliteStore) -> None:
    store.append("session-a", plain([0, 1]))
    for wrong in ([3], [1], [2, 4]):
        with pytest.raises(ValueError, match="comes next"):
            store.append("session-a", plain(wrong))
    with pytest.raises(SessionNotFound):
        store.append("session-b", plain([0]))
    store.append("session-a", plain([2]))
    await store.flush()
    assert store.head("session-a") == 2


async def test_sessions_do_not_mix(store: SqliteStore) -> None:
    await store.create_session(SessionRow("session-b", NOW + 1))
    for seq in range(20):
        store.append("session-a", plain([seq]))
        if seq < 7:
            store.append("session-b", plain([seq]))
    await store.flush()
    assert len(await store.events("session-a")) == 20
    assert len(await store.events("session-b")) == 7
    assert [(row.id, row.head) for row in await store.sessions()] == [("session-b", 6), ("session-a", 19)]


async def test_a_session_keeps_its_row(path: Path) -> None:
    header = SessionRow("session-x", 5, "/w", "session-p", "subagent", None, b'{"isSeeded":true}', 9)
    store = await SqliteStore.open(path)
    await store.create_session(header)
    store.save_projections("session-x", 3, b'{"a":1}', 77)
    await store.close()
    store = await SqliteStore.open(path)
    row = await store.session("session-x")
    await store.close()
    assert (row.cwd, row.parent, row.origin, row.extra) == ("/w", "session-p", "subagent", b'{"isSeeded":true}')
    assert (row.created_at, row.updated_at, row.projections, row.as_of_seq) == (5, 77, b'{"a":1}', 3)


async def test_the_same_id_twice_is_a_conflict(store: SqliteStore) -> None:
    with pytest.raises(SessionConflict):
        await store.create_session(SessionRow("session-a", NOW))


async def test_a_session_whose_creator_stopped_waiting_is_usable(store: SqliteStore) -> None:
    gate = Event()
    store._keep(lambda connection: _wait(gate))
    creating = asyncio.create_task(store.create_session(SessionRow("session-c", NOW)))
    await store.load_setting("anything")
    assert creating.cancel()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await creating
    await store.flush()
    store.append("session-c", plain([0]))
    await store.flush()
    assert store.head("session-c") == 0


async def test_a_partial_answer_is_replaced_and_cleared(store: SqliteStore) -> None:
    store.keep_partial("session-a", b'{"n":1}')
    store.keep_partial("session-a", b'{"n":2}')
    await store.flush()
    assert await store.partial("session-a") == b'{"n":2}'
    store.keep_partial("session-a", None)
    await store.flush()
    assert await store.partial("session-a") is None


async def test_a_closed_store_says_so_and_closes_twice(store: SqliteStore) -> None:
    await store.close()
    await store.close()
    with pytest.raises(RuntimeError, match="closed"):
        store.append("session-a", plain([0]))


async def test_closing_writes_what_is_queued(path: Path) -> None:
    store = await SqliteStore.open(path)
    await store.create_session(SessionRow("session-a", 1))
    store.append("session-a", plain(range(3000)))
    await store.close()
    assert not path.with_name("hd.db-wal").exists()
    store = await SqliteStore.open(path)
    assert store.head("session-a") == 2999
    await store.close()


async def test_files_are_private(store: SqliteStore, path: Path) -> None:
    store.append("session-a", plain([0]))
    await store.flush()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


async def test_a_durable_flush_syncs_even_when_all_is_written(store: SqliteStore, path: Path) -> None:
    log = path.with_name("hd.db-wal")
    store.append("session-a", plain([0]))
    await store.flush()
    size = log.stat().st_size
    await store.flush(durable=True)
    assert log.stat().st_size > size
    size = log.stat().st_size
    await store.flush(durable=True)
    await store.flush()
    assert log.stat().st_size == size


async def test_settings_are_json_values(store: SqliteStore) -> None:
    assert await store.load_setting("model") is None
    await store.save_setting("model", {"model": "deepseek-flash", "list": [1, None]})
    assert await store.load_setting("model") == {"model": "deepseek-flash", "list": [1, None]}
    await store.save_setting("model", None)
    assert await store.load_setting("model") is None


def _wait(gate: Event) -> None:
    assert gate.wait(10)


@pytest.mark.long
async def test_i09_a_log_of_200k_events_is_read_in_pieces(store: SqliteStore) -> None:
    for first in range(0, 200_000, 1000):
        store.append("session-a", plain(range(first, first + 1000)))
        await store.flush()
    start = await store.page_start("session-a", before_seq=None, through_seq=199_999, messages=50)
    # There is no message at all: what is sent is bounded all the same.
    size = sum(len(body) for body in await store.events("session-a", from_seq=start))
    assert start > 0
    assert SPLIT_BYTES * 0.99 < size <= SPLIT_BYTES
    total = 0
    async for piece in store.pages("session-a"):
        assert len(piece) <= base.PAGE_EVENTS
        total += len(piece)
    assert total == 200_000
