"""The keys of a screen at its foot, which can be pressed with the mouse too: pure."""

from collections.abc import Sequence
from typing import NamedTuple

from htui.present.cells import width
from htui.present.lines import Line, Span

_BETWEEN = "  "


class Key(NamedTuple):
    """`press` is the name of the key, `label` how it is written, `does` what it does."""

    press: str
    label: str
    does: str


class Spot(NamedTuple):
    """The cells of a key: those of `line` from `start` to `end`, which is not included."""

    press: str
    line: int
    start: int
    end: int


def key_lines(keys: Sequence[Key], cells: int, most: int = 2) -> tuple[list[Line], list[Spot]]:
    """The keys on as few lines as they need, and where each stands. The last line takes no more than fits."""
    lines: list[list[Span]] = [[]]
    spots: list[Spot] = []
    used = 0
    for key in keys:
        label, does = key.label, f" {key.does}" if key.does else ""
        size = width(label + does)
        if used and used + len(_BETWEEN) + size > cells:
            if len(lines) == most:
                continue
            lines.append([])
            used = 0
        if used:
            lines[-1].append(Span(_BETWEEN))
            used += len(_BETWEEN)
        spots.append(Spot(key.press, len(lines) - 1, used, used + size))
        lines[-1] += [Span(label, "code"), Span(does, "muted")]
        used += size
    return [tuple(line) for line in lines], spots


def key_at(spots: Sequence[Spot], line: int, column: int) -> str | None:
    """The key that was meant by a click; the blank cells beside one count as its own, for a finger is wide."""
    return next((s.press for s in spots if s.line == line and s.start - 1 <= column <= s.end), None)
