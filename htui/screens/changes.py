"""What the agent changed in files: the list by turn, the difference of one file, and what becomes of them (row H10).

The list is what the host tells of the session and never what was asked for. An action is one call; what it did shows
when the host has recorded it.
"""

from typing import Any, Literal

from textual.app import ComposeResult
from textual.events import Click, MouseScrollDown, MouseScrollUp

from htui.errors import HtuiError
from htui.present import changes as c
from htui.present.key_line import Key, Spot, key_at, key_lines
from htui.present.lines import EMPTY, Line, Span, cells_of, cut_line, rule_line, with_role, wrap
from htui.screens.base import KeyScreen
from htui.screens.desk import Desk
from htui.screens.difference import Difference
from htui.widgets.lines import Lines

Operation = Literal["undo", "redo", "accept"]

_WHEEL = 3
_NOTE_LINES = 4
_DOING = {"undo": "Undoing …", "redo": "Doing it again …", "accept": "Accepting …"}
_FAILED = {"undo": "Not undone", "redo": "Not done again", "accept": "Not accepted"}


class ChangesScreen(KeyScreen):
    """The list, or over it the difference of one file. `turn` is the one that is shown first."""

    def __init__(self, desk: Desk, session_id: str, turn: int | None = None) -> None:
        super().__init__(desk)
        self._session_id = session_id
        self._mirror = desk.follow(session_id)
        self._text = Lines(desk.palette)
        self._told: Any = None
        """The value of the projection that the list was made of."""
        self._read: tuple[c.Turn, ...] = ()
        self._entries: list[c.Entry] = []
        self._at: tuple[int, str | None] = (turn or 0, None)
        self._cursor = 0
        self._top = 0
        self._difference: Difference | None = None
        self._note: c.Taken | None = None
        self._asking = False
        self._busy: Operation | None = None
        self._spots: list[Spot] = []
        self._foot_at = 0
        self._rows_at = 1

    def compose(self) -> ComposeResult:
        yield self._text

    def on_mount(self) -> None:
        self._take()
        self._place(self._at)
        self._show()
        self.app.run_worker(self._read_all())

    def on_unmount(self) -> None:
        self.desk.release(self._session_id)

    def on_resize(self) -> None:
        self._show()

    def changed(self) -> None:
        if self._mirror.value("changes") != self._told:
            self._take()
            self.app.run_worker(self._read_all())
            if self._difference is not None:
                self.app.run_worker(self._difference.read())
        self._show()

    def press(self, key: str, character: str | None) -> None:
        if self._asking:
            self._asking = False
            if key == "y":
                self._act("undo", whole=True)
        elif key in ("escape", "q", "ctrl+c"):
            if self._difference is None:
                self.desk.back()
                return
            self._close()
        elif self._asks_first(key):
            self._asking, self._note = True, None
        elif key in _ACTIONS and self._may(_ACTIONS[key]):
            self._act(_ACTIONS[key])
        elif self._difference is not None:
            self._press_reading(key, self._difference)
        else:
            self._press_choosing(key)
        self._show()

    def _press_choosing(self, key: str) -> None:
        page = max(1, self._room - 1)
        moves = {"up": -1, "down": 1, "k": -1, "j": 1, "ctrl+p": -1, "ctrl+n": 1, "pageup": -page, "pagedown": page}
        moves |= {"home": -len(self._entries), "end": len(self._entries)}
        if key in moves:
            self._go(self._cursor + moves[key])
        elif key in ("enter", "right", "space"):
            self._open()

    def _press_reading(self, key: str, shown: Difference) -> None:
        page = max(1, shown.rows - 1)
        moves = {"up": -1, "down": 1, "k": -1, "j": 1, "pageup": -page, "pagedown": page, "space": page}
        moves |= {"ctrl+u": -page // 2, "ctrl+d": page // 2, "home": -shown.count, "end": shown.count}
        if key in moves:
            shown.move(moves[key])
        elif key in ("left", "right"):
            by = -1 if key == "left" else 1
            place = self._cursor + by
            while 0 <= place < len(self._entries) and self._entries[place].file is None:
                place += by
            if 0 <= place < len(self._entries):
                self._go(place)
                self._open()

    def on_click(self, event: Click) -> None:
        event.stop()
        line, column = event.screen_y, event.screen_x
        key = key_at(self._spots, line - self._foot_at, column)
        if key is not None:
            self.press(key, None)
            return
        place = self._top + line - self._rows_at
        if self._difference is None and 0 <= line - self._rows_at < self._room and place < len(self._entries):
            was = self._cursor
            self._go(place)
            if place == was:
                self._open()
            self._show()

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        event.stop()
        self._wheel(-_WHEEL)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        event.stop()
        self._wheel(_WHEEL)

    def _wheel(self, by: int) -> None:
        if self._difference is not None:
            self._difference.move(by)
        else:
            self._go(self._cursor + by)
        self._show()

    @property
    def _here(self) -> c.Entry | None:
        return self._entries[self._cursor] if self._entries else None

    def _go(self, place: int) -> None:
        self._cursor = max(0, min(place, len(self._entries) - 1))
        self._note = None
        if self._entries:
            self._at = self._entries[self._cursor].key

    def _place(self, key: tuple[int, str | None]) -> None:
        """Puts the cursor on a row, or where its turn stands, or leaves it where it was."""
        keys = [entry.key for entry in self._entries]
        found = next((keys.index(one) for one in (key, (key[0], None)) if one in keys), self._cursor)
        self._cursor = max(0, min(found, len(keys) - 1))

    def _take(self) -> None:
        """Makes the list of what the host tells now."""
        self._told = self._mirror.value("changes")
        self._entries = c.entries(c.merged(c.turns_of(self._told), self._read))
        self._place(self._at)
        shown = self._difference
        if shown is not None:
            turn = next((entry.turn for entry in self._entries if entry.turn.number == shown.turn), None)
            shown.file = (None if turn is None else turn.file(shown.file.path)) or shown.file

    async def _read_all(self) -> None:
        """Reads the turns for which the projection has no room; a host without the call tells what it tells."""
        try:
            value = await self.desk.link.call("undo/changes", request={"sessionId": self._session_id})
        except HtuiError as error:
            if not self._entries:
                self._note = c.Taken(error.message, "bad")
        else:
            self._read = c.turns_of(value.get("turns") if isinstance(value, dict) else None)
        if self.is_mounted:
            self._take()
            self._show()

    def _open(self) -> None:
        here = self._here
        if here is not None and here.file is not None:
            self._difference = Difference(self.desk, self._session_id, here.turn.number, here.file, self._show)
            self.app.run_worker(self._difference.read())

    def _close(self) -> None:
        self._difference, self._note = None, None

    def _may(self, operation: Operation) -> bool:
        """Whether the row has anything left for an action."""
        here = self._here
        if here is None or self._busy is not None:
            return False
        if here.turn.hidden:
            return True
        # An undo of a whole turn spares what was accepted; one of a file is meant.
        undone = ("applied",) if here.file is None else ("applied", "accepted")
        wanted = {"undo": undone, "accept": ("applied",), "redo": ("undone",)}[operation]
        return any(file.status in wanted for file in here.files)

    def _asks_first(self, key: str) -> bool:
        """Whether a key stands for the undo of a whole turn."""
        here = self._here
        on_turn = here is not None and here.file is None and self._may("undo")
        return (key == "t" and self._turn_open()) or (key == "u" and on_turn)

    def _turn_open(self) -> bool:
        here = self._here
        return here is not None and self._busy is None and c.open_files(here.turn) > 0

    def _act(self, operation: Operation, *, whole: bool = False) -> None:
        here = self._here
        if here is None or self._busy is not None:
            return
        self._busy, self._note = operation, None
        paths = [] if whole or here.file is None else [here.file.path]
        self.app.run_worker(self._carry_out(operation, here.turn.number, paths))

    async def _carry_out(self, operation: Operation, turn: int, paths: list[str]) -> None:
        request: dict[str, Any] = {"sessionId": self._session_id, "turn": turn}
        if paths:
            request["paths"] = paths
        try:
            value = await self.desk.link.call(f"undo/{operation}", request=request)
        except HtuiError as error:
            self._note = c.Taken(f"{_FAILED[operation]}: {error.message}", "bad")
        else:
            self._note = c.taken(operation, value)
        self._busy = None
        if not self.is_mounted:
            return
        if self._note.left:
            note = self._note
            self._place((turn, note.left))
            self._at = (turn, note.left)
            self._open()
            self._note = note
        self._show()

    @property
    def _room(self) -> int:
        """Rows of the list that are in sight."""
        return max(1, self._foot_at - self._rows_at)

    def _show(self) -> None:
        if not self.is_mounted:
            return
        cells, height = self._text.cells, self.size.height
        foot = self._foot(cells)
        self._foot_at = max(2, height - len(foot[0]))
        shown = self._difference
        if shown is not None:
            body = [shown.title(cells), *shown.lines(cells, self._foot_at - 1)]
        else:
            body = [self._title(cells), *self._list(cells)]
        body += [EMPTY] * (self._foot_at - len(body))
        self._spots = [Spot(s.press, s.line + len(foot[0]) - foot[2], s.start, s.end) for s in foot[1]]
        self._text.show([*body[: self._foot_at], *foot[0]])

    def _title(self, cells: int) -> Line:
        side = Span("", "muted")
        if self.desk.link.status.phase != "online":
            side = Span("! Offline", "bad")
        elif self._cursor >= self._room or self._top:
            side = Span(f"{self._cursor + 1}/{len(self._entries)}", "muted")
        return rule_line("Changes", side, cells)

    def _list(self, cells: int) -> list[Line]:
        if not self._entries:
            told = "The agent changed no file in this session." if self._note is None else ""
            return [(Span(told, "muted"),)]
        size = self._room
        self._top = max(0, min(self._top, self._cursor, len(self._entries) - size), self._cursor - size + 1)
        lines = []
        for place, entry in list(enumerate(self._entries))[self._top : self._top + size]:
            row = cut_line(c.entry_line(entry, cells), cells)
            if place == self._cursor:
                row = with_role((*row, Span(" " * (cells - cells_of(row)))), "selected")
            lines.append(row)
        return lines

    def _foot(self, cells: int) -> tuple[list[Line], list[Spot], int]:
        """What is said, and the keys below it; where these stand, and on how many lines."""
        keys, spots = key_lines(self._keys(), cells)
        said: list[Line] = []
        if self._asking:
            here = self._here
            number = 0 if here is None else c.open_files(here.turn)
            text = f"Undo the whole turn, {number} file{'' if number == 1 else 's'}? It can be done again."
            said = wrap([Span(text, "needs")], cells)
        elif self._busy is not None:
            said = [(Span(_DOING[self._busy], "busy"),)]
        elif self._note is not None:
            said = wrap([Span(self._note.text, self._note.role)], cells)[:_NOTE_LINES]
        elif self._difference is None and self._here is not None and (text := c.about(self._here)):
            said = wrap([Span(text, "muted")], cells)[:2]
        return [*said, *keys], spots, len(keys)

    def _keys(self) -> list[Key]:
        if self._asking:
            return [Key("y", "y", "undoes it"), Key("n", "n", "leaves it")]
        here = self._here
        keys = []
        if self._difference is None and here is not None and here.file is not None:
            keys.append(Key("enter", "Enter", "shows"))
        of = " turn" if here is not None and here.file is None else ""
        keys += [Key(key, key, operation + of) for key, operation in _ACTIONS.items() if self._may(operation)]
        if here is not None and here.file is not None and self._turn_open():
            keys.append(Key("t", "t", "undo turn"))
        if self._difference is not None:
            keys.append(Key("right", "← →", "files"))
        keys.append(Key("escape", "Esc", "back"))
        return keys


_ACTIONS: dict[str, Operation] = {"a": "accept", "u": "undo", "r": "redo"}
