"""What prints line by line, on a screen of its own: the end is followed until somebody scrolls."""

from textual.app import ComposeResult
from textual.events import MouseScrollDown, MouseScrollUp

from htui.present.jobs import Output
from htui.present.lines import EMPTY, Line, Span, chop_spans, rule_line
from htui.screens.base import KeyScreen
from htui.screens.desk import Desk
from htui.widgets.lines import Lines
from htui.widgets.viewport import Anchor, bottom, fill, move

_WHEEL = 3


class OutputScreen(KeyScreen):
    """`output` may be exchanged or grow at any time; `came` is told how many lines went at its beginning."""

    def __init__(self, desk: Desk, output: Output) -> None:
        super().__init__(desk)
        self.output = output
        self.place: Anchor | None = None
        """The first line in sight; None follows the end."""
        self._text = Lines(desk.palette)

    def compose(self) -> ComposeResult:
        yield self._text

    def on_resize(self) -> None:
        if self.place is not None:
            self.place = Anchor(self.place.block, 0)
        self.changed()

    def head(self) -> tuple[str, str]:
        """The title, and what stands at the right of it."""
        raise NotImplementedError

    def foot(self, cells: int) -> Line:
        raise NotImplementedError

    def own(self, key: str) -> bool:
        """A key that does not move the text; False where it means nothing."""
        return False

    def came(self, dropped: int) -> None:
        if self.place is not None:
            block = self.place.block - dropped
            self.place = Anchor(block, self.place.line) if block >= 0 else Anchor()

    def changed(self) -> None:
        if not self.is_mounted:
            return
        cells, rows = self._text.cells, self._rows
        title, side = self.head()
        lines: list[Line] = [rule_line(title, Span(side, "muted"), cells)]
        count = len(self.output.lines)
        anchor = bottom(count, self._height, rows) if self.place is None else self.place
        for block, start, end in fill(anchor, count, self._height, rows):
            lines += self._pieces(block)[start:end]
        lines += [EMPTY] * (rows + 1 - len(lines))
        lines.append(self.foot(cells))
        self._text.show(lines)

    def press(self, key: str, character: str | None) -> None:
        page = max(1, self._rows - 1)
        moves = {"up": -1, "down": 1, "pageup": -page, "pagedown": page, "space": page}
        moves |= {"ctrl+u": -page // 2, "ctrl+d": page // 2}
        if self.own(key):
            return
        if key in moves:
            self._move(moves[key])
        elif key == "home":
            self.place = Anchor()
        elif key == "end":
            self.place = None
        self.changed()

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        event.stop()
        self._move(-_WHEEL)
        self.changed()

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        event.stop()
        self._move(_WHEEL)
        self.changed()

    @property
    def _rows(self) -> int:
        """Lines between the title and the foot."""
        return max(1, self.size.height - 2)

    def _move(self, by: int) -> None:
        count = len(self.output.lines)
        at = bottom(count, self._height, self._rows) if self.place is None else self.place
        self.place = move(at, by, count, self._height, self._rows)

    def _pieces(self, block: int) -> list[Line]:
        return chop_spans((Span(self.output.shown(block)),), self._text.cells) or [()]

    def _height(self, block: int) -> int:
        return len(self._pieces(block))
