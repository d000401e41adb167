"""What one model request cost, exactly, or why that is not known.

Nothing is guessed: a request without usable token counts, without a time, or without a price version that covers it has
no amount and a reason. The amount is exact: whole tokens times decimal rates, never rounded.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Context, Decimal, Inexact
from typing import Any, Final, NamedTuple

from pricing.calendar import Hour, is_moment, spell
from pricing.match import find
from pricing.table import DIGITS, Price, PriceTable, Rates, shipped

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
"""The largest count that every client can hold."""

_EXACT = Context(prec=100, traps=[Inexact])

plus: Final = _EXACT.add
"""The exact sum of two amounts, whatever decimal context is in force."""


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


class _Tariff(NamedTuple):
    """What counts for a model from `since` (ms, included) to `until` (ms, excluded)."""

    since: int
    until: int
    price: Price
    when: Hour
    rates: Rates


class Estimator:
    """Prices requests one after the other, by `tables` or the shipped ones.

    It remembers what counts for a model and until when, so that requests near to one another cost little time.
    """

    def __init__(self, tables: PriceTable | None = None) -> None:
        self._tables = tables
        self._tariffs: dict[tuple[str, str], _Tariff] = {}

    def __call__(self, usage: Mapping[str, Any] | None, provider: str, model: str, at_ms: int | None) -> Estimate:
        """As `estimate`."""
        if provider == _DEMO_PROVIDER:
            return Estimate(Decimal(0), "CNY", reason=DEMO, exact=True)
        tokens = tokens_of(usage)
        if tokens is None:
            return Estimate(None, "CNY", reason=MISSING_USAGE)
        if tokens.cache_write and provider in _WITHOUT_CACHE_WRITES:
            return Estimate(None, "CNY", reason=UNSUPPORTED_USAGE)
        tariff = self._tariffs.get((provider, model))
        if tariff is None or type(at_ms) is not int or not tariff.since <= at_ms < tariff.until:
            if at_ms is None or not is_moment(at_ms):
                return Estimate(None, "CNY", reason=MISSING_TIME)
            tariff = _tariff((self._tables or shipped()).prices, provider, model, at_ms)
            if tariff is None:
                return Estimate(None, "CNY", reason=NO_PRICE)
            self._tariffs[provider, model] = tariff
        _, _, price, when, rates = tariff
        doubts = _doubts(usage, when)
        reason = "; ".join(doubts) or None
        return Estimate(_amount(tokens, rates), price.currency, price.id, when.peak, reason, not doubts, tokens, rates)


def estimate(
    usage: Mapping[str, Any] | None, *, provider: str, model: str, at_ms: int | None, tables: PriceTable | None = None
) -> Estimate:
    """Prices one request of `model` that ended at `at_ms` (ms since the epoch).

    `usage` has the names of the wire: `inputTokens` (without those read from the cache), `outputTokens`,
    `cacheReadTokens?`, `cacheWriteTokens?`, `totalTokens?`, and `exact?: false` where the provider's own figures
    contradicted each other. `tables` defaults to the shipped one.
    """
    return Estimator(tables)(usage, provider, model, at_ms)


def _tariff(prices: Sequence[Price], provider: str, model: str, at_ms: int) -> _Tariff | None:
    price = find(prices, provider, model, at_ms)
    if price is None:
        return None
    when, since, until = spell(at_ms, timezone=price.timezone, weekdays=price.weekdays, windows=price.windows)
    for other in prices:
        if other.provider == provider:
            for edge in (other.start, other.end):
                if edge is not None and edge <= at_ms:
                    since = max(since, edge)
                elif edge is not None:
                    until = min(until, edge)
    return _Tariff(since, until, price, when, price.peak if when.peak else price.off_peak)


def tokens_of(usage: Mapping[str, Any] | None) -> Tokens | None:
    """The token counts of a usage, None when they are missing, no whole numbers, or contradict their total."""
    if not isinstance(usage, (dict, Mapping)):  # A plain one is told at once, and there are many.
        return None
    read, written = usage.get("cacheReadTokens"), usage.get("cacheWriteTokens")
    counts = Tokens(
        usage.get("inputTokens", -1),
        0 if read is None else read,
        0 if written is None else written,
        usage.get("outputTokens", -1),
    )
    for count in counts:
        if type(count) is not int or not 0 <= count <= _LARGEST:
            return None
    whole = usage.get("totalTokens")
    return counts if whole is None or whole == sum(counts) else None


def total(amounts: Iterable[Decimal]) -> Decimal:
    """The exact sum, whatever decimal context is in force."""
    result = Decimal(0)
    for amount in amounts:
        result = plus(result, amount)
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
