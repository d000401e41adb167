"""What the terminal shows, what it should show, and the bytes from the one to the other: pure.

The idea is the one of curses: two pictures of the screen are kept, a frame is what differs between them. A region that
moved up or down, as a transcript does at every new line, is scrolled by the terminal itself and not sent again.
"""

from collections.abc import Sequence

from htui.paint.cells import Cell, Run, Runs, blank, cells_of, fragile, merged
from htui.paint.scroll import Shift, find_shift
from htui.present.cells import cut, width

HIDE_CURSOR = "\x1b[?25l"
SHOW_CURSOR = "\x1b[?25h"
SAVE_CURSOR = "\x1b7"
RESTORE_CURSOR = "\x1b8"
SYNC_START = "\x1b[?2026h"
SYNC_END = "\x1b[?2026l"

_GAP = 5
"""Cells that are the same and fewer than this are sent again, for moving the cursor costs as much."""
_LARGE = 200
"""Characters from which a frame hides the cursor while it is drawn."""

Point = tuple[int, int]
"""Column and line, from 0."""


class Screen:
    """Both pictures. `put` changes the wanted one, `frame` gives the bytes and takes the wanted for the shown one."""

    def __init__(self, columns: int, lines: int) -> None:
        self.width = columns
        self.height = lines
        self._wanted: list[Runs] = [blank(columns)] * lines
        self._shown: list[Runs | None] = [None] * lines
        """None: nobody knows what stands there."""
        self._cursor: Point | None = None
        self._visible: bool | None = None

    def forget(self) -> None:
        """The terminal was used by somebody else: the next frame draws everything."""
        self._shown = [None] * self.height
        self._cursor = self._visible = None

    def put(self, line: int, column: int, runs: Sequence[Run]) -> None:
        """Places runs on a line of the wanted picture."""
        if not 0 <= line < self.height:
            return
        size = sum(width(text) for text, _ in runs)
        if column == 0 and size >= self.width:
            self._wanted[line] = merged(list(runs))
            return
        old = cells_of(self._wanted[line], self.width)
        new = cells_of(tuple(runs), max(0, min(size, self.width - column)))
        cells = [*old[:column], *new, *old[column + len(new) :]]
        self._wanted[line] = merged([(cell.text, cell.style) for cell in cells])

    def frame(self, cursor: Point | None, *, sync: bool = False) -> str:
        """The bytes that make the terminal show the wanted picture, with its cursor at `cursor` (None: hidden)."""
        parts = [*self._scroll(), *(part for line in range(self.height) for part in self._line(line))]
        drawn = "".join(parts)
        ending = self._place_cursor(cursor)
        if not drawn and not ending:
            return ""
        if sync and len(drawn) > _LARGE:
            return f"{SYNC_START}{drawn}{ending}{SYNC_END}"
        if len(drawn) > _LARGE and cursor is not None and self._cursor is not None:
            return f"{HIDE_CURSOR}{drawn}{ending}{SHOW_CURSOR}"
        return drawn + ending

    def note(self, text: str) -> str:
        """The bytes that put a text over the right end of the last line; the next frame draws that line anew."""
        text = cut(text, self.width)
        self._shown[-1] = None
        return f"{SAVE_CURSOR}{move((self.width - width(text), self.height - 1))}\x1b[7m{text}\x1b[m{RESTORE_CURSOR}"

    def _place_cursor(self, cursor: Point | None) -> str:
        parts = []
        if cursor is not None:
            cursor = (min(cursor[0], self.width - 1), min(cursor[1], self.height - 1))
            if cursor != self._cursor:
                parts.append(move(cursor))
                self._cursor = cursor
        visible = cursor is not None
        if visible != self._visible:
            parts.append(SHOW_CURSOR if visible else HIDE_CURSOR)
            self._visible = visible
        return "".join(parts)

    def _scroll(self) -> list[str]:
        shift = find_shift(self._shown, self._wanted, blank(self.width))
        if shift is None:
            return []
        self._shown = shift.applied(self._shown, blank(self.width))
        self._cursor = None
        return [scroll(shift)]

    def _line(self, line: int) -> list[str]:
        shown, wanted = self._shown[line], self._wanted[line]
        if shown == wanted:
            return []
        self._shown[line] = wanted
        new = cells_of(wanted, self.width)
        end = _content_end(new)
        if shown is None:
            parts = self._text(line, 0, new[:end])
            return parts if end == self.width else [*parts, *self._erase(line, end)]
        old = cells_of(shown, self.width)
        parts = []
        for start, stop in _changed(old, new):
            if start >= end:
                break
            parts.extend(self._text(line, start, new[start : min(stop, end)]))
        if end < _content_end(old):
            parts.extend(self._erase(line, end))
        return parts

    def _erase(self, line: int, column: int) -> list[str]:
        moved = [] if self._cursor == (column, line) else [move((column, line))]
        self._cursor = (column, line)
        return [*moved, "\x1b[K"]

    def _text(self, line: int, column: int, cells: Sequence[Cell]) -> list[str]:
        if not cells:
            return []
        parts = [] if self._cursor == (column, line) else [move((column, line))]
        style = ""
        for place, cell in enumerate(cells):
            if not cell.text:
                continue
            if cell.style != style:
                parts.append(sgr(cell.style, style))
                style = cell.style
            parts.append(cell.text)
            if fragile(cell) and place + 1 < len(cells):
                parts.append(f"\x1b[{column + place + _size(cells, place) + 1}G")
        if style:
            parts.append("\x1b[m")
        end = column + len(cells)
        self._cursor = (end, line) if end < self.width and not fragile(_last(cells)) else None
        return parts


def move(point: Point) -> str:
    column, line = point
    return f"\x1b[{line + 1};{column + 1}H" if column else f"\x1b[{line + 1}H"


def sgr(style: str, before: str) -> str:
    """The sequence from one style to another."""
    if not style:
        return "\x1b[m"
    return f"\x1b[0;{style}m" if before else f"\x1b[{style}m"


def scroll(shift: Shift) -> str:
    """Scrolls the lines of a region by the terminal itself: line feeds at its end, reverse ones at its beginning.

    The cursor is in the corner afterwards.
    """
    line, feeds = (shift.bottom - 1, "\n" * shift.by) if shift.by > 0 else (shift.top, "\x1bM" * -shift.by)
    return f"\x1b[{shift.top + 1};{shift.bottom}r{move((0, line))}{feeds}\x1b[r"


def _size(cells: Sequence[Cell], place: int) -> int:
    return 2 if place + 1 < len(cells) and not cells[place + 1].text else 1


def _last(cells: Sequence[Cell]) -> Cell:
    return next((cell for cell in reversed(cells) if cell.text), cells[-1])


def _content_end(cells: Sequence[Cell]) -> int:
    """Where the blank rest of a line begins that erasing can make."""
    end = len(cells)
    while end and cells[end - 1].text == " " and not cells[end - 1].style:
        end -= 1
    return end


def _changed(old: Sequence[Cell], new: Sequence[Cell]) -> list[tuple[int, int]]:
    """(start, end) of the places that differ, near ones joined, and never half of a wide character."""
    ranges: list[list[int]] = []
    for place, (before, after) in enumerate(zip(old, new, strict=True)):
        if before == after:
            continue
        if ranges and place - ranges[-1][1] < _GAP:
            ranges[-1][1] = place + 1
        else:
            ranges.append([place, place + 1])
    return [_whole(old, new, start, end) for start, end in ranges]


def _whole(old: Sequence[Cell], new: Sequence[Cell], start: int, end: int) -> tuple[int, int]:
    while start and not (new[start].text and old[start].text):
        start -= 1
    while end < len(new) and not (new[end].text and old[end].text):
        end += 1
    return start, end
