"""Whether the wanted picture is the shown one moved: pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

Row = TypeVar("Row")

GAIN = 2
"""Lines that must be saved before scrolling is worth its sequence."""


@dataclass(frozen=True, slots=True)
class Shift:
    """Lines `top` to `bottom` (not included) move up by `by`, down when it is negative."""

    top: int
    bottom: int
    by: int

    def applied(self, rows: Sequence[Row], blank: Row) -> list[Row]:
        """`rows` after the terminal did it."""
        inside = list(rows[self.top : self.bottom])
        empty = [blank] * abs(self.by)
        moved = [*inside[self.by :], *empty] if self.by > 0 else [*empty, *inside[: self.by]]
        return [*rows[: self.top], *moved, *rows[self.bottom :]]


def find_shift(shown: Sequence[Row | None], wanted: Sequence[Row], blank: Row) -> Shift | None:
    """The shift that saves most lines, None when none is worth it.

    Only lines between the first and the last difference are looked at; equal blank lines count for nothing.
    """
    differing = [line for line, row in enumerate(wanted) if shown[line] != row]
    if len(differing) <= GAIN:
        return None
    first, last = differing[0], differing[-1] + 1
    best: tuple[int, int, int, int] | None = None
    for by in range(-(last - first) + 1, last - first):
        if by:
            found = _run(shown, wanted, blank, first, last, by)
            if found[0] > GAIN and (best is None or found[0] > best[0]):
                best = (*found, by)
    if best is None:
        return None
    _, start, end, by = best
    return Shift(start, end + by, by) if by > 0 else Shift(start + by, end, by)


def _run(
    shown: Sequence[Row | None], wanted: Sequence[Row], blank: Row, first: int, last: int, by: int
) -> tuple[int, int, int]:
    """(lines saved, start, end) of the best run of wanted lines that stand `by` further down in the shown picture."""
    best = (0, 0, 0)
    start, saved = first, 0
    for line in range(first, last):
        source = line + by
        if first <= source < last and shown[source] == wanted[line]:
            if not saved:
                start = line
            saved += wanted[line] != blank and shown[line] != wanted[line]
            if saved > best[0]:
                best = (saved, start, line + 1)
        else:
            saved = 0
    return best
