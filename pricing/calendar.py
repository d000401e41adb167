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
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from importlib import import_module
from importlib.resources import files
from typing import Any

_SHANGHAI = "Asia/Shanghai"
_LAST_MS = 253_402_300_800_000 - 86_400_000


@dataclass(frozen=True, slots=True)
class Hour:
    """Whether a moment is at peak. `unknown_year` is set when that would need holidays that nobody announced yet."""

    peak: bool
    unknown_year: int | None = None


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
    return _hour(at_ms // 60_000, timezone, frozenset(weekdays), tuple(windows))


@lru_cache(4096)
def _hour(minutes: int, timezone: str, weekdays: frozenset[int], windows: tuple[tuple[int, int], ...]) -> Hour:
    """The same for a minute since the epoch: no rule is finer, and a ledger asks for the same ones again and again."""
    local = (datetime.fromtimestamp(0, UTC) + timedelta(minutes=minutes)).astimezone(zone(timezone))
    minute = local.hour * 60 + local.minute
    if local.isoweekday() % 7 not in weekdays or not any(start <= minute < end for start, end in windows):
        return Hour(False)
    if timezone != _SHANGHAI:
        return Hour(True)
    days = closed_days(local.year)
    return Hour(True, local.year) if days is None else Hour(local.date() not in days)


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
