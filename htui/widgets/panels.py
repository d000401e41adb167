"""Panels above the composer: a text to read, and a list to choose from."""

from collections.abc import Callable, Sequence

from textual.events import Resize
from textual.message import Message

from htui.present.lines import EMPTY, Line, Span, cells_of, cut_line, rule_line, with_role, wrap
from htui.present.picks import Pick
from htui.theme import Theme
from htui.widgets.lines import Lines

_DETAIL_FROM = 7
"""Lines from which there is room for what is said about the highlighted row."""


class Panel(Lines):
    """`press` takes a key and says what to do with it: `taken`, `close`, or None for a key that is not its own."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme)
        self.panel = name
        self.room = 10
        """Lines that may be used at most."""
        self._top = 0

    def on_mount(self) -> None:
        self.update()

    def on_resize(self, event: Resize) -> None:
        self.update()

    def set_room(self, rows: int) -> None:
        if rows != self.room:
            self.room = rows
            self.update()

    def press(self, key: str) -> str | None:
        raise NotImplementedError

    def update(self) -> None:
        raise NotImplementedError


class TextPanel(Panel):
    """Something to read; any key but those that move it closes it."""

    def __init__(self, theme: Theme, name: str, title: str, make: Callable[[int], Sequence[Line]]) -> None:
        """`make` gives the lines for a width."""
        super().__init__(theme, name)
        self._title = title
        self._make = make

    def press(self, key: str) -> str | None:
        page = max(1, self.room - 3)
        moves = {"up": -1, "down": 1, "pageup": -page, "pagedown": page, "space": page, "ctrl+u": -page, "ctrl+d": page}
        if key in ("escape", "enter", "q"):
            return "close"
        if key not in moves:
            return None
        self._top += moves[key]
        self.update()
        return "taken"

    def update(self) -> None:
        lines = self._make(self.cells)
        size = max(1, self.room - 2)
        self._top = max(0, min(self._top, len(lines) - size))
        below = len(lines) - self._top - size
        foot = f"↓ {below} more · Esc closes" if below > 0 else "Esc closes"
        shown = lines[self._top : self._top + size]
        self.show([_title(self._title, self.cells), *shown, (Span(foot, "muted"),)])


class ChoicePanel(Panel):
    """A list to choose from, by arrows and Enter or by digit. `remove` allows to delete the highlighted row."""

    class Chosen(Message):
        """`action` is `choose` or `remove`."""

        def __init__(self, panel: str, id: str, action: str) -> None:
            super().__init__()
            self.panel = panel
            self.id = id
            self.action = action

    def __init__(
        self, theme: Theme, name: str, title: str, picks: Sequence[Pick], *, cursor: int = 0, remove: bool = False
    ) -> None:
        super().__init__(theme, name)
        self._title = title
        self._picks = list(picks)
        self._remove = remove
        self.cursor = cursor

    def set_picks(self, picks: Sequence[Pick]) -> None:
        """Other rows; the highlighted one stays so while it is there."""
        at = self._picks[self.cursor].id if 0 <= self.cursor < len(self._picks) else ""
        self._picks = list(picks)
        found = next((place for place, pick in enumerate(self._picks) if pick.id == at), self.cursor)
        self.cursor = max(0, min(found, len(self._picks) - 1))
        self.update()

    def press(self, key: str) -> str | None:
        if key == "escape":
            return "close"
        count = len(self._picks)
        if not count:
            return None
        page = max(1, self.room - 3)
        moves = {"up": -1, "down": 1, "ctrl+p": -1, "ctrl+n": 1, "pageup": -page, "pagedown": page}
        if key in moves:
            self.cursor = max(0, min(self.cursor + moves[key], count - 1))
            self.update()
        elif key == "enter":
            self._say("choose")
        elif key in ("d", "delete", "backspace") and self._remove:
            self._say("remove")
        elif len(key) == 1 and key.isdigit() and 1 <= int(key) <= min(9, count):
            self.cursor = int(key) - 1
            self.update()
            if not self._remove:
                self._say("choose")
        else:
            return None
        return "taken"

    def update(self) -> None:
        details = [self._detail(pick) for pick in self._picks]
        most = max(map(len, details), default=0) if self.room > _DETAIL_FROM else 0
        size = max(1, self.room - 2 - most)
        self._top = max(0, min(self._top, self.cursor, len(self._picks) - size), self.cursor - size + 1)
        lines = [_title(self._title, self.cells)]
        for place, pick in list(enumerate(self._picks))[self._top : self._top + size]:
            lines.append(self._row(place, pick))
        if most:
            detail = details[self.cursor] if self._picks else []
            lines += [*detail, *[EMPTY] * (most - len(detail))]
        keys = "↑↓ Enter · Esc closes" + (" · d removes" if self._remove else "")
        lines.append(cut_line((Span(keys, "muted"),), self.cells))
        self.show(lines)

    def _detail(self, pick: Pick) -> list[Line]:
        """What is said about the highlighted row, on at most two lines."""
        if not pick.detail:
            return []
        lines = wrap([Span(pick.detail, "muted")], max(1, self.cells - 4))
        shown = lines if len(lines) <= 2 else [lines[0], cut_line((*lines[1], Span(" " * self.cells)), self.cells - 4)]
        return [(Span("    "), *line) for line in shown]

    def _row(self, place: int, pick: Pick) -> Line:
        here = place == self.cursor
        digit = f"{place + 1}" if place < 9 else " "
        row = cut_line((Span(f"{'▸' if here else ' '} {digit} "), *pick.line), self.cells)
        if not here:
            return row
        return with_role((*row, Span(" " * (self.cells - cells_of(row)))), "selected")

    def _say(self, action: str) -> None:
        self.post_message(self.Chosen(self.panel, self._picks[self.cursor].id, action))


def _title(title: str, cells: int) -> Line:
    return rule_line(title, Span(""), cells)
