"""The difference that a turn made in one file, and what became of the file since."""

from collections.abc import Callable, Mapping
from typing import Any

from htui.errors import HtuiError
from htui.present.changes import File, difference_spans
from htui.present.lines import EMPTY, Line, Span, chop_spans, rule_line, wrap
from htui.present.safe import safe
from htui.screens.desk import Desk

SINCE = "Changed since, not by this turn:"
_SAME = "Moved; the content is the same."
_NOTHING = "There is no text to show: it is a folder, no text, too large, or its content was let go."


class Difference:
    """Reads it from the host and shows a part of it. `shown` is called when there is something else to show."""

    def __init__(self, desk: Desk, session_id: str, turn: int, file: File, shown: Callable[[], None]) -> None:
        self.turn = turn
        self.file = file
        self.rows = 1
        """Lines that were in sight the last time."""
        self.count = 0
        self._desk = desk
        self._session_id = session_id
        self._shown = shown
        self._text: str | None = None
        self._since: str | None = None
        self._trouble = "Reading …"
        self._top = 0
        self._made: tuple[int, list[Line]] | None = None

    async def read(self) -> None:
        request = {"sessionId": self._session_id, "turn": self.turn, "path": self.file.path}
        try:
            value = await self._desk.link.call("undo/difference", request=request)
        except HtuiError as error:
            self._trouble = error.message
        else:
            answer: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
            self._text, self._since = (_text(answer.get(key)) for key in ("difference", "since"))
            self._trouble = ""
        self._made = None
        self._shown()

    def title(self, cells: int) -> Line:
        state = {"undone": "undone", "accepted": "✓ kept"}.get(self.file.status, "")
        name = safe(self.file.path, strict=True)
        return rule_line(name, Span(state, "muted"), cells)

    def move(self, by: int) -> None:
        self._top = max(0, min(self._top + by, self.count - self.rows))

    def lines(self, cells: int, rows: int) -> list[Line]:
        """The lines in sight; the last one tells how much lies below."""
        if self._made is None or self._made[0] != cells:
            self._made = cells, self._all(cells)
        every = self._made[1]
        below = len(every) > rows
        self.rows, self.count = max(1, rows - below), len(every)
        self.move(0)
        shown = every[self._top : self._top + self.rows]
        left = self.count - self._top - self.rows
        if below:
            place = f"↓ {left} more · PgDn" if left > 0 else "the end · PgUp goes back"
            shown = [*shown, *[EMPTY] * (self.rows - len(shown)), (Span(place, "muted"),)]
        return shown

    def _all(self, cells: int) -> list[Line]:
        if self._trouble:
            return wrap([Span(safe(self._trouble), "muted")], cells)
        lines: list[Line] = []
        if self._since is not None:
            # What is at stake comes first: it is why an undo is refused.
            lines += [*wrap([Span(SINCE, "warning")], cells), *_chopped(self._since, cells), EMPTY]
            lines += wrap([Span(f"Turn {self.turn}:", "strong")], cells)
        if self.file.what == "moved":
            lines += wrap([Span(_SAME, "muted")], cells)
        elif self._text is None:
            lines += wrap([Span(_NOTHING, "muted")], cells)
        else:
            lines += _chopped(self._text, cells)
        return lines


def _chopped(text: str, cells: int) -> list[Line]:
    return [piece for span in difference_spans(text) for piece in chop_spans((span,), cells) or [EMPTY]]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
