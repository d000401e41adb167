"""All sessions of a host that tells no cost: the sums of their whole logs, and no event read again without need."""

import asyncio
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hd.protocol.events import Event
from htui.errors import Unreachable
from htui.link.changes import LinkStatus
from htui.money import log
from htui.money.scan import Scan
from htui.money.store import Store
from pricing import PriceTable, shipped, with_own
from tests.htui.money.host import Kept, LogsHost
from tests.ledger.test_oracle import OWN, sessions
from tests.pricing.moments import beijing

NOW = beijing(2026, 10, 14, 12)
CHILD = {"origin": "subagent", "parentSessionId": "s0", "mode": "one-shot"}
FORK = {"parentSessionId": "s0"}


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "REST", 0.0)


def scan_of(host: LogsHost, folder: Path, tables: PriceTable | None = None) -> Scan:
    return Scan(host, Store(folder), tables or shipped(), lambda: NOW, lambda: None)


async def look(scan: Scan, selected: Callable[[], str | None] = lambda: None) -> dict[str, Any]:
    await scan.look(selected)
    return dict(scan.summary or {})


def drawn(seed: int) -> dict[str, Kept]:
    """Sessions of all kinds, of the last days before NOW."""
    chance = random.Random(seed)
    found: dict[str, Kept] = {}
    for number, (wire, seeded) in enumerate(sessions(seed, 60)):
        row = FORK if seeded else CHILD if number and chance.random() < 0.3 else {}
        kept = Kept([Event.from_wire(event) for event in wire], NOW - number, seeded, dict(row))
        kept.lag, kept.loaded = chance.choice((0, 0, 1, 5, 40)), chance.random() < 0.4
        found[f"s{number}"] = kept
    return found


@pytest.mark.parametrize("seed", range(4))
async def test_t20_the_sums_are_those_of_the_whole_logs_however_they_grow(tmp_path: Path, seed: int) -> None:
    chance, whole = random.Random(seed), drawn(seed)
    host = LogsHost({})
    for session_id, kept in whole.items():
        cut = chance.randrange(1, len(kept.events)) if not kept.seeded else len(kept.events)
        host.sessions[session_id] = Kept(
            kept.events[:cut], kept.updated_at, kept.seeded, kept.row, kept.lag, kept.loaded
        )
    told_nothing = {known for known, kept in host.sessions.items() if kept.as_of < 0}
    scan = scan_of(host, tmp_path)
    assert await look(scan) == host.whole(None, NOW)
    for session_id, part in host.sessions.items():
        part.events, part.updated_at = whole[session_id].events, part.updated_at + 1
    assert await look(scan) == host.whole(None, NOW)
    assert (scan.progress.read, scan.progress.failed) == (len(whole), 0)
    own = with_own("prices.json", json.dumps(OWN).encode())
    host.pages.clear()
    assert await look(scan_of(host, tmp_path, own)) == host.whole(own, NOW)
    assert not host.pages, "other prices need nothing of the host"
    forks = {known for known, kept in whole.items() if kept.seeded}
    assert set(host.followed) <= forks | told_nothing, "to follow a session makes some hosts load it"


async def test_only_what_is_new_is_read_again(tmp_path: Path) -> None:
    (wire, _), *_ = sessions(1, 100)
    events = [Event(one["type"], seq, one["time"], one["data"]) for seq, one in enumerate([*wire] * 20)]
    host = LogsHost({"a": Kept(events[:-12], 0), "b": Kept(events[:100], 0)})
    scan = scan_of(host, tmp_path)
    await look(scan)
    assert sum(last - first + 1 for _, first, last in host.pages) >= len(events) - 12 + 100
    host.pages.clear()
    await look(scan)
    assert not host.pages
    host.sessions["a"].events = events
    for again in (scan, scan_of(host, tmp_path)):
        assert await look(again) == host.whole(None, NOW)
    assert {session_id for session_id, _, _ in host.pages} == {"a"}
    assert sum(last - first + 1 for _, first, last in host.pages) < 40
    host.sessions["a"].events, host.sessions["a"].loaded = events[:50], True
    assert await look(scan) == host.whole(None, NOW), "a log that was set back is read anew"


async def test_a_session_that_cannot_be_read_is_counted_and_the_rest_goes_on(tmp_path: Path) -> None:
    host = LogsHost(drawn(3))
    broken = next(iter(host.sessions))
    host.sessions[broken].broken = True
    scan = scan_of(host, tmp_path)
    await look(scan)
    at = scan.progress
    assert (at.read, at.all, at.failed, at.why) == (len(host.sessions) - 1, len(host.sessions), 1, "the log is damaged")
    host.sessions[broken].broken = False
    assert await look(scan) == host.whole(None, NOW)
    assert scan.progress.failed == 0


async def test_it_goes_on_where_it_was_cancelled_or_cut_off(tmp_path: Path) -> None:
    host = LogsHost(drawn(4))
    scan, third = scan_of(host, tmp_path), list(host.sessions)[2]
    task = asyncio.create_task(look(scan))
    host.on_page = lambda session_id: task.cancel() if session_id == third else None  # type: ignore[func-returns-value]
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not scan.progress.looking
    assert 0 < scan.progress.read < len(host.sessions)

    def cut_off(session_id: str) -> None:
        host.status = LinkStatus("offline")
        raise Unreachable("the line is cut")

    host.on_page = cut_off
    with pytest.raises(Unreachable):
        await look(scan)
    assert scan.progress.failed == 0
    order: list[str] = []
    host.on_page, host.status = order.append, LinkStatus("online")
    last = list(host.sessions)[-1]
    assert await look(scan, lambda: last) == host.whole(None, NOW)
    assert order[0] == last, "the one in sight comes first"


async def test_what_rests_for_long_is_left_out_unless_it_is_in_sight(tmp_path: Path) -> None:
    host = LogsHost(drawn(5))
    old = next(iter(host.sessions))
    host.sessions[old].updated_at = NOW - 61 * 86_400_000
    scan = scan_of(host, tmp_path)
    await look(scan)
    assert (scan.progress.old, scan.progress.all) == (1, len(host.sessions) - 1)
    assert old not in scan.accounts
    assert await look(scan, lambda: old) == host.whole(None, NOW)


async def test_what_began_or_ended_to_run_is_read_though_its_row_is_the_same(tmp_path: Path) -> None:
    host = LogsHost({known: kept for known, kept in drawn(6).items() if not kept.row})
    scan = scan_of(host, tmp_path)
    known, kept = next(iter(host.sessions.items()))
    kept.loaded, kept.lag, whole = False, 0, kept.events
    kept.events = whole[:-10]
    before = kept.listed(known)
    await look(scan)
    kept.events, kept.lag = whole, 10
    assert kept.listed(known) == before
    host.host.event({"type": "emit", "event": "api-session/status", "args": [known, False]}, NOW)
    assert await look(scan) == host.whole(None, NOW)


async def test_a_host_whose_logs_have_no_end_is_given_up(tmp_path: Path) -> None:
    host = LogsHost({"endless": Kept(list(next(iter(drawn(7).values())).events), NOW)})
    event = host.sessions["endless"].events[0].to_wire()
    host.answer = lambda endpoint, /, **args: (  # type: ignore[method-assign]
        {"items": [kept.listed(known) for known, kept in host.sessions.items()]}
        if endpoint == "session/list"
        else {"records": [{"type": "event", "event": {**event, "seq": args["request"]["throughSeq"]}}], "hasMore": True}
    )
    scan = scan_of(host, tmp_path)
    await look(scan)
    assert scan.progress.why == "The host gives pages beyond the end of every log."
