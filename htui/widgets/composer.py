"""The composer: the draft as it stands, with the terminal's own cursor on the caret (cases J01, J02)."""

from textual.events import Resize
from textual.geometry import Region

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
        """Shows the draft as it is now."""
        self.editor.cells = max(2, self.cells - PROMPT)
        layout = self.editor.layout()
        rows = min(MOST_ROWS, max(1, self.app.size.height // 3), len(layout.pieces))
        first = min(self._first, layout.line, len(layout.pieces) - rows)
        self._first = max(0, first, layout.line - rows + 1)
        shown = layout.pieces[self._first : self._first + rows]
        self.caret = (layout.column + PROMPT, layout.line - self._first)
        self.show([self._line(place, piece.text) for place, piece in enumerate(shown)])
        self.refresh(Region(0, 0, 1, 1))  # a frame is drawn even where only the caret moved

    @property
    def cursor(self) -> tuple[int, int]:
        """The caret on the screen."""
        offset = self.content_region.offset
        return offset.x + self.caret[0], offset.y + self.caret[1]

    def _line(self, place: int, text: str) -> Line:
        lead = Span(f"{self.mark} " if place + self._first == 0 else "  ", "prompt")
        if self.secret:
            return (lead, Span("•" * len(text)))
        if self.editor.empty and self.hint:
            return (lead, Span(self.hint, "muted"))
        return (lead, Span(text))
