"""The rows of a transcript as strips, made once and kept for as long as there is room."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from textual.strip import Strip

from hd.protocol.projections.transcript import Row
from htui.present.lines import Line
from htui.present.live_text import LiveText, LiveThought
from htui.present.rows import Look, Place, head_lines, live_thought_line, opens_answer, place_of, row_lines

MAX_LINES = 20_000
"""Strips that are kept of rows that are not visible."""


class Rows(Protocol):
    """Rows by index, oldest first."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Row: ...


MakeStrip = Callable[[Line], Strip]


@dataclass(slots=True)
class _Kept:
    row: Row
    look: Look
    place: Place
    strips: Sequence[Strip]


class _Growing:
    """The strips of a row that is being written."""

    def __init__(self, look: Look, place: Place, text: LiveText | LiveThought, make: MakeStrip) -> None:
        self.look = look
        self.place = place
        self._text = text
        self._make = make
        self._head = [make(line) for line in head_lines(place)]
        self.strips: list[Strip] = list(self._head)

    def update(self, text: str) -> None:
        first = self._text.update(text)
        del self.strips[len(self._head) + first :]
        self.strips.extend(self._make(line) for line in self._text.lines[first:])


class Blocks:
    """The strips of the rows that it was last given with `take`, by index; `live` rows follow the committed ones."""

    def __init__(self, look: Look, make: MakeStrip) -> None:
        self.look = look
        self._make = make
        self._rows: Rows = ()
        self._live: tuple[Row, ...] = ()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lines = 0
        self._growing: dict[str, _Growing] = {}

    def take(self, rows: Rows, live: tuple[Row, ...]) -> None:
        self._rows, self._live = rows, live
        if self._growing:
            keys = {row.key for row in live}
            self._growing = {key: block for key, block in self._growing.items() if key in keys}

    def set_look(self, look: Look, make: MakeStrip) -> None:
        """Other lines for everything: the screen or the reader's wish changed."""
        self.look, self._make = look, make
        self._kept.clear()
        self._growing.clear()
        self._lines = 0

    def __len__(self) -> int:
        return len(self._rows) + len(self._live)

    def row(self, index: int) -> Row:
        place = index - len(self._rows)
        return self._rows[index] if place < 0 else self._live[place]

    def height(self, index: int) -> int:
        return len(self.strips(index))

    def strips(self, index: int) -> Sequence[Strip]:
        row = self.row(index)
        place = self._place(index, row)
        if index >= len(self._rows):
            return self._live_strips(index, row, place)
        kept = self._kept.get(row.key)
        if kept is not None and kept.row is row and kept.place == place and kept.look == self.look:
            self._kept.move_to_end(row.key)
            return kept.strips
        return self._keep(row, place, [self._make(line) for line in row_lines(row, self.look, place)])

    def index_of(self, key: str, seq: int) -> int | None:
        """Where the row of that key stands now; the seq finds it fast."""
        low, high = 0, len(self._rows)
        while low < high:
            middle = (low + high) // 2
            if self._rows[middle].seq < seq:
                low = middle + 1
            else:
                high = middle
        while low < len(self._rows) and self._rows[low].seq == seq:
            if self._rows[low].key == key:
                return low
            low += 1
        return None

    def _keep(self, row: Row, place: Place, strips: Sequence[Strip]) -> Sequence[Strip]:
        old = self._kept.pop(row.key, None)
        self._lines += len(strips) - (len(old.strips) if old else 0)
        self._kept[row.key] = _Kept(row, self.look, place, strips)
        while self._lines > MAX_LINES and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            self._lines -= len(gone.strips)
        return strips

    def _place(self, index: int, row: Row) -> Place:
        before = self.row(index - 1) if index else None
        return place_of(row, before, opens_answer(row, self._speaker_above(index)), self.look)

    def _speaker_above(self, index: int) -> Row | None:
        for place in range(index - 1, -1, -1):
            row = self.row(place)
            if row.kind not in ("context", "compaction", "notice"):
                return row
        return None

    def _live_strips(self, index: int, row: Row, place: Place) -> Sequence[Strip]:
        growing = self._growing.get(row.key)
        writing = index == len(self) - 1 and row.status == "running"
        if row.kind == "reasoning" and (not writing or self.look.narrow) and not self.look.thoughts:
            self._growing.pop(row.key, None)
            if writing:
                lines = [*head_lines(place), *live_thought_line(row.text, self.look.cells)]
                return [self._make(line) for line in lines]
        elif row.kind in ("assistant", "reasoning"):
            if growing is None or growing.look != self.look or growing.place != place:
                text = LiveText(self.look.cells) if row.kind == "assistant" else LiveThought(self.look.cells)
                growing = self._growing[row.key] = _Growing(self.look, place, text, self._make)
            growing.update(row.text)
            return growing.strips
        return [self._make(line) for line in row_lines(row, self.look, place)]
