"""A terminal that draws on a grid: what programs write for one, understood as far as it changes what can be seen; pure.

It is what xterm does with the sequences that programs use under TERM=xterm-256color. Everything else is swallowed, and
nothing is answered. Pieces may be cut anywhere. Sources: ECMA-48, and the control sequences of xterm and the VT220.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hd.process.grid import BOLD, DIM, HIDDEN, ITALIC, PLAIN, REVERSE, STRIKE, UNDERLINE, Cell, Grid, Style

_TOKEN: Final = re.compile(
    r"""
      (?P<text>[^\x00-\x1f\x7f-\x9f]+)
    | \x1b\[(?P<mark>[<-?]?)(?P<numbers>[0-9:;]*)[0-?]*(?P<between>[ -/]*)(?P<final>[@-~])
    | \x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)             # titles, links, device control: nothing to be seen
    | \x1b(?P<set>[ -/]+)(?P<name>[0-~])
    | \x1b(?P<plain>[0-~])
    | (?P<control>[\x00-\x1f\x7f-\x9f])
    """,
    re.VERBOSE,
)
_OPEN: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)\Z")
_LONGEST: Final = 4096
"""Characters of an unfinished sequence that are waited for; a longer one is none."""
_MOST: Final = 10_000
"""A number in a sequence counts as no more than this."""

# What letters stand for in the set of line-drawing characters.
_DRAWN: Final = str.maketrans("`afgjklmnopqrstuvwxyz{|}~", "◆▒°±┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")

_ON: Final = {1: BOLD, 2: DIM, 3: ITALIC, 4: UNDERLINE, 7: REVERSE, 8: HIDDEN, 9: STRIKE, 21: UNDERLINE}
_OFF: Final = {22: BOLD | DIM, 23: ITALIC, 24: UNDERLINE, 27: REVERSE, 28: HIDDEN, 29: STRIKE}


@dataclass(frozen=True, slots=True)
class _Saved:
    x: int = 0
    y: int = 0
    style: Style = PLAIN
    drawing: bool = False


class Emulator:
    """`cursor_keys` says that the program wants arrows in their application form, `pastes` that it wants marks around
    what is pasted."""

    def __init__(self, columns: int, rows: int) -> None:
        self._rest = ""
        self._begin(columns, rows)

    def _begin(self, columns: int, rows: int) -> None:
        self.grid = Grid(columns, rows)
        self.cursor_shown = True
        self.cursor_keys = False
        self.pastes = False
        self._other: Grid | None = None
        """The main screen while the alternate one is shown."""
        self._saved = _Saved()
        self._saved_main = _Saved()
        self._drawing = [False, False]
        self._shifted = 0
        self._origin = False
        self._last = ""

    def feed(self, text: str) -> None:
        text = self._rest + text
        self._rest = ""
        cut = _OPEN.search(text, max(0, len(text) - _LONGEST))
        if cut is not None:
            text, self._rest = text[: cut.start()], cut[0]
        for token in _TOKEN.finditer(text):
            match token.lastgroup:
                case "text":
                    self._write(token["text"])
                case "final":
                    self._sequence(token["mark"], token["numbers"], token["between"] + token["final"])
                case "plain":
                    self._escape(token["plain"])
                case "name":
                    if token["set"] in ("(", ")"):
                        self._drawing[token["set"] == ")"] = token["name"] == "0"
                case "control":
                    self._control(token["control"])

    def resize(self, columns: int, rows: int) -> None:
        self.grid.resize(columns, rows)
        if self._other is not None:
            self._other.resize(columns, rows)

    @property
    def cursor(self) -> tuple[int, int] | None:
        """Column and line; None where the program hides it."""
        return (min(self.grid.x, self.grid.columns - 1), self.grid.y) if self.cursor_shown else None

    @property
    def alternate(self) -> bool:
        """Whether the program uses the screen that is not scrolled back, as editors and pagers do."""
        return self._other is not None

    def lines(self) -> list[list[Cell]]:
        return self.grid.lines

    def _write(self, text: str) -> None:
        self.grid.write(text.translate(_DRAWN) if self._drawing[self._shifted] else text)
        self._last = text[-1]

    def _control(self, char: str) -> None:
        grid = self.grid
        match char:
            case "\r":
                grid.x = 0
            case "\n" | "\v" | "\f":
                grid.line_feed()
            case "\b":
                grid.move_to(min(grid.x, grid.columns - 1) - 1, grid.y)
            case "\t":
                grid.tab(1)
            case "\x0e" | "\x0f":
                self._shifted = int(char == "\x0e")

    def _escape(self, name: str) -> None:
        match name:
            case "7":
                self._save()
            case "8":
                self._restore()
            case "D":
                self.grid.line_feed()
            case "E":
                self.grid.x = 0
                self.grid.line_feed()
            case "M":
                self.grid.reverse_line_feed()
            case "c":
                self._begin(self.grid.columns, self.grid.rows)

    def _sequence(self, mark: str, numbers: str, name: str) -> None:
        given = [min(int(part), _MOST) if part.isdecimal() else -1 for part in numbers.split(";")]
        if mark == "?":
            if name in ("h", "l"):
                for mode in given:
                    self._mode(mode, on=name == "h")
            return
        if mark:
            return
        if name == "m":
            self.grid.style = styled(self.grid.style, numbers)
        elif name in ("h", "l"):
            if 4 in given:
                self.grid.inserting = name == "h"
        elif name in ("J", "K"):
            self._erase(name, max(given[0], 0))
        else:
            self._move(name, max(given[0], 1), max(given[1], 1) if len(given) > 1 else None)

    def _move(self, name: str, first: int, second: int | None) -> None:
        grid = self.grid
        x = min(grid.x, grid.columns - 1)
        above = grid.top if self._origin else 0
        match name:
            case "H" | "f":
                lowest = grid.bottom if self._origin else grid.rows - 1
                grid.move_to((second or 1) - 1, min(first - 1 + above, lowest))
            case "A":
                grid.up(first)
            case "B" | "e":
                grid.down(first)
            case "C" | "a":
                grid.move_to(x + first, grid.y)
            case "D":
                grid.move_to(x - first, grid.y)
            case "E" | "F":
                (grid.down if name == "E" else grid.up)(first)
                grid.x = 0
            case "G" | "`":
                grid.move_to(first - 1, grid.y)
            case "d":
                grid.move_to(x, first - 1 + above)
            case "I" | "Z":
                grid.tab(first if name == "I" else -first)
            case "L" | "M":
                grid.insert_lines(first if name == "L" else -first)
            case "@" | "P":
                grid.insert_cells(first if name == "@" else -first)
            case "X":
                grid.erase(x, x + first)
            case "S" | "T":
                grid.scroll(first if name == "S" else -first)
            case "b":
                if self._last:
                    self._write(self._last * min(first, grid.columns))
            case "r":
                grid.set_margins(first - 1, (second or grid.rows) - 1)
                grid.move_to(0, grid.top if self._origin else 0)
            case "s":
                self._save()
            case "u":
                self._restore()
            case "!p":
                grid.style, grid.inserting, grid.autowrap, self.cursor_shown = PLAIN, False, True, True
                self._origin = self.cursor_keys = False
                grid.set_margins(0, grid.rows - 1)

    def _erase(self, name: str, how: int) -> None:
        grid = self.grid
        x = min(grid.x, grid.columns - 1)
        if how in (0, 1):
            grid.erase(*((x, grid.columns) if how == 0 else (0, x + 1)))
        elif how == 2 and name == "K":
            grid.erase(0, grid.columns)
        if name == "J":
            grid.erase_lines(*{0: (grid.y + 1, grid.rows), 1: (0, grid.y), 2: (0, grid.rows)}.get(how, (0, 0)))

    def _mode(self, mode: int, *, on: bool) -> None:
        match mode:
            case 1:
                self.cursor_keys = on
            case 6:
                self._origin = on
                self.grid.move_to(0, self.grid.top if on else 0)
            case 7:
                self.grid.autowrap = on
            case 25:
                self.cursor_shown = on
            case 47 | 1047 | 1049:
                self._alternate(on, keep=mode == 1049)
            case 2004:
                self.pastes = on

    def _alternate(self, on: bool, *, keep: bool) -> None:
        """Shows the other screen, which begins blank, or the main one as it was left."""
        if on and self._other is None:
            if keep:
                self._save()
            self._other, self._saved_main = self.grid, self._saved
            self.grid = Grid(self._other.columns, self._other.rows)
            self.grid.x, self.grid.y, self.grid.style = self._other.x, self._other.y, self._other.style
        elif not on and self._other is not None:
            self.grid, self._other, self._saved = self._other, None, self._saved_main
            if keep:
                self._restore()

    def _save(self) -> None:
        self._saved = _Saved(self.grid.x, self.grid.y, self.grid.style, self._drawing[0])

    def _restore(self) -> None:
        self.grid.move_to(self._saved.x, self._saved.y)
        self.grid.style, self._drawing[0] = self._saved.style, self._saved.drawing


def styled(style: Style, numbers: str) -> Style:
    """The style after a sequence of graphic renditions; one that is not understood changes nothing."""
    fg, bg, flags = style
    parts = numbers.split(";")
    place = 0
    while place < len(parts):
        code, *more = (int(part) if part.isdecimal() else 0 for part in parts[place].split(":"))
        place += 1
        if code == 0:
            fg, bg, flags = PLAIN
        elif code == 4 and more:
            flags = flags | UNDERLINE if more[0] else flags & ~UNDERLINE
        elif code in _ON:
            flags |= _ON[code]
        elif code in _OFF:
            flags &= ~_OFF[code]
        elif 30 <= code <= 37 or 90 <= code <= 97:
            fg = code - 30 if code < 90 else code - 82
        elif 40 <= code <= 47 or 100 <= code <= 107:
            bg = code - 40 if code < 100 else code - 92
        elif code == 39:
            fg = -1
        elif code == 49:
            bg = -1
        elif code in (38, 48, 58):
            if not more:
                more = [int(part) if part.isdecimal() else 0 for part in parts[place : place + 4]]
                place += {5: 2, 2: 4}.get(more[0] if more else 0, 0)
            colour = _colour(more)
            fg = colour if code == 38 else fg
            bg = colour if code == 48 else bg
    return Style(fg, bg, flags)


def _colour(given: Sequence[int]) -> int:
    """`5;n` or `2;r;g;b` (with colons also `2::r:g:b`) as the nearest of the palette."""
    if len(given) >= 2 and given[0] == 5:
        return min(given[1], 255)
    if len(given) >= 4 and given[0] == 2:
        red, green, blue = (min(value, 255) for value in given[-3:])
        if max(red, green, blue) - min(red, green, blue) < 10:
            grey = round((red - 8) / 10)
            return 16 if grey < 0 else 231 if grey > 23 else 232 + grey
        return 16 + 36 * _cube(red) + 6 * _cube(green) + _cube(blue)
    return -1


def _cube(value: int) -> int:
    return 0 if value < 48 else 1 if value < 115 else (value - 35) // 40
