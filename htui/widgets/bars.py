"""The narrow widgets around the composer: the rule with the session's title, what is told, and the status."""

from collections.abc import Sequence

from textual.events import Resize

from htui.present.lines import Line, Span, rule_line
from htui.present.status import Figures, status_lines
from htui.theme import Theme
from htui.widgets.lines import Lines

LOW = 12
"""Lines of a screen on which the status has one only."""


class Rule(Lines):
    """A line across the screen: what the conversation is called at the left, where the reader is at the right."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._title = ""
        self._side = Span("")

    def on_mount(self) -> None:
        self._update()

    def on_resize(self, event: Resize) -> None:
        self._update()

    def tell(self, title: str, side: Span) -> None:
        """`title` is safe text, `side` stands at the right end."""
        if (title, side) != (self._title, self._side):
            self._title, self._side = title, side
            self._update()

    def _update(self) -> None:
        self.show([rule_line(self._title, self._side, self.cells)])


class Feed(Lines):
    """What waits and what is told, above the composer; no lines at all when there is nothing."""

    def tell(self, lines: Sequence[Line]) -> None:
        self.show(lines)


class StatusBar(Lines):
    """The status bar."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._figures = Figures()

    def on_mount(self) -> None:
        self.tell(self._figures)

    def on_resize(self, event: Resize) -> None:
        self.tell(self._figures)

    def tell(self, figures: Figures) -> None:
        self._figures = figures
        lines = status_lines(figures, self.cells)
        self.show(lines[:1] if self.app.size.height <= LOW else lines)
