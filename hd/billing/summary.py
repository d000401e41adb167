"""What many sessions cost together: by day, week and month of Beijing, by model and by hour (pure)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from hd.billing.bill import EMPTY, Bill
from hd.billing.cost import HOUR_MS, Cost, Model, ModelCost, Models, bill_to_wire, whole_of

DAYS_SHOWN: Final = 60
"""Days that are listed one by one; older ones count in the sums only."""

BEIJING_H: Final = 8
"""Hours from UTC to Beijing, all year: China has no daylight saving time since 1991."""

_EPOCH: Final = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Period:
    """Days of Beijing from `first` to `last`, both included."""

    first: date
    last: date

    def holds(self, day: date) -> bool:
        return self.first <= day <= self.last


def day_of(hour: int) -> date:
    """The day in Beijing of an hour since the epoch."""
    return _EPOCH + timedelta(days=(hour + BEIJING_H) // 24)


def periods(now_ms: int) -> dict[str, Period]:
    """Today, this week from Monday on and this month, up to today."""
    today = day_of(now_ms // HOUR_MS)
    return {
        "today": Period(today, today),
        "week": Period(today - timedelta(days=today.weekday()), today),
        "month": Period(today.replace(day=1), today),
    }


def summary_of(costs: Iterable[Cost], now_ms: int) -> dict[str, Any]:
    """What these sessions cost up to `now_ms`, in the form of `money/summary`."""
    hours: dict[int, dict[Model, ModelCost]] = {}
    unknown: list[Bill] = []
    for cost in costs:
        if not cost.standing.attributable:
            unknown.append(cost.bill())
        for (hour, provider, model), one in cost.slots().items():
            _join_into(hours.setdefault(hour, {}), {(provider, model): one})
    days: dict[date, dict[Model, ModelCost]] = {}
    for hour, models in hours.items():
        _join_into(days.setdefault(day_of(hour), {}), models)
    spans = periods(now_ms)
    today = spans["today"].first
    return {
        "currency": EMPTY.currency,
        "day": today.isoformat(),
        **{name: _sums(_models(days, period), ()) for name, period in spans.items()},
        "total": _sums(_models(days, None), unknown),
        "hours": [
            {"hour": (hour + BEIJING_H) % 24, **bill_to_wire(whole_of(models))}
            for hour, models in sorted(hours.items())
            if day_of(hour) == today
        ],
        "days": [
            {"day": day.isoformat(), **bill_to_wire(whole_of(models))}
            for day, models in sorted(days.items(), reverse=True)
            if today - timedelta(days=DAYS_SHOWN) < day <= today
        ],
    }


def _models(days: Mapping[date, Models], period: Period | None) -> Models:
    found: dict[Model, ModelCost] = {}
    for day, models in days.items():
        if period is None or period.holds(day):
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
