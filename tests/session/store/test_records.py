"""What is billed by, kept beside the log: it is there whenever its event is, whatever becomes of the log."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given, settings

from hd.ledger.books import explain
from hd.protocol.billing import Records, part
from hd.protocol.events import Event
from hd.session.store.base import SessionRow, StoredEvent
from hd.session.store.repair import repair
from hd.session.store.sqlite import SqliteStore
from tests.ledger.test_fold import DRAFTS, ROUTE, attempt, log, message, retry

STREAM = {"type": "chunk", "time": 1, "chunk": {"type": "text-delta", "text": "words " * 5_000}}
LOG = log(ROUTE, attempt(1, 1, 10), retry(1, 1), message(1, 1, 20), ("turn/end", {"turn": 1}), message(2, 1, None))


def stored(events: Sequence[Event]) -> list[StoredEvent]:
    return [StoredEvent.of(event) for event in events]


async def filled(path: Path) -> SqliteStore:
    store = await SqliteStore.open(path)
    await store.create_session(SessionRow("session-a", 1))
    store.append("session-a", stored(LOG))
    return store


def inputs(found: Sequence[Records]) -> dict[str, list[Any]]:
    return {one.session_id: [row["input"] for row in explain(one)["rows"]] for one in found}


async def test_it_follows_the_log_through_growth_forks_a_restart_and_a_repair(path: Path) -> None:
    store = await filled(path)
    before = await store.records({})
    assert inputs(before) == {"session-a": [10, 20, None]}
    await store.copy_session(SessionRow("session-b", 2, extra=b'{"isSeeded":true}'), "session-a", 3, [])
    seed, own = Event("session/end-seed", 4, 2, {"inherited": True}), log(*[message(9, 1, 30)] * 6)[5]
    store.append("session-b", stored([seed, own]))
    later = await store.records({"session-a": before[0].seen})
    assert inputs(later) == {"session-b": [30]}
    assert later[0].is_seeded
    assert inputs(await store.records({}, "session-a")) == {"session-a": [10, 20, None]}
    await store.close()
    assert not repair(path).lost
    store = await SqliteStore.open(path)
    assert inputs(await store.records({})) == {"session-a": [10, 20, None], "session-b": [30]}
    await store.close()


@settings(max_examples=20, deadline=None)
@given(drafts=DRAFTS)
async def test_whatever_is_in_the_log_its_part_is_small(drafts: list[tuple[str, dict[str, Any]]]) -> None:
    for event in log(*drafts):
        data = dict(event.data)
        if isinstance(data.get("stream"), list):
            data["stream"] = [STREAM, *data["stream"]]
        body = msgspec.json.encode(Event(event.type, event.seq, event.time, data).to_wire())
        kept = part(event.type, body)
        assert kept is None or len(kept) < 400


def test_an_event_that_is_none_has_no_part() -> None:
    for body in (b"", b"null", b"[]", b'{"seq":1}', b"\xff", b"[" * 5_000):
        assert part("assistant/message", body) is None
    assert part("turn/end", b'{"type":"turn/end","seq":1}') is None
