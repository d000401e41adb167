"""`/prompt`: saved prompts, to be put into the composer, changed, pinned and removed (row T13)."""

from collections.abc import Callable

from textual.app import ComposeResult

from htui.composer.editor import Editor
from htui.errors import HtuiError
from htui.paint.screen import Point
from htui.present.lines import EMPTY, Line, Span, cut_line, rule_line, wrap
from htui.present.picks import row_line
from htui.present.safe import one_line, safe
from htui.prompts.layers import Own, Shown, edited, merged, pinned, removed, unfit
from htui.prompts.store import PromptStore
from htui.screens.base import KeyScreen
from htui.screens.desk import Desk
from htui.widgets.composer import Composer
from htui.widgets.lines import Lines

_WHOLE_FROM = 12
"""Rows of a screen from which the highlighted prompt is shown as a whole below the list."""


class PromptsScreen(KeyScreen):
    """`take` is given the text that was chosen. Changes are written at once."""

    def __init__(self, desk: Desk, store: PromptStore, take: Callable[[str], None]) -> None:
        super().__init__(desk)
        self._store = store
        self._take = take
        self._list = Lines(desk.palette)
        self._editor = Editor()
        self._composer = Composer(desk.palette, self._editor, mark="✎")
        self._prompts: tuple[Shown, ...] = ()
        self._cursor = 0
        self._top = 0
        self._note = ""
        self._editing: str | None = None
        """The id of the prompt that is being changed."""
        self._going = ""
        """The id of the one that goes at the next press of its key."""

    def compose(self) -> ComposeResult:
        yield self._list
        yield self._composer

    @property
    def cursor(self) -> Point | None:
        return self._composer.cursor if self._editing is not None else None

    def on_mount(self) -> None:
        self._prompts = merged(self._store.load())
        self._note = self._store.trouble
        self._show()

    def on_resize(self) -> None:
        self._show()

    def paste(self, text: str) -> None:
        if self._editing is not None:
            self._editor.paste(text)
            self._show()

    def press(self, key: str, character: str | None) -> None:
        if self._editing is not None:
            self._edit(key, character)
        else:
            self._choose(key)

    def _choose(self, key: str) -> None:
        here = self._prompts[self._cursor] if self._prompts else None
        count = len(self._prompts)
        page = max(1, self._room - 1)
        moves = {"pageup": -page, "pagedown": page, "home": -count, "end": count}
        going, self._going = self._going, ""
        if key in ("escape", "q", "ctrl+c"):
            self.desk.back()
            return
        if key in ("up", "k", "ctrl+p", "down", "j", "ctrl+n") and count:
            self._cursor = (self._cursor + (-1 if key in ("up", "k", "ctrl+p") else 1)) % count
        elif key in moves:
            self._cursor = max(0, min(self._cursor + moves[key], count - 1))
        elif here is not None and key == "enter":
            self.desk.back()
            self._take(here.text)
            return
        elif here is not None and key == "e":
            self._editing, self._note = here.id, ""
            self._editor.set(here.text)
        elif here is not None and key == "p":
            self._change(lambda own: pinned(own, here, top=not here.top))
        elif here is not None and key in ("d", "delete"):
            if going == here.id:
                self._change(lambda own: removed(own, here.id))
            else:
                self._going = here.id
        self._show()

    def _edit(self, key: str, character: str | None) -> None:
        id, text = self._editing, self._editor.text
        if key in ("escape", "ctrl+c"):
            self._editing = None
            self._editor.clear()
        elif key == "enter" and id is not None:
            self._note = unfit(Own(), text)
            if not self._note:
                self._editing = None
                self._editor.clear()
                self._change(lambda own: edited(own, id, text))
        elif key != "tab":
            self._editor.press(key, character)
        self._show()

    def _change(self, change: Callable[[Own], Own]) -> None:
        at = self._prompts[self._cursor].id
        try:
            self._prompts = merged(self._store.change(change))
            self._note = ""
        except HtuiError as error:
            self._note = error.message
        found = next((place for place, one in enumerate(self._prompts) if one.id == at), self._cursor)
        self._cursor = max(0, min(found, len(self._prompts) - 1))

    @property
    def _room(self) -> int:
        """Rows for the list."""
        rows = self.size.height - 3
        return max(1, rows // 2 if self.size.height >= _WHOLE_FROM else rows)

    def _show(self) -> None:
        if not self.is_mounted:
            return
        cells, count, room = self._list.cells, len(self._prompts), self._room
        self._composer.display = self._editing is not None
        self._composer.update()
        self._top = max(0, min(self._top, self._cursor, count - room), self._cursor - room + 1)
        side = f"{self._cursor + 1} of {count}" if count else ""
        lines: list[Line] = [rule_line("Saved prompts", Span(side, "muted"), cells)]
        shown = self._prompts[self._top : self._top + room]
        lines += [self._row(place, prompt, cells) for place, prompt in enumerate(shown, self._top)]
        size = self.size.height - self._composer.line_count * (self._editing is not None)
        left = size - len(lines) - 1
        if count and self.size.height >= _WHOLE_FROM:
            text = wrap([Span(safe(self._prompts[self._cursor].text), "muted")], max(1, cells - 2))
            lines += [EMPTY, *((Span("  "), *line) for line in text[: max(0, left - 1)])]
        lines += [EMPTY] * (size - len(lines) - 1)
        lines = [*lines[: max(1, size - 1)], self._foot(cells)]
        self._list.show(lines)

    def _row(self, place: int, prompt: Shown, cells: int) -> Line:
        note = " · shipped" if prompt.shipped else ""
        text = (Span("▲ " if prompt.top else "", "strong"), Span(one_line(prompt.text, 300)))
        line = (*cut_line(text, max(4, cells - 2 - len(note))), Span(note, "muted"))
        return row_line(line, cells, here=place == self._cursor)

    def _foot(self, cells: int) -> Line:
        if self._note:
            return cut_line((Span(one_line(self._note), "warning"),), cells)
        if self._editing is not None:
            keys = "Enter saves · Esc gives the change up"
        elif self._going:
            keys = "d once more removes it · any other key keeps it"
        else:
            keys = "Esc back · Enter takes it · e edits · p pins · d removes"
        return cut_line((Span(keys, "needs" if self._going else "muted"),), cells)
