"""The pickers of workspaces and sessions (row T3)."""

from collections.abc import Sequence
from typing import Literal

from textual.app import ComposeResult

from htui.composer.editor import Editor
from htui.mirror import SessionEntry
from htui.paint.screen import Point
from htui.present.cells import cut
from htui.present.lines import Line, Span, cut_line, wrap
from htui.present.picks import Pick, asking_sessions, legend, row_line, session_picks, workspace_picks
from htui.present.safe import one_line
from htui.screens.base import KeyScreen
from htui.screens.desk import Desk
from htui.screens.start import is_visible, workspace_of
from htui.widgets.composer import Composer
from htui.widgets.lines import Lines

NEW = "+new"
ALL = "+all"
ADD = "+add"
WORKSPACES = "+workspaces"


class PickerScreen(KeyScreen):
    """A list that typing narrows. `kind` says what is listed; sessions are those of `workspace_id`, or all.

    `note` says why somebody is here who did not ask for it.
    """

    def __init__(
        self, desk: Desk, kind: Literal["workspaces", "sessions"], workspace_id: str | None = None, note: str = ""
    ) -> None:
        super().__init__(desk)
        self._kind = kind
        self._workspace_id = workspace_id
        self._note = note
        self._list = Lines(desk.palette)
        self._editor = Editor()
        self._filter = Composer(desk.palette, self._editor, mark="›")
        self._filter.hint = "type to narrow the list"
        self._cursor = 0
        self._top = 0
        self._picks: Sequence[Pick] = ()

    def compose(self) -> ComposeResult:
        yield self._filter
        yield self._list

    @property
    def cursor(self) -> Point | None:
        return self._filter.cursor

    def on_mount(self) -> None:
        self.changed()

    def on_resize(self) -> None:
        self.changed()

    def changed(self) -> None:
        at = self._picks[self._cursor].id if self._cursor < len(self._picks) else ""
        wanted = self._editor.text.casefold().strip()
        self._picks = [pick for pick in self._all() if wanted in pick.find.casefold() or (not wanted and not pick.find)]
        found = next((place for place, pick in enumerate(self._picks) if pick.id == at), self._cursor)
        self._cursor = max(0, min(found, len(self._picks) - 1))
        self._show()

    def tick(self) -> None:
        """Ages are shown in minutes; the next change of anything brings them up to date."""

    def press(self, key: str, character: str | None) -> None:
        page = max(1, self.size.height - 5)
        moves = {"up": -1, "down": 1, "ctrl+p": -1, "ctrl+n": 1, "pageup": -page, "pagedown": page}
        if key == "ctrl+c":
            self.desk.leave()
        elif key == "escape":
            self._escape()
        elif key in moves:
            self._cursor = max(0, min(self._cursor + moves[key], len(self._picks) - 1))
            self._show()
        elif key == "enter":
            if self._picks:
                self._choose(self._picks[self._cursor].id)
        elif key not in ("tab", "ctrl+j") and self._editor.press(key, character):
            self._cursor = 0
            self._filter.update()
            self.changed()

    def paste(self, text: str) -> None:
        self._editor.set(one_line(text, 200))
        self._filter.update()
        self.changed()

    def _escape(self) -> None:
        if self._editor.empty:
            self.desk.back()
        else:
            self._editor.clear()
            self._filter.update()
            self.changed()

    def _choose(self, chosen: str) -> None:
        if chosen == NEW:
            self.desk.new_session(self._workspace_id)
        elif chosen == ADD:
            self.desk.add_workspace(str(self.desk.directory))
        elif chosen == WORKSPACES:
            self.desk.go("workspaces")
        elif self._kind == "workspaces":
            self._kind, self._workspace_id = "sessions", None if chosen == ALL else chosen
            self._editor.restore({})
            self._cursor = 0
            self._filter.update()
            self.changed()
        else:
            self.desk.open_session(chosen)

    def _all(self) -> list[Pick]:
        host = self.desk.link.host
        asking = asking_sessions((ask.session_id for ask in host.asks), host.sessions)
        cells = self._list.cells - 2
        if self._kind == "workspaces":
            visible = {s.session_id: s for s in host.sessions if is_visible(s, host.archived)}
            picks = workspace_picks(host.workspaces, visible, asking, cells)
            picks.append(_action(ALL, "All sessions"))
            if workspace_of(self.desk.directory, host.workspaces) is None:
                picks.append(_action(ADD, f"+ Add {one_line(str(self.desk.directory), 200)}"))
            return picks
        picks = session_picks(self._sessions(), asking, self.desk.now(), cells)
        return [_action(NEW, "+ New session"), *picks, _action(WORKSPACES, "Workspaces …")]

    def _sessions(self) -> list[SessionEntry]:
        host = self.desk.link.host
        inside = next((set(w.session_ids) for w in host.workspaces if w.workspace_id == self._workspace_id), None)
        return [
            entry
            for entry in host.sessions
            if is_visible(entry, host.archived) and (inside is None or entry.session_id in inside)
        ]

    def _title(self) -> str:
        if self._kind == "workspaces":
            return "Workspaces"
        named = next((w for w in self.desk.link.host.workspaces if w.workspace_id == self._workspace_id), None)
        return f"Sessions · {one_line(named.title, 100)}" if named else "Sessions"

    def _show(self) -> None:
        cells = self._list.cells
        marks = legend(cells)
        note = wrap([Span(self._note, "warning")], cells)[:3] if self._note else []
        room = max(1, self.size.height - 3 - len(marks) - len(note))
        self._top = max(0, min(self._top, self._cursor, len(self._picks) - room), self._cursor - room + 1)
        shown = self._picks[self._top : self._top + room]
        lines: list[Line] = [*note, (Span(cut(self._title(), cells), "strong"),)]
        lines += [row_line(pick.line, cells, here=place == self._cursor) for place, pick in enumerate(shown, self._top)]
        if not self._picks:
            lines.append((Span("Nothing fits.", "muted"),))
        below = len(self._picks) - self._top - len(shown)
        more = f"↓ {below} more · " if below else ""
        lines.append(cut_line((Span(f"{more}Enter opens · Esc goes back", "muted"),), cells))
        lines += marks
        self._list.show(lines[: max(1, self.size.height - 1)])


def _action(id: str, text: str) -> Pick:
    return Pick(id, (Span(text, "muted"),))
