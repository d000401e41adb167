"""When a price is at its peak.

A moment is at peak when, by the clock of the price's time zone, its weekday is one of the price's, its minute lies in
one of the windows (start included, end excluded) and its day is no public holiday. For `Asia/Shanghai` the holidays are
those that the State Council announced. Saturdays and Sundays that are worked to make up for a holiday stay off-peak,
because the price names weekdays, not working days.

The days come from `data/holidays.json` where it has the year, else from the library `holidays`, and only for years
that it has an announcement for: what it computes for other years are guesses. Without an announcement a weekday counts
as a working day, so that an estimate is rather too high than too low, and the answer says that it is not certain.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from importlib import import_module
from importlib.resources import files
from typing import Any

_SHANGHAI = "Asia/Shanghai"
_EPOCH = date(1970, 1, 1)
_DAY = 24 * 60
_SHANGHAI_STEADY = (date(1991, 9, 16) - _EPOCH).days * _DAY
"""From then on the clock of Shanghai is eight hours ahead: its last summer time ended the day before."""

_LAST_MS = 253_402_300_800_000 - 86_400_000


@dataclass(frozen=True, slots=True)
class Hour:
    """Whether a moment is at peak. `unknown_year` is set when that would need holidays that nobody announced yet."""

    peak: bool
    unknown_year: int | None = None


_OFF_PEAK = Hour(False)


def zone(name: str) -> tzinfo:
    """The time zone of a name; LookupError if there is none. Shanghai is known even without a zone database."""
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        if name == _SHANGHAI:
            return timezone(timedelta(hours=8), _SHANGHAI)
        raise LookupError(name) from None


def is_moment(at_ms: object) -> bool:
    """Whether a value is a time in ms since the epoch that the calendar can place."""
    return isinstance(at_ms, int) and not isinstance(at_ms, bool) and 0 < at_ms < _LAST_MS


def hour(at_ms: int, *, timezone: str, weekdays: Iterable[int], windows: Iterable[tuple[int, int]]) -> Hour:
    """Peak or not at a moment in ms since the epoch; the weekdays count from 0 for Sunday, the windows are minutes."""
    day, minute = _local(at_ms // 60_000, timezone)
    for start, end in windows:
        if start <= minute < end:
            return _in_window(day, timezone, frozenset(weekdays))
    return _OFF_PEAK


def spell(
    at_ms: int, *, timezone: str, weekdays: Iterable[int], windows: Sequence[tuple[int, int]]
) -> tuple[Hour, int, int]:
    """As `hour`, with a time in ms from which on (included) and one up to which (excluded) it is the same for sure.

    Elsewhere than in Shanghai, whose clock is never changed, that is the minute alone.
    """
    found = hour(at_ms, timezone=timezone, weekdays=weekdays, windows=windows)
    minute = at_ms // 60_000
    if timezone != _SHANGHAI or minute < _SHANGHAI_STEADY + _DAY:
        return found, minute * 60_000, (minute + 1) * 60_000
    _, of_day = _local(minute, timezone)
    edges = (0, _DAY, *(edge for window in windows for edge in window))
    since = max(edge for edge in edges if edge <= of_day)
    until = min(edge for edge in edges if edge > of_day)
    return found, (minute - of_day + since) * 60_000, (minute - of_day + until) * 60_000


def _local(minutes: int, timezone: str) -> tuple[int, int]:
    """The day since the epoch and the minute of it by the clock of a zone, of a minute since the epoch."""
    if timezone == _SHANGHAI and minutes >= _SHANGHAI_STEADY:
        return divmod(minutes + 8 * 60, _DAY)
    local = (datetime.fromtimestamp(0, UTC) + timedelta(minutes=minutes)).astimezone(zone(timezone))
    return local.toordinal() - _EPOCH.toordinal(), local.hour * 60 + local.minute


@lru_cache(4096)
def _in_window(day: int, timezone: str, weekdays: frozenset[int]) -> Hour:
    """Whether a window of a day counts: no rule but the windows is finer than a day."""
    local = _EPOCH + timedelta(days=day)
    if local.isoweekday() % 7 not in weekdays:
        return _OFF_PEAK
    if timezone != _SHANGHAI:
        return Hour(True)
    days = closed_days(local.year)
    return Hour(True, local.year) if days is None else Hour(local not in days)


@cache
def closed_days(year: int) -> frozenset[date] | None:
    """The public holidays of mainland China in a year; None when none were announced."""
    known = json.loads((files("pricing") / "data" / "holidays.json").read_bytes())["CN"].get(str(year))
    if known is not None:
        return frozenset(date.fromisoformat(day) for day in known)
    china: Any = import_module("holidays.countries.china")
    if year not in china.ChinaStaticHolidays.special_public_holidays:
        return None
    return frozenset(china.China(years=year))
