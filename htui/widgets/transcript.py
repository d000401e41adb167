"""The conversation: a virtual list on the line API. There is no widget a message, and only what is seen is made.

It follows the end until the reader scrolls up; then what is read stays where it is, whatever comes below or above.
"""

from collections.abc import Sequence

from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from hd.protocol.projections.transcript import Row
from htui.present.lines import Line, bare
from htui.present.rows import Look
from htui.theme import Theme
from htui.widgets.blocks import Blocks, Rows
from htui.widgets.lines import Lines, to_strip
from htui.widgets.viewport import Anchor, bottom, fill, move


class Transcript(Lines):
    """`take` gives it rows; `following` is True while the end is in sight, `unread` when something came below."""

    DEFAULT_CSS = """
    Transcript {
        height: 1fr;
    }
    """

    class Scrolled(Message):
        """The reader moved, or something came that is not in sight."""

    def __init__(self, theme: Theme, *, id: str | None = None) -> None:
        super().__init__(theme, id=id)
        self._look = Look(80)
        self._bare = False
        self._blocks = Blocks(self._look, self._make)
        self._anchor: Anchor | None = None
        self._mark = ("", -1)
        """Key and seq of the row at the anchor, to find it again when rows came above it."""
        self._last = ""
        self._live_text = 0
        self._welcome: Sequence[Line] = ()
        self.unread = False

    @property
    def following(self) -> bool:
        return self._anchor is None

    @property
    def at_top(self) -> bool:
        """True when the first line is in sight."""
        if self._anchor is None:
            return bottom(len(self._blocks), self._blocks.height, self.size.height) == Anchor()
        return self._anchor == Anchor()

    @property
    def thoughts(self) -> bool:
        return self._look.thoughts

    def take(self, rows: Rows, live: tuple[Row, ...] = ()) -> None:
        """Shows these rows. Rows that are the same objects as before cost nothing."""
        self._blocks.take(rows, live)
        if self._anchor is not None:
            self._find_again()
        end = self.row_key(-1)
        size = len(live[-1].text) if live else 0
        if self._anchor is not None and (end, size) != (self._last, self._live_text) and not self.unread:
            self.unread = True
            self.post_message(self.Scrolled())
        self._last, self._live_text = end, size
        self._arrange()

    def welcome(self, lines: Sequence[Line]) -> None:
        """What stands here while there are no rows."""
        self._welcome = lines
        if not len(self._blocks):
            self._arrange()

    def forget_place(self) -> None:
        """Another session is shown: from its end."""
        self._anchor = None
        self.unread = False

    def scroll_by_lines(self, by: int) -> None:
        """Moves the reader; the end is followed again once it is reached."""
        height = self.size.height
        anchor = self._anchor
        if anchor is None:
            anchor = bottom(len(self._blocks), self._blocks.height, height)
        self._go(move(anchor, by, len(self._blocks), self._blocks.height, height))

    def scroll_by_pages(self, by: int) -> None:
        self.scroll_by_lines(by * max(1, self.size.height - 2))

    def to_top(self) -> None:
        self._go(move(Anchor(), 0, len(self._blocks), self._blocks.height, self.size.height))

    def to_end(self) -> None:
        self._go(None)

    def to_row(self, key: str, seq: int) -> None:
        """Shows a row from its first line on, as far as there is enough below it."""
        found = self._blocks.index_of(key, seq)
        if found is not None:
            self._go(move(Anchor(found), 0, len(self._blocks), self._blocks.height, self.size.height))

    def set_thoughts(self, shown: bool) -> None:
        """Unfolds or folds all reasoning."""
        self._set_look(Look(self._look.cells, shown))

    def on_resize(self) -> None:
        self._set_look(Look(self.cells, self._look.thoughts))

    def render_lines(self, crop: Region) -> list[Strip]:
        if self._look.cells != self.cells or len(self._strips) != self.size.height:
            self.on_resize()
        return super().render_lines(crop)

    def row_key(self, index: int) -> str:
        count = len(self._blocks)
        return self._blocks.row(index % count).key if count else ""

    def set_bare(self, on: bool) -> None:
        """Shows texts without their gutters, so that a selection of the terminal holds nothing else."""
        if on != self._bare:
            self._bare = on
            self._blocks.set_look(self._look, self._make)
            self._arrange()

    def _make(self, line: Line) -> Strip:
        return to_strip(bare(line) if self._bare else line, self.theme, self._look.cells)

    def _set_look(self, look: Look) -> None:
        if look != self._look:
            self._look = look
            self._blocks.set_look(look, self._make)
        if self._anchor is not None and self._anchor.block < len(self._blocks):
            block, line = self._anchor
            self._anchor = Anchor(block, min(line, max(0, self._blocks.height(block) - 1)))
        self._arrange()

    def _go(self, anchor: Anchor | None) -> None:
        self._hold(anchor)
        self._arrange()
        self.post_message(self.Scrolled())

    def _hold(self, anchor: Anchor | None) -> None:
        self._anchor = anchor
        if anchor is None:
            self.unread = False
        else:
            row = self._blocks.row(anchor.block)
            self._mark = (row.key, row.seq)

    def _find_again(self) -> None:
        assert self._anchor is not None
        block, line = self._anchor
        if block < len(self._blocks) and self._blocks.row(block).key == self._mark[0]:
            return
        found = self._blocks.index_of(*self._mark)
        if found is None and block < len(self._blocks):
            found = block  # what was being written is written now: its rows stand at the same place
        self._hold(None if found is None else Anchor(found, min(line, max(0, self._blocks.height(found) - 1))))

    def _arrange(self) -> None:
        """Puts the visible strips together and repaints the lines that are others now."""
        height = self.size.height
        if not height:
            return
        count, size = len(self._blocks), self._blocks.height
        if count:
            anchor = bottom(count, size, height) if self._anchor is None else self._anchor
            strips = [
                strip
                for block, start, end in fill(anchor, count, size, height)
                for strip in self._blocks.strips(block)[start:end]
            ]
        else:
            strips = [self._make(line) for line in self._welcome][:height]
        blank = Strip.blank(self.cells)
        strips.extend([blank] * (height - len(strips)))
        old, self._strips = self._strips, strips
        if len(old) != len(strips):
            self.refresh()
            return
        for place, (before, after) in enumerate(zip(old, strips, strict=True)):
            if before is not after and before != after:
                self.refresh(Region(0, place, self.cells, 1))
