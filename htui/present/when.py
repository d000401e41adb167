"""Times for people. All arguments are durations or moments that the caller knows; nothing here reads a clock."""

from datetime import datetime, timedelta


def age(then: int, now: int) -> str:
    """How long ago `then` was (both ms): `now`, `5m`, `3h`, `2d`; empty when it is not known."""
    if then <= 0:
        return ""
    minutes = max(0, now - then) // 60_000
    if minutes < 1:
        return "now"
    if minutes < 60:
        return f"{minutes}m"
    return f"{minutes // 60}h" if minutes < 24 * 60 else f"{minutes // (24 * 60)}d"


def clock(seconds: int) -> str:
    """`m:ss`, from one hour on `h:mm:ss`."""
    minutes, rest = divmod(max(0, seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def short(seconds: int) -> str:
    """`9s`, `3m`, `2h`: for where there is little room."""
    seconds = max(0, seconds)
    if seconds < 60:
        return f"{seconds}s"
    return f"{seconds // 60}m" if seconds < 3600 else f"{seconds // 3600}h"


def moment(at: int, now: int) -> str:
    """A time of day (ms) as the clock here shows it, `18:00`; with its weekday where that is not today's, `Mon 09:00`.

    Empty for a moment that no calendar has.
    """
    try:
        there, here = (datetime.fromtimestamp(ms / 1000) for ms in (at, now))
    except (OverflowError, ValueError, OSError):
        return ""
    if there.date() == here.date():
        return f"{there:%H:%M}"
    return f"{there:%a %H:%M}" if abs(there - here) < timedelta(days=6) else f"{there:%Y-%m-%d %H:%M}"
