"""What one model request cost, exactly, or why that is not known.

Nothing is guessed: a request without usable token counts, without a time, or without a price version that covers it has
no amount and a reason. The amount is exact: whole tokens times decimal rates, never rounded.
"""

from collections.abc import Iterable, Mapping
from decimal import Context, Decimal, Inexact
from typing import Any, Final, NamedTuple

from pricing.calendar import Hour, hour, is_moment
from pricing.match import find
from pricing.table import DIGITS, PriceTable, Rates, shipped

MISSING_USAGE: Final = "missing usage"
UNSUPPORTED_USAGE: Final = "unsupported usage"
MISSING_TIME: Final = "missing time"
NO_PRICE: Final = "no price version"
CONTRADICTORY_USAGE: Final = "contradictory usage"
DEMO: Final = "demo (nothing is billed)"

_DEMO_PROVIDER = "demo"
_WITHOUT_CACHE_WRITES = frozenset({"deepseek-official"})
"""Providers whose price list has no line for cache writes: usage that claims some is not theirs to be priced by."""

_LARGEST = 2**53 - 1
_EXACT = Context(prec=100, traps=[Inexact])


class Tokens(NamedTuple):
    """The tokens of one request in four kinds that do not overlap; reasoning is part of `output`."""

    input: int
    cache_read: int
    cache_write: int
    output: int


class Row(NamedTuple):
    """One kind of tokens of a request: how many, at which rate per million, for how much."""

    kind: str
    tokens: int
    rate: Decimal
    amount: Decimal


class Estimate(NamedTuple):
    """What a request cost.

    `amount` is None where that is not known, and `reason` says why. A known amount has a reason too when something
    about it should be said; it is `exact` when it follows from the table and an announced calendar without assumption.
    `price_id` names the version and `peak` the hour that it was priced by; its `rates` apply to the `tokens`.
    """

    amount: Decimal | None
    currency: str
    price_id: str | None = None
    peak: bool | None = None
    reason: str | None = None
    exact: bool = False
    tokens: Tokens | None = None
    rates: Rates | None = None

    @property
    def rows(self) -> tuple[Row, ...]:
        """What the amount is the sum of; none where it is no sum."""
        return () if self.tokens is None or self.rates is None else _rows(self.tokens, self.rates)


def estimate(
    usage: Mapping[str, Any] | None, *, provider: str, model: str, at_ms: int | None, tables: PriceTable | None = None
) -> Estimate:
    """Prices one request of `model` that ended at `at_ms` (ms since the epoch).

    `usage` has the names of the wire: `inputTokens` (without those read from the cache), `outputTokens`,
    `cacheReadTokens?`, `cacheWriteTokens?`, `totalTokens?`, and `exact?: false` where the provider's own figures
    contradicted each other. `tables` defaults to the shipped one.
    """
    if provider == _DEMO_PROVIDER:
        return Estimate(Decimal(0), "CNY", reason=DEMO, exact=True)
    tokens = tokens_of(usage)
    if tokens is None:
        return Estimate(None, "CNY", reason=MISSING_USAGE)
    if tokens.cache_write and provider in _WITHOUT_CACHE_WRITES:
        return Estimate(None, "CNY", reason=UNSUPPORTED_USAGE)
    if at_ms is None or not is_moment(at_ms):
        return Estimate(None, "CNY", reason=MISSING_TIME)
    price = find((tables or shipped()).prices, provider, model, at_ms)
    if price is None:
        return Estimate(None, "CNY", reason=NO_PRICE)
    when = hour(at_ms, timezone=price.timezone, weekdays=price.weekdays, windows=price.windows)
    rates = price.peak if when.peak else price.off_peak
    doubts = _doubts(usage, when)
    return Estimate(
        amount=_amount(tokens, rates),
        currency=price.currency,
        price_id=price.id,
        peak=when.peak,
        reason="; ".join(doubts) or None,
        exact=not doubts,
        tokens=tokens,
        rates=rates,
    )


def tokens_of(usage: Mapping[str, Any] | None) -> Tokens | None:
    """The token counts of a usage, None when they are missing, no whole numbers, or contradict their total."""
    if not isinstance(usage, Mapping):
        return None
    tokens = Tokens(
        _count(usage.get("inputTokens"), -1),
        _count(usage.get("cacheReadTokens"), 0),
        _count(usage.get("cacheWriteTokens"), 0),
        _count(usage.get("outputTokens"), -1),
    )
    usable = min(tokens) >= 0 and usage.get("totalTokens") in (None, sum(tokens))
    return tokens if usable else None


def _count(count: object, default: int) -> int:
    """A whole number from 0 to the largest that every client can hold, the default for none, -1 for anything else."""
    if count is None:
        return default
    return count if type(count) is int and 0 <= count <= _LARGEST else -1


def total(amounts: Iterable[Decimal]) -> Decimal:
    """The exact sum, whatever decimal context is in force."""
    result = Decimal(0)
    for amount in amounts:
        result = _EXACT.add(result, amount)
    return result


def plain(amount: Decimal) -> str:
    """An amount as a decimal string without exponent and without zeros at its end, as it crosses the wire."""
    text = format(amount, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _doubts(usage: Mapping[str, Any] | None, when: Hour) -> list[str]:
    """What an amount rests on that is not certain."""
    doubts = [] if usage is None or usage.get("exact") is not False else [CONTRADICTORY_USAGE]
    return doubts if when.unknown_year is None else [*doubts, f"no announced holidays for {when.unknown_year}"]


def _rows(tokens: Tokens, rates: Rates) -> tuple[Row, ...]:
    kinds = (
        ("input", tokens.input, rates.input),
        ("cacheRead", tokens.cache_read, rates.cache_read),
        ("cacheWrite", tokens.cache_write, rates.cache_write),
        ("output", tokens.output, rates.output),
    )
    return tuple(Row(kind, count, rate, _price_of(count, rate)) for kind, count, rate in kinds)


def _amount(tokens: Tokens, rates: Rates) -> Decimal:
    """The sum of the rows, in whole numbers until the end: a ledger prices a hundred thousand requests at once."""
    fresh, read, written, output = rates.units
    units = tokens.input * fresh + tokens.cache_read * read + tokens.cache_write * written + tokens.output * output
    return _EXACT.scaleb(Decimal(units), -(6 + DIGITS))


def _price_of(count: int, rate: Decimal) -> Decimal:
    """`count` tokens at a rate per million."""
    return _EXACT.scaleb(_EXACT.multiply(Decimal(count), rate), -6)
