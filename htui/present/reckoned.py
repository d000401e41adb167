"""What is said of costs that were reckoned here, where the host tells none: how far they go, by which prices. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from htui.present.count import plural
from htui.present.lines import Line, Span, wrap
from htui.present.safe import one_line

_PERIODS: Final = ("today", "week", "month", "total")


@dataclass(frozen=True, slots=True)
class Progress:
    """`read` sessions of `all` are counted, `failed` could not be read, the first of them for the reason `why`; `old`
    ones are left out because they are at rest for longer than the days that are told.

    `looking` while sessions are being read; of the log that is being read now, `events` of the `of` that are new.
    """

    read: int = 0
    all: int = 0
    failed: int = 0
    why: str = ""
    old: int = 0
    looking: bool = False
    events: int = 0
    of: int = 0


@dataclass(frozen=True, slots=True)
class Reckoned:
    """`own`: a person's prices lie over the shipped ones; `trouble` is why they do not, where they should."""

    progress: Progress = Progress()
    own: bool = False
    trouble: str = ""


def reckoned_summary(summary: Mapping[str, Any], by: Reckoned) -> dict[str, Any]:
    """A `money/summary` whose sums say what they leave out."""
    at = by.progress
    unread = at.all - at.read - at.failed
    missing = []
    if at.failed:
        missing.append(f"{at.failed} of {plural(at.all, 'session')} could not be read: {at.why}")
    if unread:
        missing.append(f"{unread} of {plural(at.all, 'session')} {'is' if unread == 1 else 'are'} not read yet")
    old = [f"“ever” leaves out {plural(at.old, 'session')} at rest for over 60 days"] if at.old else []
    parts = {name: _without(summary[name], [*missing, *(old if name == "total" else ())]) for name in _PERIODS}
    return {**summary, **{name: priced(part, by) for name, part in parts.items()}}


def priced(value: Mapping[str, Any], by: Reckoned) -> Mapping[str, Any]:
    """A sum, marked where a person's prices should have counted; the panel says why once."""
    return {**value, "exact": False} if by.trouble else value


def _without(value: Mapping[str, Any], missing: Sequence[str]) -> Mapping[str, Any]:
    """A sum that says first what it leaves out."""
    return {**value, "exact": False, "reasons": [*missing, *value.get("reasons", ())]} if missing else value


def reckoned_lines(by: Reckoned, cells: int) -> list[Line]:
    """By whose prices, of how many sessions, and what is wrong with a person's prices."""
    at = by.progress
    prices = "your prices over the shipped ones" if by.own else "the shipped prices"
    parts = [f"Reckoned here by {prices}", f"{at.read} of {plural(at.all, 'session')} read" if at.all else ""]
    if at.looking:
        parts.append(f"reading {at.events:,} of {at.of:,} events" if at.of else "reading …")
    lines = wrap([Span(" · ".join(part for part in parts if part), "muted")], cells)
    trouble = wrap([Span(one_line(by.trouble, 300), "warning")], cells) if by.trouble else []
    return [*lines, *trouble]
