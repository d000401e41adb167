"""Price tables: what a version of a price is, reading them from JSON, and refusing bad ones.

A table file is a JSON array of entries `{id, provider, model, aliases?, from, until?, currency, source, checkedOn?,
timezone, weekdays, windows, peak, offPeak}`. `from` (included) and `until` (excluded) are dates, which stand for
midnight in `timezone`, or ISO times with an offset. `weekdays` count from 0 for Sunday, `windows` are pairs of minutes
of the day. `peak` and `offPeak` hold the four rates per million tokens, as decimal strings so that no rate passes
through a floating point number. Changing a price means ending the old entry with `until` and adding one with a new id.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Final, NoReturn

from pricing.calendar import zone
from pricing.match import canonical

DIGITS: Final = 12
"""The most decimal places of a rate."""

_RATE = re.compile(rf"\d{{1,9}}(\.\d{{1,{DIGITS}}})?")
_REQUIRED = frozenset(
    {"id", "provider", "model", "from", "currency", "source", "timezone", "weekdays", "windows", "peak", "offPeak"}
)
_OPTIONAL = frozenset({"aliases", "until", "checkedOn"})
_RATES = ("input", "cacheRead", "cacheWrite", "output")
_DAY = 24 * 60


class PriceError(ValueError):
    """A table that cannot be used; the text names the file and the entry."""


@dataclass(frozen=True)
class Rates:
    """Price per million tokens of each kind."""

    input: Decimal
    cache_read: Decimal
    cache_write: Decimal
    output: Decimal

    @cached_property
    def units(self) -> tuple[int, int, int, int]:
        """The four as whole numbers of 10^-DIGITS."""
        of = (self.input, self.cache_read, self.cache_write, self.output)
        fresh, read, written, output = (int(rate.scaleb(DIGITS)) for rate in of)
        return fresh, read, written, output


@dataclass(frozen=True, slots=True)
class Price:
    """One version of a model's price, valid from `start` (ms, included) to `end` (ms, excluded; None: still valid)."""

    id: str
    provider: str
    model: str
    aliases: tuple[str, ...]
    start: int
    end: int | None
    currency: str
    source: str
    checked_on: str | None
    timezone: str
    weekdays: frozenset[int]
    windows: tuple[tuple[int, int], ...]
    peak: Rates
    off_peak: Rates

    def covers(self, at_ms: int) -> bool:
        return self.start <= at_ms and (self.end is None or at_ms < self.end)

    def overlaps(self, other: "Price") -> bool:
        return (other.end is None or self.start < other.end) and (self.end is None or other.start < self.end)


@dataclass(frozen=True, slots=True)
class PriceTable:
    prices: tuple[Price, ...]


def load(sources: Iterable[tuple[str, bytes]]) -> PriceTable:
    """Reads table files given as (name, content) pairs; `PriceError` on the first thing that is wrong."""
    prices: list[Price] = []
    for name, content in sources:
        for index, entry in enumerate(_array(name, content)):
            price = _price(_Place(name, index, entry))
            _refuse_clash(f"{name}, entry {price.id}", price, prices)
            prices.append(price)
    return PriceTable(tuple(prices))


@cache
def shipped() -> PriceTable:
    """The table that comes with this package."""
    return load([("deepseek.json", (files("pricing") / "data" / "deepseek.json").read_bytes())])


def with_own(name: str, content: bytes) -> PriceTable:
    """The shipped table with a person's own table file laid over it: an entry with the id of a shipped one replaces it.

    `PriceError` names the file and the entry where they do not fit together.
    """
    own = load([(name, content)]).prices
    replaced = {price.id for price in own}
    prices = [price for price in shipped().prices if price.id not in replaced]
    for price in own:
        _refuse_clash(f"{name}, entry {price.id}", price, prices)
    return PriceTable((*prices, *own))


def _array(name: str, content: bytes) -> Sequence[Any]:
    try:
        entries = json.loads(content)
    except ValueError as error:
        raise PriceError(f"{name} is not JSON: {error}") from None
    if not isinstance(entries, list):
        raise PriceError(f"{name} must be a JSON array of price entries")
    return entries


def _refuse_clash(where: str, price: Price, others: Iterable[Price]) -> None:
    for other in others:
        if other.id == price.id:
            raise PriceError(f"{where}: the id is used twice")
        if other.provider != price.provider or not other.overlaps(price):
            continue
        if other.model == price.model:
            raise PriceError(f"{where}: overlaps {other.id}, which prices the same model at the same time")
        shared = set(other.aliases) & set(price.aliases)
        if shared:
            raise PriceError(f"{where}: shares the alias {min(shared)} with {other.id} at the same time")


@dataclass(frozen=True, slots=True)
class _Place:
    """One raw entry, with what is needed to say where something is wrong."""

    file: str
    index: int
    entry: Any

    def fail(self, problem: str) -> NoReturn:
        named = self.entry.get("id") if isinstance(self.entry, Mapping) else None
        raise PriceError(f"{self.file}, entry {named if isinstance(named, str) else self.index + 1}: {problem}")

    def text(self, key: str) -> str:
        value = self.entry[key]
        if not isinstance(value, str) or not value.strip():
            self.fail(f"{key} must be a text that is not empty")
        return value

    def texts(self, key: str) -> list[str]:
        value = self.entry.get(key) or []
        if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
            self.fail(f"{key} must be a list of texts")
        return value


def _price(place: _Place) -> Price:
    entry = place.entry
    if not isinstance(entry, Mapping):
        place.fail("it must be an object")
    for key in sorted(_REQUIRED - set(entry)):
        place.fail(f"{key} is missing")
    for key in sorted(set(entry) - _REQUIRED - _OPTIONAL):
        place.fail(f"{key} is unknown")
    try:
        here = zone(place.text("timezone"))
    except LookupError:
        place.fail(f"timezone {entry['timezone']} is unknown")
    start = _moment(place, "from", here)
    end = None if entry.get("until") is None else _moment(place, "until", here)
    if end is not None and end <= start:
        place.fail("until must be later than from")
    return Price(
        id=place.text("id"),
        provider=place.text("provider"),
        model=canonical(place.text("model")),
        aliases=tuple(canonical(alias) for alias in place.texts("aliases")),
        start=start,
        end=end,
        currency=_currency(place),
        source=place.text("source"),
        checked_on=None if entry.get("checkedOn") is None else place.text("checkedOn"),
        timezone=place.text("timezone"),
        weekdays=_weekdays(place),
        windows=_windows(place),
        peak=_rates(place, "peak"),
        off_peak=_rates(place, "offPeak"),
    )


def _moment(place: _Place, key: str, here: tzinfo) -> int:
    text = place.text(key)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        place.fail(f"{key} must be a date or an ISO time with an offset")
    if moment.tzinfo is None:
        if len(text) > len("2026-09-10"):
            place.fail(f"{key} needs an offset such as +08:00")
        moment = moment.replace(tzinfo=here)
    return round(moment.astimezone(UTC).timestamp()) * 1000


def _currency(place: _Place) -> str:
    currency = place.text("currency")
    if not re.fullmatch(r"[A-Z]{3}", currency):
        place.fail("currency must be a code of three capitals such as CNY")
    return currency


def _weekdays(place: _Place) -> frozenset[int]:
    days = place.entry["weekdays"]
    if not isinstance(days, list) or not all(type(day) is int and 0 <= day <= 6 for day in days):
        place.fail("weekdays must be numbers from 0 (Sunday) to 6")
    return frozenset(days)


def _windows(place: _Place) -> tuple[tuple[int, int], ...]:
    windows = place.entry["windows"]
    if not isinstance(windows, list):
        place.fail("windows must be a list of pairs of minutes")
    last = 0
    for window in windows:
        if not isinstance(window, list) or len(window) != 2 or not all(type(minute) is int for minute in window):
            place.fail("windows must be a list of pairs of minutes")
        if not last <= window[0] < window[1] <= _DAY:
            place.fail(f"the window {window} is empty, out of order or outside the day")
        last = window[1]
    return tuple((start, end) for start, end in windows)


def _rates(place: _Place, key: str) -> Rates:
    rates = place.entry[key]
    if not isinstance(rates, Mapping) or set(rates) != set(_RATES):
        place.fail(f"{key} must have exactly the rates {', '.join(_RATES)}")
    for name in _RATES:
        if not isinstance(rates[name], str) or not _RATE.fullmatch(rates[name]):
            place.fail(f'{key}.{name} must be a decimal number in quotes, such as "0.04"')
    return Rates(*(Decimal(rates[name]) for name in _RATES))
