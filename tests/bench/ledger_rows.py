"""What it takes to reckon money: a long session folded, a look at its sum, and the books of a year made and read."""

from time import perf_counter
from typing import Any, Final

import msgspec

from hd.billing.cost import COST
from hd.ledger.books import Books
from hd.protocol.billing import Records
from hd.protocol.events import Event
from tests.bench.figures import Row
from tests.bench.stage import Probe, Samples, Stage

FOLD: Final = Row("ledger_fold_100k", "s", 0.5)
VIEW: Final = Row("ledger_look_at_100k", "ms")
SUMMARY: Final = Row("books_summary_of_a_year", "ms", 50)
TODAY: Final = Row("books_today_of_a_year", "ms")

_ATTEMPTS: Final = 100_000
_START: Final = 1_790_402_399_000
"""A time in ms at which the shipped prices count."""

_HOUR: Final = 3_600_000


def _records(count: int, start: int, step: int) -> list[dict[str, Any]]:
    """So many requests, one each `step` ms from `start` on."""
    route = {"provider": "deepseek-official", "model": "deepseek-flash"}
    rows: list[dict[str, Any]] = [{"type": "request/context", "seq": 0, "time": start, "data": route}]
    for seq in range(1, count + 1):
        usage = {"inputTokens": seq, "cacheReadTokens": 1000 + seq, "outputTokens": 7}
        data = {"turn": seq, "step": 1, "stream": [], "message": {"source": route}, "usage": usage}
        rows.append({"type": "assistant/message", "seq": seq, "time": start + seq * step, "data": data})
    return rows


def session(stage: Stage, runs: int) -> Samples:
    """A session of 100,000 requests in a year: folded from nothing, then looked at."""
    events = [Event.from_wire(row) for row in _records(_ATTEMPTS, _START, 365 * 24 * _HOUR // _ATTEMPTS)]
    folds, looks = [], []
    for _ in range(runs):
        began = perf_counter()
        state = COST.fold(events)
        folded = perf_counter()
        assert COST.view is not None
        assert COST.view(state)["requests"] == _ATTEMPTS
        folds.append(folded - began)
        looks.append((perf_counter() - folded) * 1000)
    return {FOLD.name: folds, VIEW.name: looks}


def year(stage: Stage, runs: int) -> Samples:
    """Three sessions a day for a year, each of twenty requests in five hours."""
    books, now = Books(), _START + 365 * 24 * _HOUR
    for number in range(3 * 365):
        rows = _records(20, _START + number * 8 * _HOUR, _HOUR // 4)
        books.grow([Records(f"s{number}", False, [msgspec.json.encode(row) for row in rows], len(rows))])
    summaries, days = [], []
    for _ in range(runs):
        began = perf_counter()
        assert books.summary(now)["total"]["requests"] == 20 * 3 * 365
        told = perf_counter()
        books.today(now)
        summaries.append((told - began) * 1000)
        days.append((perf_counter() - told) * 1000)
    return {SUMMARY.name: summaries, TODAY.name: days}


PROBES: Final = (Probe((FOLD, VIEW), session, runs=3, quick=1), Probe((SUMMARY, TODAY), year, runs=5, quick=2))
