"""Moments for the tests, in ms since the epoch."""

from datetime import datetime, timedelta, timezone


def beijing(*clock: int) -> int:
    """Year, month, day, hour, minute, second by the clock of Beijing."""
    year, month, day, *rest = clock
    moment = datetime(year, month, day, *rest, tzinfo=timezone(timedelta(hours=8)))  # type: ignore[arg-type, misc]
    return round(moment.timestamp()) * 1000
