"""What a terminal shows, as clients are told it: worked out while somebody looks, and kept as bytes until then."""

import codecs
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from hd.jobs.job import Bell
from hd.process.child import Screen
from hd.process.emulator import Emulator
from hd.process.grid import BOLD, DIM, HIDDEN, ITALIC, PLAIN, REVERSE, STRIKE, UNDERLINE, Cell, Style
from hd.secrets.mask import Mask

KEPT: Final = 64 * 1024
"""Bytes that wait to be looked at. Of more the oldest go, as nobody could have read what they drew."""

_SLICE: Final = 4 * 1024
SLICES: Final = 2 * KEPT // _SLICE
"""Steps of `catch_up` in which all is drawn that can have waited at the first of them."""

_FLAGS: Final = (
    ("bold", BOLD), ("dim", DIM), ("italic", ITALIC), ("underline", UNDERLINE), ("reverse", REVERSE),
    ("strike", STRIKE),
)  # fmt: skip

Spans = tuple[tuple[str, Style], ...]


class Display:
    """The screen of one terminal. `bell` rings when it may have changed."""

    def __init__(self, size: Screen) -> None:
        self.bell: Final = Bell()
        self.watchers = 0
        self.shown: Final = Emulator(size.columns, size.rows)
        """As far as it is drawn."""
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._pending: deque[bytes] = deque()
        self._size = 0
        self._dropped = False

    def add(self, piece: bytes) -> None:
        """Takes what the program wrote."""
        self._pending.append(piece)
        self._size += len(piece)
        while self._size > KEPT and len(self._pending) > 1:
            self._size -= len(self._pending.popleft())
            self._dropped = True
        self.bell.ring()

    def resize(self, size: Screen) -> None:
        self.look().resize(size.columns, size.rows)
        self.bell.ring()

    @property
    def cursor_keys(self) -> bool:
        return self.shown.cursor_keys

    def look(self) -> Emulator:
        """The screen as it is now."""
        while not self.catch_up():
            pass
        return self.shown

    def catch_up(self) -> bool:
        """Draws a little of what waits, for a program may write what takes long to draw; True when nothing is left."""
        waiting = b"".join(self._pending)
        if self._dropped:
            # What was cut may have been in the middle of a sequence: it goes on at the next beginning of anything.
            starts = [place for place in (waiting.find(b"\n"), waiting.find(b"\x1b")) if place >= 0]
            waiting = waiting[min(starts) if starts else 0 :]
            self._decoder.reset()
        drawn, left = waiting[:_SLICE], waiting[_SLICE:]
        self._pending.clear()
        if left:
            self._pending.append(left)
        self._size, self._dropped = len(left), False
        self.shown.feed(self._decoder.decode(drawn))
        return not left


@dataclass(frozen=True, slots=True)
class Picture:
    """A screen at one moment. `cursor` is column and line, None where it is hidden."""

    columns: int
    rows: int
    lines: tuple[Spans, ...]
    cursor: tuple[int, int] | None
    alternate: bool


def picture(shown: Emulator, mask: Mask) -> Picture:
    """What may be told of a screen."""
    lines = shown.lines()
    covered = hidden(["".join(char for char, _ in line) for line in lines], shown.grid.columns, mask) if mask else {}
    return Picture(
        shown.grid.columns,
        shown.grid.rows,
        tuple(((covered[y], PLAIN),) if y in covered else spans(line) for y, line in enumerate(lines)),
        shown.cursor,
        shown.alternate,
    )


def spans(line: Sequence[Cell]) -> Spans:
    """A line as runs of one style, without the blanks at its end."""
    runs = [
        ("".join(" " if style.flags & HIDDEN and char else char for char, _ in cells), style)
        for style, cells in groupby(line, key=lambda cell: cell[1])
    ]
    while runs and runs[-1][1] == PLAIN:
        text = runs[-1][0].rstrip(" ")
        if text:
            runs[-1] = (text, PLAIN)
            break
        runs.pop()
    return tuple(runs)


def hidden(lines: Sequence[str], columns: int, mask: Mask) -> dict[int, str]:
    """What stands in place of the lines that hold what must not be shown, also where it runs on over their ends."""
    found: dict[int, str] = {}
    start = 0
    while start < len(lines):
        end = start + 1
        while end < len(lines) and lines[end - 1][-1:] not in ("", " "):
            end += 1
        whole = "".join(lines[start:end])
        covered = mask.hide(whole)
        if covered != whole:
            pieces = [covered[place * columns :][:columns] for place in range(end - start)]
            found |= {start + place: piece.rstrip(" ") for place, piece in enumerate(pieces)}
        start = end
    return found


def frame(before: Picture | None, now: Picture, job: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What tells a client that has `before` of `now`, and of the job where that changed; None for nothing."""
    whole = before is None or (before.columns, before.rows) != (now.columns, now.rows)
    if before == now and job is None:
        return None
    old: Sequence[Spans] = () if before is None or whole else before.lines
    changed = [(y, line) for y, line in enumerate(now.lines) if y >= len(old) or old[y] != line]
    item: dict[str, Any] = {
        "type": "screen",
        "columns": now.columns,
        "rows": now.rows,
        "whole": whole,
        "lines": [{"line": y, "spans": [span_row(text, style) for text, style in line]} for y, line in changed],
        "alternate": now.alternate,
        "cursor": None if now.cursor is None else list(now.cursor),
    }
    return item if job is None else {**item, "job": job}


def span_row(text: str, style: Style) -> dict[str, Any]:
    row: dict[str, Any] = {"text": text}
    if style.fg >= 0:
        row["fg"] = style.fg
    if style.bg >= 0:
        row["bg"] = style.bg
    return row | {name: True for name, flag in _FLAGS if style.flags & flag}
