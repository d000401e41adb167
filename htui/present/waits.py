"""Why a request is not answered yet and when it goes on: for the status and for a line above the composer. Pure.

A wait that is about to end, or has just begun, is not worth a line that comes and goes.
"""

from collections.abc import Mapping
from typing import Final

from htui.present import when
from htui.present.lines import Line, Span, indent, wrap

_DOING: Final[Mapping[str, str]] = {
    "retry": "retry in",
    "limit": "paused for",
    "place": "waits its turn",
    "queue": "queued",
    "peak": "off-peak in",
}
_SENTENCES: Final[Mapping[str, str]] = {
    "retry": "The request failed. Next try in",
    "limit": "The provider asks to wait:",
    "place": "Other requests with this key go first:",
    "queue": "Queued at the provider:",
    "peak": "Paused until",
}
_STOP: Final = " · Esc or Ctrl+C stops"
_PAUSED: Final = " · /later now goes on · Esc stops"


def wait_figure(kind: str, since: int, until: int | None, now: int) -> tuple[str, int] | None:
    """What the status says, and the seconds behind it; None for a phase that is no such wait. Times are in ms."""
    doing = _DOING.get(kind)
    return None if doing is None else (doing, _seconds(since, until, now))


def wait_lines(kind: str, since: int, until: int | None, now: int, cells: int) -> list[Line]:
    """The line above the composer with the seconds that are left, or that went by where nobody knows how many are; a
    wait of hours tells the time of its end."""
    sentence, seconds = _SENTENCES.get(kind), _seconds(since, until, now)
    if sentence is None or seconds < 1:
        return []
    amount = f"{seconds} s" if kind != "peak" else f"{when.moment(until or 0, now)} (off-peak)"
    hint = _PAUSED if kind == "peak" else _STOP
    told = wrap([Span(f"{sentence} {amount}", "warning"), Span(hint, "muted")], cells - 2)
    return indent(told[:2], Span("⏸ ", "warning"), Span("  "))


def _seconds(since: int, until: int | None, now: int) -> int:
    if until is None:
        return max(0, now - since) // 1000
    return max(0, -(-(until - now) // 1000))
