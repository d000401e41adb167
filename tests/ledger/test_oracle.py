"""The ledger against plain arithmetic over the raw log, to the last digit (cases H, with the time zone of the host)."""

import random
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from importlib.resources import files
from typing import Any

import holidays
import pytest

from hd.ledger.bill import total
from hd.ledger.cost import cost_projection
from hd.ledger.fold import fold
from hd.protocol.events import Event
from pricing import with_own
from tests.ledger import oracle

OWN = """[
  {"id": "deepseek-flash-2026-09-10", "provider": "deepseek-official", "model": "deepseek-flash",
   "aliases": ["deepseek-v4-flash*"], "from": "2026-09-10", "until": "2026-10-12", "currency": "CNY",
   "source": "a test", "checkedOn": "2026-10-01", "timezone": "Asia/Shanghai", "weekdays": [1, 2, 3, 4, 5],
   "windows": [[540, 720], [840, 1080]],
   "peak": {"input": "2.123", "cacheRead": "0.041", "cacheWrite": "2", "output": "8.07"},
   "offPeak": {"input": "1", "cacheRead": "0.0207", "cacheWrite": "1", "output": "4"}},
  {"id": "flash-later", "provider": "deepseek-official", "model": "deepseek-flash", "aliases": ["deepseek-v4-flash*"],
   "from": "2026-10-12", "until": null, "currency": "CNY", "source": "a test", "checkedOn": "2026-10-01",
   "timezone": "Asia/Shanghai", "weekdays": [0, 6], "windows": [[0, 1440]],
   "peak": {"input": "3", "cacheRead": "0.3", "cacheWrite": "3", "output": "9"},
   "offPeak": {"input": "0.7", "cacheRead": "0.007", "cacheWrite": "0.7", "output": "2.1"}}
]"""
SHIPPED = (files("pricing") / "data" / "deepseek.json").read_text()
BOUNDARIES = [
    "08:59:59",
    "09:00:00",
    "11:59:59",
    "12:00:00",
    "13:59:59",
    "14:00:00",
    "17:59:59",
    "18:00:00",
    "00:00:00",
]
DAYS = [
    *(f"2026-09-{day:02}" for day in (8, 9, 10, 11, 25, 26, 27, 28, 30)),
    *(f"2026-10-{day:02}" for day in (1, 5, 8, 9, 10, 11, 12, 13, 24, 25)),
    "2026-11-01",
    "2026-12-31",
]
MODELS = ["deepseek-flash", "deepseek-v4-pro", "DeepSeek-V4-Flash-vision-exp", "deepseek-v4.1-pro-x", "unknown"]
ZONES = ["America/Los_Angeles", "Asia/Kathmandu", "Europe/Berlin"]


def closed() -> frozenset[date]:
    return frozenset(holidays.country_holidays("CN", years=[2026]))  # type: ignore[attr-defined]


def moment(chance: random.Random) -> int:
    """A time at or beside a boundary of prices, hours, days and daylight saving somewhere."""
    at = datetime.fromisoformat(f"{chance.choice(DAYS)}T{chance.choice(BOUNDARIES)}").replace(tzinfo=UTC)
    beijing = at - timedelta(hours=8)
    return int(beijing.timestamp() * 1000) + chance.choice((-1, 0, 0, 1, 999, 1000, 3_600_000))


def usage(chance: random.Random) -> Any:
    counts = {"inputTokens": chance.randrange(200_000), "outputTokens": chance.randrange(9_000)}
    if chance.random() < 0.8:
        counts["cacheReadTokens"] = chance.randrange(900_000)
    if chance.random() < 0.05:
        counts["cacheWriteTokens"] = chance.randrange(3)
    if chance.random() < 0.3:
        counts["totalTokens"] = sum(counts.values()) + (chance.random() < 0.1)
    return counts if chance.random() < 0.95 else {**counts, "outputTokens": chance.choice([-1, None, "9"])}


def logs(chance: random.Random) -> Iterator[dict[str, Any]]:
    """The billed events of a session: turns with retries, replaced records, compactions, titles, forks, models."""
    forked = chance.random() < 0.3
    seeds = chance.randrange(3) if forked else 0
    for turn in range(1, chance.randrange(2, 9)):
        if chance.random() < 0.5:
            yield {"type": "request/context", "data": {"provider": "deepseek-official", "model": chance.choice(MODELS)}}
        for step in range(1, chance.randrange(2, 5)):
            place = {"turn": turn, "step": step}
            for _ in range(chance.randrange(1, 3)):
                if chance.random() < 0.3:
                    told = {"usage": usage(chance)} if chance.random() < 0.5 else {}
                    yield {"type": "assistant/attempt", "data": {**place, **told}}
                    if chance.random() < 0.7:
                        yield {"type": "llm/retry-started", "data": place}
            yield {"type": "assistant/message", "data": {**place, **_answer(chance)}}
            if chance.random() < 0.1:
                yield {"type": "assistant/message", "data": {**place, **_answer(chance)}}
        if chance.random() < 0.2:
            model = {"provider": "deepseek-official", "model": chance.choice(MODELS)} if chance.random() < 0.7 else {}
            yield {"type": "compaction/summary", "data": {"usage": usage(chance), **model}}
        if chance.random() < 0.2:
            yield {"type": "session/title-llm-usage", "data": {"usage": usage(chance)}}
        if forked and chance.random() < 0.3 and seeds:
            seeds -= 1
            yield {"type": "session/end-seed", "data": {"inherited": chance.random() < 0.8}}


def _answer(chance: random.Random) -> dict[str, Any]:
    source = {"provider": "deepseek-official", "model": chance.choice(MODELS)} if chance.random() < 0.8 else {}
    message = {"role": "assistant", "content": [], "source": {"kind": "model", **source}}
    if chance.random() < 0.2:
        return {"message": message, "stream": [{"type": "chunk", "chunk": {"type": "usage", "usage": usage(chance)}}]}
    return {"message": message, **({"usage": usage(chance)} if chance.random() < 0.95 else {})}


def check(requests: int, seed: int) -> None:
    chance, seen = random.Random(seed), 0
    tables = with_own("prices.json", OWN.encode())
    prices, days = oracle.raw_prices(SHIPPED, OWN), closed()
    while seen < requests:
        log = [{**event, "time": moment(chance)} for event in logs(chance)]
        events = [Event(event["type"], seq, event["time"], event["data"]) for seq, event in enumerate(log)]
        expected = oracle.bill(log, prices, days)
        whole = total(fold(events), tables)
        projected = cost_projection(tables).fold(events).bill()
        for bill in (whole, projected):
            assert Fraction(bill.amount) == expected["amount"]
            assert (bill.requests, bill.unpriced) == (expected["requests"], expected["unpriced"])
        seen += expected["requests"]


@pytest.mark.parametrize("zone", ZONES)
def test_h04_the_ledger_agrees_with_plain_arithmetic_wherever_the_host_stands(
    zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        check(400, seed=hash_of(zone))
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.long
def test_h02_ten_thousand_requests_agree_to_the_last_digit() -> None:
    check(10_000, seed=1)


def hash_of(text: str) -> int:
    return sum(map(ord, text))
