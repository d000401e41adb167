"""`/ssearch` and `/wsearch`: the sessions that the host finds for some words."""

from collections.abc import Mapping
from typing import Any

from textual.app import ComposeResult

from htui.errors import HtuiError
from htui.present.count import plural
from htui.present.lines import EMPTY, Line, Span, cut_line, rule_line, wrap
from htui.present.picks import MARKS, asking_sessions, row_line, state_of
from htui.present.safe import one_line, safe
from htui.screens.base import KeyScreen
from htui.screens.desk import Desk
from htui.widgets.lines import Lines

_LINES = 2
"""Lines of a session: its title, and what stands around the words."""


class SessionsScreen(KeyScreen):
    """Sessions of the workspace of the open one, or of all with `everywhere`. Enter opens one.

    The host finds so many at most over all workspaces; where it had more, some of this workspace may be missing.
    """

    def __init__(self, desk: Desk, session_id: str, words: str, *, everywhere: bool) -> None:
        super().__init__(desk)
        self._words = words
        host = desk.link.host
        within = next((set(one.session_ids) for one in host.workspaces if session_id in one.session_ids), None)
        self._within = None if everywhere else within
        self._found: list[tuple[str, str]] = []
        self._more = False
        self._state = "Searching …"
        self._failed = False
        self._text = Lines(desk.palette)
        self._cursor = 0
        self._top = 0

    def compose(self) -> ComposeResult:
        yield self._text

    def on_mount(self) -> None:
        self._show()
        self.run_worker(self._search(), exit_on_error=True)

    def on_resize(self) -> None:
        self._show()

    def changed(self) -> None:
        self._show()

    async def _search(self) -> None:
        try:
            value = await self.desk.link.call("session/search", request={"query": self._words})
        except HtuiError as error:
            self._state, self._failed = f"Not searched: {error.message}", True
        else:
            self._take(value if isinstance(value, Mapping) else {})
        self._show()

    def _take(self, value: Mapping[str, Any]) -> None:
        items = value.get("items")
        found = [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
        known = [(str(item.get("sessionId")), str(item.get("snippet") or "")) for item in found]
        self._found = [one for one in known if self._within is None or one[0] in self._within]
        self._more = value.get("hasMore") is True
        where = "" if self._within is None else " of this workspace"
        self._state = f"{plural(len(self._found), 'session')}{where}."
        if self._more:
            self._state += " There are more than the host lists: more words find fewer."

    def press(self, key: str, character: str | None) -> None:
        page = max(1, self._room // _LINES)
        moves = {"up": -1, "down": 1, "k": -1, "j": 1, "ctrl+p": -1, "ctrl+n": 1, "pageup": -page, "pagedown": page}
        if key in ("escape", "q", "ctrl+c"):
            self.desk.back()
            return
        if key == "enter" and self._found:
            self.desk.open_session(self._found[self._cursor][0])
            return
        if key in moves:
            self._cursor = max(0, min(self._cursor + moves[key], len(self._found) - 1))
        self._show()

    @property
    def _room(self) -> int:
        return max(_LINES, self.size.height - 3)

    def _show(self) -> None:
        if not self.is_mounted:
            return
        cells, fit = self._text.cells, self._room // _LINES
        self._top = max(0, min(self._top, self._cursor, len(self._found) - fit), self._cursor - fit + 1)
        name = "Sessions" if self._within is None else "Sessions of this workspace"
        lines: list[Line] = [rule_line(f"{name}: {one_line(self._words, 100)}", Span(""), cells)]
        for place, (session_id, snippet) in list(enumerate(self._found))[self._top : self._top + fit]:
            lines.append(row_line(self._title(session_id), cells, here=place == self._cursor))
            lines.append(cut_line((Span("    "), Span(one_line(snippet), "muted")), cells))
        foot = wrap([Span(safe(self._state), "bad" if self._failed else "muted")], cells)[:2]
        lines += [EMPTY] * (self.size.height - len(lines) - len(foot) - 1)
        keys = "Esc goes back · Enter opens" if self._found else "Esc goes back"
        self._text.show([*lines, *foot, cut_line((Span(keys, "muted"),), cells)][-self.size.height :])

    def _title(self, session_id: str) -> Line:
        host = self.desk.link.host
        entry = host.session(session_id)
        if entry is None:
            return (Span(session_id),)
        asking = asking_sessions((ask.session_id for ask in host.asks), host.sessions)
        mark, role = MARKS[state_of(entry, asking)]
        return Span(f"{mark} ", role), Span(one_line(entry.title or "", 200) or "Untitled")
