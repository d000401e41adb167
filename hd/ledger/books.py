"""What all sessions of a home cost: by day, week and month of Beijing, by model and by hour (pure but for its growing).

The same fold that prices one session prices them all (`hd.billing.cost`) from the parts of the logs that are billed by.
Nothing is stored: the books are made anew from the logs, so a corrected price table counts for the past at once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import msgspec

from hd.billing.bill import EMPTY, Bill, rows
from hd.billing.bill import total as total_of
from hd.billing.cost import HOUR_MS, Cost, Model, ModelCost, Models, bill_to_wire, whole_of
from hd.billing.fold import Ledger, fold
from hd.protocol.billing import Records
from hd.protocol.events import Event
from pricing import PriceTable, plain

DAYS_SHOWN: Final = 60
"""Days that are listed one by one; older ones count in the sums only."""

_BEIJING_H: Final = 8
"""Hours from UTC to Beijing, all year: China has no daylight saving time since 1991."""

_EPOCH: Final = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Period:
    """Days of Beijing from `first` to `last`, both included."""

    first: date
    last: date

    def holds(self, hour: int) -> bool:
        return self.first.toordinal() <= _EPOCH.toordinal() + (hour + _BEIJING_H) // 24 <= self.last.toordinal()


def day_of(hour: int) -> date:
    """The day in Beijing of an hour since the epoch."""
    return _EPOCH + timedelta(days=(hour + _BEIJING_H) // 24)


def periods(now_ms: int) -> dict[str, Period]:
    """Today, this week from Monday on and this month, up to today."""
    today = day_of(now_ms // HOUR_MS)
    return {
        "today": Period(today, today),
        "week": Period(today - timedelta(days=today.weekday()), today),
        "month": Period(today.replace(day=1), today),
    }


class Books:
    """The costs of all sessions, grown by what was recorded since. `seen` says how far each session was read."""

    def __init__(self, tables: PriceTable | None = None) -> None:
        self.seen: dict[str, int] = {}
        self._tables = tables
        self._costs: dict[str, Cost] = {}

    def grow(self, new: Iterable[Records]) -> None:
        """Adds what was recorded since."""
        for records in new:
            cost = self._costs.get(records.session_id) or Cost(Ledger(seeded=records.is_seeded), tables=self._tables)
            for event in _events(records.bodies):
                cost = cost.apply(event)
            self._costs[records.session_id] = cost
            self.seen[records.session_id] = records.seen

    def sessions(self) -> list[tuple[str, Bill]]:
        """Every session that asked a model, the dearest first."""
        bills = [(session_id, cost.bill()) for session_id, cost in self._costs.items()]
        return sorted((one for one in bills if one[1].requests or one[1].reasons), key=lambda one: -one[1].amount)

    def of(self, session_ids: Iterable[str]) -> Bill:
        """What these sessions cost together."""
        whole = EMPTY
        for session_id in session_ids:
            if session_id in self._costs:
                whole = whole.joined(self._costs[session_id].bill())
        return whole

    def today(self, now_ms: int) -> Bill:
        """What the day of `now_ms` cost so far."""
        period, whole = periods(now_ms)["today"], EMPTY
        for cost in self._costs.values():
            for (hour, _, _), one in cost.slots().items():
                if period.holds(hour):
                    whole = whole.joined(one.bill)
        return whole

    def summary(self, now_ms: int) -> dict[str, Any]:
        """The answer of `money/summary`: each period with its models, the hours of today, the latest days."""
        hours = self._hours()
        days = _by_day(hours)
        whole = {name: _models(days, period) for name, period in periods(now_ms).items()}
        unknown = [cost.bill() for cost in self._costs.values() if not cost.ledger.attributable]
        total = _sums(_models(days, None), unknown)
        today = periods(now_ms)["today"]
        return {
            "currency": EMPTY.currency,
            "day": today.first.isoformat(),
            **{name: _sums(models, ()) for name, models in whole.items()},
            "total": total,
            "hours": [
                {"hour": (hour + _BEIJING_H) % 24, **bill_to_wire(whole_of(models))}
                for hour, models in sorted(hours.items())
                if today.holds(hour)
            ],
            "days": _days(days, today.first),
        }

    def _hours(self) -> dict[int, dict[Model, ModelCost]]:
        found: dict[int, dict[Model, ModelCost]] = {}
        for cost in self._costs.values():
            for (hour, provider, model), one in cost.slots().items():
                models = found.setdefault(hour, {})
                known = models.get((provider, model))
                models[provider, model] = one if known is None else known.joined(one)
        return found


def explain(records: Records, tables: PriceTable | None = None) -> dict[str, Any]:
    """Every request of a session with its price, from all its parts; the amounts add up to `total`.

    Without rows where a fork's own requests cannot be told apart; `reasons` says it.
    """
    ledger = fold(_events(records.bodies), seeded=records.is_seeded)
    priced = rows(ledger, tables) if ledger.attributable else []
    bill = total_of(ledger, tables)
    return {
        "sessionId": records.session_id,
        "currency": bill.currency,
        "total": plain(bill.amount),
        "unpriced": bill.unpriced,
        "exact": bill.exact,
        "reasons": list(bill.reasons),
        "rows": [row.to_wire() for row in priced],
    }


def moment(at_ms: int) -> str:
    """A time as people in Beijing write it, for tables."""
    return (datetime.fromtimestamp(at_ms / 1000, UTC) + timedelta(hours=_BEIJING_H)).strftime("%Y-%m-%d %H:%M:%S")


def _events(bodies: Iterable[bytes]) -> Iterable[Event]:
    return (Event.from_wire(msgspec.json.decode(body)) for body in bodies)


def _by_day(hours: Mapping[int, Models]) -> dict[date, Models]:
    """The same by the days of Beijing."""
    found: dict[date, dict[Model, ModelCost]] = {}
    for hour, models in hours.items():
        _join_into(found.setdefault(day_of(hour), {}), models)
    return {**found}


def _models(days: Mapping[date, Models], period: Period | None) -> Models:
    found: dict[Model, ModelCost] = {}
    for day, models in days.items():
        if period is None or period.first <= day <= period.last:
            _join_into(found, models)
    return found


def _join_into(found: dict[Model, ModelCost], models: Models) -> None:
    for model, cost in models.items():
        known = found.get(model)
        found[model] = cost if known is None else known.joined(cost)


def _sums(models: Models, besides: Iterable[Bill]) -> dict[str, Any]:
    bill = whole_of(models)
    for one in besides:
        bill = bill.joined(one)
    listed = sorted(models.items(), key=lambda item: -item[1].bill.amount)
    return {
        **bill_to_wire(bill),
        "reasons": list(bill.reasons),
        "models": [{"provider": p, "model": m, **cost.to_wire()} for (p, m), cost in listed],
    }


def _days(days: Mapping[date, Models], today: date) -> list[dict[str, Any]]:
    """The latest days on which something was asked, the newest first."""
    shown = sorted((day for day in days if today - timedelta(days=DAYS_SHOWN) < day <= today), reverse=True)
    return [{"day": day.isoformat(), **bill_to_wire(whole_of(days[day]))} for day in shown]
