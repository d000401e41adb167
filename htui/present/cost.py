"""What a session cost, in words: pure. It is read from the host's `cost` value; official hosts have none."""

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from htui.present import count
from htui.present.lines import Line, Span, indent, wrap
from htui.present.named import named_lines
from htui.present.safe import one_line

_CENT = Decimal("0.01")
_SIGNS = {"CNY": "¥", "USD": "$"}


def cost_figure(value: object) -> str:
    """The cost for the status bar in two decimals, with `*` where it is not exact; empty where the host tells none."""
    cost = _mapping(value)
    amount = _amount(cost)
    if amount is None or not _whole(cost, "requests"):
        return ""
    sign = _SIGNS.get(str(cost.get("currency")), one_line(str(cost.get("currency")), 8))
    shown = "<0.01" if 0 < amount < _CENT else str(amount.quantize(_CENT, ROUND_HALF_UP))
    return f"{sign}: {shown}{'' if cost.get('exact') is True else '*'}"


def cost_lines(value: object, cells: int) -> list[Line]:
    """The panel of `/cost`."""
    cost = _mapping(value)
    amount = _amount(cost)
    if amount is None:
        return wrap([Span("This host does not tell what its sessions cost.")], cells)
    currency = one_line(str(cost.get("currency") or ""), 8)
    requests, unpriced = _whole(cost, "requests"), _whole(cost, "unpriced")
    lines = named_lines(
        [
            ("session", f"{_plain(amount)} {currency} in {count.plural(requests, 'request')}"),
            *[(_model(one), _model_text(one, currency)) for one in _models(cost)],
        ],
        cells,
    )
    if unpriced:
        told = f"{count.plural(unpriced, 'request')} without a price, so the true sum is higher."
        lines += wrap([Span(told, "warning")], cells)
    elif cost.get("exact") is not True:
        lines += wrap([Span("Not exact; see below.", "warning")], cells)
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
