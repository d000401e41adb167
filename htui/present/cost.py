"""What a session and all of them cost, in words: pure.

It is read from the `cost` value and from the host's `money/summary`; where the host has none, both are reckoned here
(`htui.mirror.spent`, `htui.money`) and say so.
"""

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from htui.present import count
from htui.present.lines import Line, Span, indent, wrap
from htui.present.named import named_lines
from htui.present.reckoned import Reckoned, reckoned_lines
from htui.present.safe import one_line

_CENT = Decimal("0.01")
_SIGNS = {"CNY": "¥", "USD": "$"}


def cost_figure(value: object, summary: object = None, budget: object = None) -> str:
    """The cost for the status bar in two decimals, and behind it that of all sessions today, as in `¥: 1.23(5.00)`.

    A cap stands behind what it bounds, as in `¥: 1.23/2.00(5.00/20.00)`. A `*` marks what is not exact, a `?` stands
    for a sum of requests that all have no price. Empty where none is told.
    """
    cost, today = _mapping(value), _mapping(_mapping(summary).get("today"))
    cap, day_cap = _cap(_mapping(budget).get("amount")), _cap(_mapping(summary).get("dayCap"))
    amount = _amount(cost)
    if amount is None or not _whole(cost, "requests"):
        return ""
    sign = _SIGNS.get(str(cost.get("currency")), one_line(str(cost.get("currency")), 8))
    all_of_it = _amount(today)
    behind = "" if all_of_it is None else f"({_cents(all_of_it)}{_mark(today)}{_bound(day_cap)})"
    known = amount or _whole(cost, "unpriced") < _whole(cost, "requests")
    return f"{sign}: {_cents(amount) + _mark(cost) if known else '?'}{_bound(cap)}{behind}"


def _bound(cap: Decimal | None) -> str:
    return "" if cap is None else f"/{_cents(cap)}"


def _cap(amount: object) -> Decimal | None:
    return None if amount is None else _amount({"amount": amount})


def _cents(amount: Decimal) -> str:
    return "<0.01" if 0 < amount < _CENT else str(amount.quantize(_CENT, ROUND_HALF_UP))


def _mark(cost: Mapping[str, Any]) -> str:
    return "" if cost.get("exact") is True else "*"


def cost_lines(
    value: object, cells: int, summary: object = None, reckoned: Reckoned | None = None, budget: object = None
) -> list[Line]:
    """The panel of `/cost`: the session, then all sessions by day, week and month, by model, and the hours of today.

    `reckoned` is given where the host tells none of it, `budget` is what the session may cost.
    """
    lines = _session_lines(_mapping(value), _mapping(budget), cells)
    if reckoned is not None:
        lines += reckoned_lines(reckoned, cells)
    whole = _mapping(summary)
    if _amount(_mapping(whole.get("total"))) is not None:
        lines += [(), *_period_lines(whole, cells), *_model_lines(whole, cells), *_hour_lines(whole, cells)]
    return lines


def _period_lines(whole: Mapping[str, Any], cells: int) -> list[Line]:
    currency = one_line(str(whole.get("currency") or ""), 8)
    rows = []
    for name, label in _PERIODS:
        part = _mapping(whole.get(name))
        amount = _amount(part) or Decimal(0)
        cap = _cap(whole.get("dayCap")) if name == "today" else None
        of_cap = "" if cap is None else f" of {_plain(cap)}"
        requests = count.plural(_whole(part, "requests"), "request")
        rows.append((label, f"{_plain(amount)}{_mark(part)}{of_cap} {currency} in {requests}"))
    lines = [*_title("All sessions, by the days of Beijing", cells), *named_lines(rows, cells)]
    return lines + _reason_lines(_mapping(whole.get("total")), cells)


_PERIODS = (("today", "today"), ("week", "this week"), ("month", "this month"), ("total", "ever"))


def _model_lines(whole: Mapping[str, Any], cells: int) -> list[Line]:
    currency = one_line(str(whole.get("currency") or ""), 8)
    models = _models(_mapping(whole.get("month")))
    rows = [(_model(one), _model_text(one, currency)) for one in models]
    return [(), *_title("This month by model", cells), *named_lines(rows, cells)] if rows else []


_BAR = 40
"""Cells of the longest bar."""


def _hour_lines(whole: Mapping[str, Any], cells: int) -> list[Line]:
    """A bar an hour of today; the longest is the dearest hour."""
    told = whole.get("hours")
    hours = [
        (_whole(one, "hour"), amount)
        for one in map(_mapping, told if isinstance(told, list) else ())
        if (amount := _amount(one)) is not None
    ]
    dearest = max((amount for _, amount in hours), default=Decimal(0))
    if not dearest:
        return []
    room = max(1, min(_BAR, cells - 7 - max(len(_cents(amount)) for _, amount in hours)))
    lines: list[Line] = [(), *_title("Today by hour", cells)]
    for hour, amount in hours[:24]:
        eighths = int(amount / dearest * room * 8)
        bar = "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
        lines.append((Span(f"{hour:02}:00 ", "muted"), Span(bar, "busy"), Span(f" {_cents(amount)}")))
    return lines


def _title(text: str, cells: int) -> list[Line]:
    return wrap([Span(text, "strong")], cells)


def _session_lines(cost: Mapping[str, Any], budget: Mapping[str, Any], cells: int) -> list[Line]:
    amount = _amount(cost)
    if amount is None:
        return wrap([Span("This host does not tell what its sessions cost.")], cells)
    currency = one_line(str(cost.get("currency") or ""), 8)
    requests, unpriced = _whole(cost, "requests"), _whole(cost, "unpriced")
    lines = named_lines(
        [
            ("session", f"{_plain(amount)} {currency} in {count.plural(requests, 'request')}"),
            *_cap_rows(budget, currency),
            *[(_model(one), _model_text(one, currency)) for one in _models(cost)],
        ],
        cells,
    )
    if unpriced:
        told = f"{count.plural(unpriced, 'request')} without a price, so the true sum is higher."
        lines += wrap([Span(told, "warning")], cells)
    elif cost.get("exact") is not True:
        lines += wrap([Span("Not exact; see below.", "warning")], cells)
    return lines + _reason_lines(cost, cells)


def _cap_rows(budget: Mapping[str, Any], currency: str) -> list[tuple[str, str]]:
    told = (("cap", _cap(budget.get("amount"))), ("turn cap", _cap(budget.get("turn"))))
    return [(name, f"{_plain(cap)} {currency}") for name, cap in told if cap is not None]


def _reason_lines(cost: Mapping[str, Any], cells: int) -> list[Line]:
    lines: list[Line] = []
    reasons = cost.get("reasons")
    for reason in reasons if isinstance(reasons, list) else ():
        lines += indent(wrap([Span(one_line(str(reason), 300), "muted")], max(1, cells - 2)), Span("· "), Span("  "))
    return lines


def _model(one: Mapping[str, Any]) -> str:
    return one_line(str(one.get("model") or "unknown"), 60).removeprefix("deepseek-")


def _model_text(one: Mapping[str, Any], currency: str) -> str:
    fresh, read, written = (_whole(one, key) for key in ("input", "cacheRead", "cacheWrite"))
    inputs = fresh + read + written
    parts = [
        f"{_plain(_amount(one) or Decimal(0))} {currency}",
        count.plural(_whole(one, "requests"), "request"),
        f"{count.compact(fresh + written)} new",
        f"{count.compact(read)} cached ({count.share(read, inputs)})" if read else "",
        f"{count.compact(_whole(one, 'output'))} out",
    ]
    return " · ".join(part for part in parts if part)


def _models(cost: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    models = cost.get("models")
    return [one for one in models if isinstance(one, Mapping)] if isinstance(models, list) else []


def _plain(amount: Decimal) -> str:
    """The exact amount with at least two decimals and no exponent."""
    text = f"{amount:f}"
    whole, _, part = text.partition(".")
    return f"{whole}.{part.rstrip('0').ljust(2, '0')}"


def _amount(cost: Mapping[str, Any]) -> Decimal | None:
    try:
        amount = Decimal(str(cost.get("amount")))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and amount >= 0 and amount < Decimal(10) ** 15 else None


def _whole(cost: Mapping[str, Any], key: str) -> int:
    value = cost.get(key)
    return value if isinstance(value, int) and value >= 0 else 0


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
