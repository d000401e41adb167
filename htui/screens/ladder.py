"""What Ctrl+C and Esc mean right now: pure (row T8, case J24)."""

from typing import Literal

TWICE = 5.0
"""Seconds within which a second Ctrl+C always leaves."""

Interrupt = Literal["leave", "clear", "stop"]
Escape = Literal["close", "back", "park", "dismiss", "keep", "quiet", "stop", "nothing"]


def interrupt(*, last: float | None, now: float, draft: bool, running: bool) -> Interrupt:
    """`last` is the moment of the press before this one (both in seconds of one clock)."""
    if last is not None and now - last <= TWICE:
        return "leave"
    if draft:
        return "clear"
    return "stop" if running else "leave"


def escape(
    *, panel: bool, writing: bool, ask: Literal["approval", "question"] | None, draft: bool, told: bool, running: bool
) -> Escape:
    """The first that fits: close a panel, leave the written answer, put the draft aside for what waits, dismiss a
    question, say that an approval still waits, take away what is told, stop the turn."""
    if panel:
        return "close"
    if writing:
        return "back"
    if ask is not None:
        return "park" if draft else "dismiss" if ask == "question" else "keep"
    if told:
        return "quiet"
    return "stop" if running else "nothing"
