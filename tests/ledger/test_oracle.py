"""The ledger against a second reckoning of the same logs, to the last digit (cases H01 to H06)."""

import json
import random
import time
from typing import Any

import msgspec
import pytest

from hd.billing.bill import total
from hd.billing.cost import cost_projection
from hd.billing.fold import fold
from hd.ledger.books import Books, explain
from hd.protocol.billing import Records, part
from hd.protocol.events import Event
from pricing import plain, with_own
from tests.ledger import oracle
from tests.pricing.moments import beijing

Log = list[dict[str, Any]]

_PEAKS = {"timezone": "Asia/Shanghai", "weekdays": [1, 2, 3, 4, 5], "windows": [[540, 720], [840, 1080]]}
_FLASH = {"provider": "deepseek-official", "model": "deepseek-flash", "aliases": ["deepseek-v4-flash*"]}


def _rates(*rates: str) -> dict[str, str]:
    return dict(zip(("input", "cacheRead", "cacheWrite", "output"), rates, strict=True))


def _entry(entry_id: str, **rest: Any) -> dict[str, Any]:
    return {"id": entry_id, "source": "a test", "currency": "CNY", **_PEAKS, **rest}


OWN = [
    _entry(  # The shipped entry of this id ends earlier, and another follows on it.
        "deepseek-flash-2026-09-10",
        **_FLASH,
        **{"from": "2026-09-10", "until": "2026-10-13"},
        peak=_rates("2", "0.04", "2", "8"),
        offPeak=_rates("1.000000000001", "0.02", "1", "4"),
    ),
    _entry(
        "flash-later",
        **_FLASH,
        **{"from": "2026-10-13"},
        peak=_rates("3.3", "0.033", "0", "9.999999999999"),
        offPeak=_rates("0", "0.000000000007", "0", "5"),
    ),
    _entry(
        "mine",
        provider="mine",
        model="own-model",
        aliases=["own-*", "own-model-x*"],
        **{"from": "2026-09-01", "timezone": "UTC", "weekdays": [0, 6], "windows": [[0, 1440]]},
        peak=_rates("7", "1", "8", "70"),
        offPeak=_rates("0.7", "0.1", "0.8", "7"),
    ),
    _entry(
        "mine-x",
        provider="mine",
        model="own-exact",
        **{"from": "2026-09-01", "currency": "USD"},
        peak=_rates("1", "1", "1", "1"),
        offPeak=_rates("1", "1", "1", "1"),
    ),
]
ROUTES = [
    ("deepseek-official", "deepseek-flash"),
    ("deepseek-official", "deepseek-flash"),
    ("deepseek-official", " DeepSeek-V4。1-Flash-0910"),
    ("deepseek-official", "deepseek-v4-pro"),
    ("deepseek-official", "deepseek-v3"),
    ("mine", "own-model"),
    ("mine", "own-model-xl"),
    ("mine", "own-exact"),
    ("demo", "demo"),
    ("", ""),
]
DAYS = [
    *((2026, 9, 9), (2026, 9, 10), (2026, 9, 20), (2026, 9, 25), (2026, 9, 26), (2026, 10, 1), (2026, 10, 8)),
    *((2026, 10, 10), (2026, 10, 12), (2026, 10, 13), (2026, 10, 25), (2026, 11, 1), (2026, 11, 30), (2031, 10, 1)),
]
"""About price changes, a holiday, days worked for one, ends of summer time elsewhere, and one of an unknown year."""


class Drafts:
    """A log that grows at random; the numbers of turns and steps go on as those of a session do."""

    def __init__(self, chance: random.Random) -> None:
        self.chance, self.log, self.turn, self.step = chance, [], 1, 1
        self.log: Log

    def grow(self) -> None:
        kind = self.chance.choices(
            ("step", "turn", "retry", "again", "route", "compaction", "title", "bare", "else"),
            (30, 8, 12, 10, 5, 3, 3, 3, 3),
        )[0]
        match kind:
            case "step" | "turn":
                self.turn, self.step = (self.turn, self.step + 1) if kind == "step" else (self.turn + 1, 1)
                self._record()
            case "retry":
                other = self.chance.random() < 0.2
                self._add("llm/retry-started", {"turn": self.turn, "step": self.step + other, "retryId": "r"})
                self._record()
            case "again":
                self._record()
            case "route":
                provider, model = self.chance.choice(ROUTES)
                self._add("request/context", {"provider": provider, "model": model})
            case "compaction":
                end = self.chance.choice(("compaction/summary", "compaction/end"))
                self._add(end, self._usage() | self._source())
            case "title":
                self._add("session/title-llm-usage", self._usage() | self._source())
            case "bare":
                self._add("compaction/end", {"reason": "there was nothing to summarize"})
            case _:
                self._add("tool/call", {"turn": self.turn, "step": self.step, "usage": {"inputTokens": 9}})

    def inherited(self) -> None:
        """All so far came from another session."""
        self._add("session/end-seed", {"inherited": True})

    def _record(self) -> None:
        data: dict[str, Any] = {"turn": self.turn, "step": self.step, "stream": []}
        usage = self._usage()
        if self.chance.random() < 0.4:
            self._add("assistant/attempt", data | {"stream": [self._chunk(), *([self._chunk()] if usage else [])]})
        else:
            self._add("assistant/message", data | {"message": {"source": {"kind": "model", **self._source()}}} | usage)

    def _chunk(self) -> dict[str, Any]:
        usage = self._usage().get("usage")
        chunk = {"type": "finish"} if usage is None else {"type": "usage", "usage": usage}
        return {"type": "chunk", "time": 1, "chunk": chunk}

    def _source(self) -> dict[str, str]:
        if self.chance.random() < 0.5:
            return {}
        provider, model = self.chance.choice(ROUTES)
        return {"provider": provider, "model": model}

    def _usage(self) -> dict[str, Any]:
        chance = self.chance
        counts = {
            "inputTokens": chance.choice((0, 1, chance.randrange(10**6))),
            "outputTokens": chance.randrange(10**5),
        }
        if chance.random() < 0.7:
            counts["cacheReadTokens"] = chance.randrange(10**6)
        if chance.random() < 0.1:
            counts["cacheWriteTokens"] = chance.randrange(3)
        match chance.randrange(12):
            case 0:
                return {}
            case 1:
                counts["totalTokens"] = sum(counts.values()) + chance.randrange(2)
            case 2:
                return {"usage": counts | {"exact": False}}
            case 3:
                return {"usage": {**counts, "outputTokens": chance.choice((-1, None, "9", 1.0))}}
        return {"usage": counts}

    def _add(self, kind: str, data: dict[str, Any]) -> None:
        day, chance = self.chance.choice(DAYS), self.chance
        border = beijing(*day, chance.choice((0, 9, 12, 14, 18, chance.randrange(24))))
        time = border + chance.choice((-1, 0, 1, -1000, 999, chance.randrange(3_600_000)))
        self.log.append({"type": kind, "seq": len(self.log), "time": time, "data": data})


def sessions(seed: int, requests: int) -> list[tuple[Log, bool]]:
    """Logs with so many requests together, and whether each is a fork. Children are sessions of their own."""
    chance, made = random.Random(seed), 0
    found: list[tuple[Log, bool]] = []
    while made < requests:
        draft, seeded = Drafts(chance), chance.random() < 0.3
        for _ in range(chance.randrange(5, 120)):
            draft.grow()
        if seeded:
            draft.inherited()
            for _ in range(chance.randrange(40)):
                draft.grow()
        found.append((draft.log, seeded))
        made += len(oracle.charges(draft.log, ()))
    return found


def judge(logs: list[tuple[Log, bool]]) -> None:
    tables, entries = with_own("prices.json", json.dumps(OWN).encode()), oracle.price_entries(OWN)
    projection, books = cost_projection(tables), Books(tables)
    assert projection.view is not None
    everything: list[oracle.Charge] = []
    for number, (log, seeded) in enumerate(logs):
        charges = oracle.charges(log, entries)
        expected = oracle.add(charges)
        events = [Event.from_wire(row) for row in log]
        bill = total(fold(events, seeded=seeded), tables)
        assert oracle.Sum(plain(bill.amount), bill.requests, bill.unpriced, bill.exact) == expected
        view = projection.view(projection.fold(events))
        assert _sum(view) == expected
        for one in view["models"]:
            _judge_model(one, [c for c in charges if (c.provider, c.model) == (one["provider"], one["model"])])
        bodies = [body for row in log if (body := part(row["type"], msgspec.json.encode(row))) is not None]
        records = Records(f"s{number}", seeded, bodies, len(log))
        rows = explain(records, tables)["rows"]
        assert sorted((row["time"], row["model"], row["amount"] or "") for row in rows) == sorted(
            (c.time, c.model, "" if c.units is None else oracle.written(c.units)) for c in charges
        )
        half = len(bodies) // 2
        books.grow([Records(records.session_id, seeded, bodies[:half], half)])
        books.grow([Records(records.session_id, seeded, bodies[half:], len(log))])
        everything += charges
    _judge_books(books, everything)


def _judge_model(shown: dict[str, Any], charges: list[oracle.Charge]) -> None:
    assert _sum(shown) == oracle.add(charges)
    told = [c.tokens for c in charges if c.tokens is not None]
    columns = zip(("input", "cacheRead", "cacheWrite", "output"), zip(*told, strict=True), strict=True) if told else ()
    for name, counts in columns:
        assert shown[name] == sum(counts)


def _judge_books(books: Books, charges: list[oracle.Charge]) -> None:
    """A Tuesday of Beijing on which the prices changed, its week, its month, and the days before."""
    summary = books.summary(beijing(2026, 10, 13, 23, 59, 59))
    for name, first in (("today", "2026-10-13"), ("week", "2026-10-12"), ("month", "2026-10-01")):
        assert _sum(summary[name]) == oracle.add(c for c in charges if first <= c.day <= "2026-10-13"), name
    today = books.today(beijing(2026, 10, 13, 0, 0, 1))
    assert (plain(today.amount), today.requests) == (summary["today"]["amount"], summary["today"]["requests"])
    assert _sum(summary["total"]) == oracle.add(charges)
    for day in summary["days"]:
        assert _sum(day) == oracle.add(c for c in charges if c.day == day["day"])
    shown = {day["day"] for day in summary["days"]}
    assert shown == {c.day for c in charges if "2026-08-15" <= c.day <= "2026-10-13"}


def _sum(shown: dict[str, Any]) -> oracle.Sum:
    return oracle.Sum(shown["amount"], shown["requests"], shown["unpriced"], shown["exact"])


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Kathmandu", "Europe/Berlin"])
def test_h04_the_ledger_agrees_to_the_last_digit_wherever_the_host_stands(
    zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        try:
            judge(sessions(seed=len(zone), requests=400))
        finally:
            patch.undo()
            time.tzset()


@pytest.mark.long
def test_h02_ten_thousand_requests_agree_to_the_last_digit() -> None:
    judge(sessions(seed=2, requests=10_000))
