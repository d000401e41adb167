"""The composer: the draft as it stands, with the terminal's own cursor on the caret (cases J01, J02)."""

from textual.events import Resize

from htui.composer.editor import Editor
from htui.present.lines import Line, Span
from htui.theme import Theme
from htui.widgets.lines import Lines

MOST_ROWS = 5
PROMPT = 2
"""Cells before the text."""


class Composer(Lines):
    """Shows an editor; `update` after every change of it. `mark` stands before the text, `secret` hides it."""

    def __init__(self, theme: Theme, editor: Editor, *, mark: str = "❯", secret: bool = False) -> None:
        super().__init__(theme)
        self.editor = editor
        self.mark = mark
        self.secret = secret
        self.hint = ""
        """Shown while there is no text."""
        self._first = 0
        self.caret = (PROMPT, 0)

    def on_mount(self) -> None:
        self.update()

    def on_resize(self, event: Resize) -> None:
        self.update()

    def update(self) -> None:
        """Shows the draft as it is now and puts the cursor on the caret."""
        self.editor.cells = max(2, self.cells - PROMPT)
        layout = self.editor.layout()
        rows = min(MOST_ROWS, max(1, self.app.size.height // 3), len(layout.pieces))
        first = min(self._first, layout.line, len(layout.pieces) - rows)
        self._first = max(0, first, layout.line - rows + 1)
        shown = layout.pieces[self._first : self._first + rows]
        self.caret = (layout.column + PROMPT, layout.line - self._first)
        self.show([self._line(place, piece.text) for place, piece in enumerate(shown)])
        self.place_cursor()

    def place_cursor(self) -> None:
        """Tells the terminal's cursor where the caret is, from wherever the layout put this widget."""
        region = self.content_region
        self.app.cursor_position = region.offset + self.caret
        self.call_after_refresh(self._place_after_layout)

    def _place_after_layout(self) -> None:
        cursor = self.content_region.offset + self.caret
        if cursor != self.app.cursor_position:
            self.app.cursor_position = cursor
            self.app.refresh_cursor()  # type: ignore[attr-defined]

    def _line(self, place: int, text: str) -> Line:
        lead = Span(f"{self.mark} " if place + self._first == 0 else "  ", "prompt")
        if self.secret:
            return (lead, Span("•" * len(text)))
        if self.editor.empty and self.hint:
            return (lead, Span(self.hint, "muted"))
        return (lead, Span(text))
