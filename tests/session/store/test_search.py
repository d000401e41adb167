"""What is found, after every way in which a log can come into a database."""

import sqlite3
from pathlib import Path

import msgspec
import pytest

from hd.session.store import repair, said, search
from hd.session.store.base import SessionRow, StoredEvent
from hd.session.store.search import SearchTooSlow
from hd.session.store.sqlite import SqliteStore
from tests.session.store.test_schema import load


def event(seq: int, text: str, kind: str = "user") -> StoredEvent:
    message = {"content": [{"type": "text", "text": text}], "source": {"kind": kind}}
    wire = {"type": "user/message", "seq": seq, "time": 1, "data": message, "surfaceOp": "append"}
    return StoredEvent(seq, 1, "user/message", msgspec.json.encode(wire))


async def ids(store: SqliteStore, *words: str, most: int = 20) -> list[str]:
    return [hit.session_id for hit in await store.search(words, most)]


async def test_what_is_queued_is_found(store: SqliteStore) -> None:
    await store.create_session(SessionRow("one", 1))
    store.append("one", [event(0, "a needle"), event(1, "a context needle", "runtime-context")])
    (hit,) = await store.search(["needle"], 20)
    assert (hit.session_id, hit.text) == ("one", "a needle")


async def test_the_last_used_come_first_and_no_more_than_asked(store: SqliteStore) -> None:
    for number in range(5):
        await store.create_session(SessionRow(f"s{number}", 1, updated_at=number + 1))
        store.append(f"s{number}", [event(0, "needle"), event(1, "needle again")])
    assert await ids(store, "needle") == ["s4", "s3", "s2", "s1", "s0"]
    assert await ids(store, "ne", most=2) == ["s4", "s3"]


async def test_a_copied_log_is_found_up_to_the_cut(store: SqliteStore) -> None:
    await store.create_session(SessionRow("one", 1))
    store.append("one", [event(0, "early"), event(1, "later")])
    await store.copy_session(SessionRow("two", 2), "one", 0, [event(1, "tail")])
    assert set(await ids(store, "early")) == {"one", "two"}
    assert await ids(store, "later") == ["one"]
    assert await ids(store, "tail") == ["two"]
    assert store.head("two") == 1
    store.append("two", [event(2, "more")])
    assert await ids(store, "more") == ["two"]


async def test_i08_an_old_database_is_filled(path: Path) -> None:
    load(path, "schema1.sql")
    store = await SqliteStore.open(path)
    assert await ids(store, "hello") == await ids(store, "hi") == ["session-00000000-0000-4000-8000-000000000001"]
    await store.close()


async def test_a_repaired_database_is_searched_as_before(path: Path) -> None:
    store = await SqliteStore.open(path)
    await store.create_session(SessionRow("one", 1))
    store.append("one", [event(0, "needle")])
    await store.close()
    repair.repair(path)
    again = await SqliteStore.open(path)
    assert await ids(again, "needle") == ["one"]
    await again.close()


async def test_a_search_without_end_is_given_up(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    await store.create_session(SessionRow("one", 1))
    store.append("one", [event(seq, f"needle {seq}") for seq in range(3000)])
    monkeypatch.setattr(search, "SECONDS", -1.0)
    with pytest.raises(SearchTooSlow):
        await store.search(["n"], 20)


def test_what_is_no_message_says_nothing() -> None:
    for body in (b"{}", b"[", b'{"data":5}', b'{"data":{"content":"x","source":{"kind":"user"}}}'):
        assert said.text_in("user/message", body) == said.text_in("assistant/message", body) == ""
    assert said.text_in("tool/result", event(0, "x").body) == ""


async def test_the_index_agrees_with_the_text(store: SqliteStore, path: Path) -> None:
    await store.create_session(SessionRow("one", 1))
    store.append("one", [event(0, "needle")])
    await store.flush()
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO said_index (said_index) VALUES ('integrity-check')")
    connection.close()
