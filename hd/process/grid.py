"""The cells of a terminal's screen, with a cursor, margins and what moves them; pure.

Positions count from 0. A wide character takes two cells, the second of which is empty text. No cell ever holds anything
that a terminal would act on: only what can be seen is written here.
"""

import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

BOLD: Final = 1
DIM: Final = 2
ITALIC: Final = 4
UNDERLINE: Final = 8
REVERSE: Final = 16
STRIKE: Final = 32
HIDDEN: Final = 64

_MOST_MARKS: Final = 4
"""Combining marks that one cell takes; more is an attack on the reader's eyes."""
_TAB: Final = 8


class Style(NamedTuple):
    """Colours are numbers of the 256-colour palette, -1 is the terminal's own. `flags` are those above."""

    fg: int = -1
    bg: int = -1
    flags: int = 0


PLAIN: Final = Style()
Cell = tuple[str, Style]
_BLANK: Final[Cell] = (" ", PLAIN)


@lru_cache(maxsize=4096)
def cells_of(char: str) -> int:
    """How many cells a character takes: 0 for a mark on the one before, -1 for what is not shown at all."""
    category = unicodedata.category(char)
    if category in ("Mn", "Me") and not "\ufe00" <= char <= "\ufe0f":
        return 0
    if category[0] == "C" or category in ("Mn", "Zl", "Zp"):
        return 1 if category == "Co" else -1
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


class Grid:
    """`x` may be `columns`: the next character then begins a line."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self.x = 0
        self.y = 0
        self.style = PLAIN
        self.autowrap = True
        self.inserting = False
        self.top = 0
        self.bottom = rows - 1
        self.lines: list[list[Cell]] = [self._blank_line() for _ in range(rows)]

    def write(self, text: str) -> None:
        """Writes at the cursor; `text` holds no control characters."""
        if not text.isascii() or self.inserting:
            for char in text:
                self._put(char, cells_of(char))
            return
        style = self.style
        while text:
            self._wrap(1)
            room = self.columns - self.x
            piece, text = text[:room], text[room:]
            self._clear_halves(self.x, self.x + len(piece))
            self.lines[self.y][self.x : self.x + len(piece)] = [(char, style) for char in piece]
            self.x += len(piece)

    def _put(self, char: str, size: int) -> None:
        if size < 0:
            return
        line = self.lines[self.y]
        if size == 0:
            place = min(self.x, self.columns) - 1
            while place > 0 and not line[place][0]:
                place -= 1
            if place >= 0 and len(line[place][0]) <= _MOST_MARKS and line[place][0] != " ":
                line[place] = (line[place][0] + char, line[place][1])
            return
        if size > self.columns:
            return
        self._wrap(size)
        if self.inserting:
            self.insert_cells(size)
        self._clear_halves(self.x, self.x + size)
        drawn = (" ", " ") if char.isspace() else (char, "")  # Every kind of space is seen as a blank.
        self.lines[self.y][self.x : self.x + size] = [(part, self.style) for part in drawn[:size]]
        self.x += size

    def _wrap(self, size: int) -> None:
        """Sees to it that there is room for a character of that size."""
        if self.x + size <= self.columns:
            return
        if self.autowrap:
            self.x = 0
            self.line_feed()
        else:
            self.x = self.columns - size

    def _clear_halves(self, start: int, end: int) -> None:
        """Blanks what would be left of a wide character that is cut at `start` or at `end`."""
        line = self.lines[self.y]
        if 0 < start < self.columns and not line[start][0]:
            line[start - 1] = (" ", line[start - 1][1])
        if end < self.columns and not line[end][0]:
            line[end] = (" ", line[end][1])

    def move_to(self, x: int, y: int) -> None:
        self.x = max(0, min(x, self.columns - 1))
        self.y = max(0, min(y, self.rows - 1))

    def up(self, count: int) -> None:
        """Up, and not beyond the margin that the cursor is inside of."""
        self.move_to(self.x, max(self.y - count, self.top if self.y >= self.top else 0))

    def down(self, count: int) -> None:
        self.move_to(self.x, min(self.y + count, self.bottom if self.y <= self.bottom else self.rows - 1))

    def tab(self, count: int) -> None:
        """Forward by tab stops, or back by a negative number of them."""
        stop = self.x // _TAB + count if count > 0 else -(-self.x // _TAB) + count
        self.move_to(stop * _TAB, self.y)

    def line_feed(self) -> None:
        if self.y == self.bottom:
            self.scroll(1)
        elif self.y < self.rows - 1:
            self.y += 1

    def reverse_line_feed(self) -> None:
        if self.y == self.top:
            self.scroll(-1)
        elif self.y > 0:
            self.y -= 1

    def scroll(self, by: int) -> None:
        """Moves the lines between the margins up, or down where it is negative."""
        self._shift(self.top, by)

    def insert_lines(self, count: int) -> None:
        """Blank lines at the cursor, or fewer lines by a negative number."""
        if self.top <= self.y <= self.bottom:
            self._shift(self.y, -count)
            self.x = 0

    def _shift(self, top: int, by: int) -> None:
        size = self.bottom + 1 - top
        by = max(-size, min(by, size))
        blank = [self._blank_line() for _ in range(abs(by))]
        moved = self.lines[top : self.bottom + 1]
        self.lines[top : self.bottom + 1] = [*moved[by:], *blank] if by > 0 else [*blank, *moved[: size + by]]

    def insert_cells(self, count: int) -> None:
        """Blank cells at the cursor, or fewer cells by a negative number."""
        x = min(self.x, self.columns - 1)
        self._clear_halves(x, x)
        line = self.lines[self.y]
        size = min(abs(count), self.columns - x)
        blank = [self._blank()] * size
        line[x:] = [*blank, *line[x : self.columns - size]] if count > 0 else [*line[x + size :], *blank]
        if line[-1][0] and cells_of(line[-1][0][0]) == 2:
            line[-1] = (" ", line[-1][1])
        if not line[x][0]:
            line[x] = self._blank()

    def erase(self, start: int, end: int) -> None:
        """Blanks cells of the cursor's line; `end` is not included."""
        start, end = max(0, start), min(end, self.columns)
        if start < end:
            self._clear_halves(start, end)
            self.lines[self.y][start:end] = [self._blank()] * (end - start)

    def erase_lines(self, start: int, end: int) -> None:
        self.lines[start:end] = [self._blank_line() for _ in range(start, end)]

    def set_margins(self, top: int, bottom: int) -> None:
        if 0 <= top < bottom < self.rows:
            self.top, self.bottom = top, bottom

    def resize(self, columns: int, rows: int) -> None:
        """What does not fit goes: the ends of lines, and lines from the top where the cursor would be lost."""
        gone = max(0, self.y - rows + 1)
        kept = [self._fitted(line, columns) for line in self.lines[gone : gone + rows]]
        self.columns, self.rows = columns, rows
        self.lines = [*kept, *(self._blank_line() for _ in range(rows - len(kept)))]
        self.top, self.bottom = 0, rows - 1
        self.x, self.y = min(self.x, columns), max(0, min(self.y - gone, rows - 1))

    def _fitted(self, line: list[Cell], columns: int) -> list[Cell]:
        fitted = [*line[:columns], *[_BLANK] * (columns - len(line))]
        if columns < len(line) and not line[columns][0]:
            fitted[-1] = (" ", fitted[-1][1])
        return fitted

    def _blank(self) -> Cell:
        return _BLANK if self.style.bg < 0 else (" ", Style(bg=self.style.bg))

    def _blank_line(self) -> list[Cell]:
        return [self._blank()] * self.columns
