"""`/search` and `/history`: what of a conversation holds the words, older pages included, on a screen of its own.

The log is read page by page from its end on; of a page only its hits are kept. A hit opens a window on the record.
"""

from textual.app import ComposeResult

from htui.composer.editor import Editor
from htui.errors import HtuiError
from htui.mirror.records import transcript_of
from htui.paint.screen import Point
from htui.present.count import plural
from htui.present.found import MOST, Hit, hit_picks, hits_in, pattern_of
from htui.present.lines import EMPTY, Line, Span, cut_line, rule_line
from htui.present.picks import row_line
from htui.present.safe import one_line
from htui.screens.base import KeyScreen
from htui.screens.desk import Desk
from htui.screens.pages import Pages
from htui.screens.window import WindowScreen
from htui.widgets.composer import Composer
from htui.widgets.lines import Lines


class SearchScreen(KeyScreen):
    """Lists the hits, the newest first, while it still reads. Typing narrows what was found."""

    def __init__(self, desk: Desk, session_id: str, words: str, *, prompts: bool) -> None:
        super().__init__(desk)
        self._session_id = session_id
        self._words = words
        self._prompts = prompts
        self._pattern = pattern_of(words)
        self._mirror = desk.follow(session_id)
        self._pages = Pages(desk, session_id, self._mirror.cursor)
        self._hits: list[Hit] = []
        self._read = 0
        self._reading = True
        self._note = ""
        self._editor = Editor()
        self._filter = Composer(desk.palette, self._editor, mark="›")
        self._filter.hint = "type to narrow the list"
        self._list = Lines(desk.palette)
        self._cursor = 0
        self._top = 0

    def compose(self) -> ComposeResult:
        yield self._filter
        yield self._list

    @property
    def cursor(self) -> Point | None:
        return self._filter.cursor

    def on_mount(self) -> None:
        self._show()
        self.run_worker(self._search(), exit_on_error=True)

    def on_unmount(self) -> None:
        self._reading = False
        self.desk.release(self._session_id)

    def on_resize(self) -> None:
        self._show()

    async def _search(self) -> None:
        seq, more = self._pages.last + 1, True
        try:
            while more and self._reading and len(self._hits) < MOST:
                page = await self._pages.below(seq)
                if not page.events:
                    break
                seq, more = page.events[0].seq, page.more
                self._read += len(page.events)
                found = hits_in(transcript_of(page.events).rows, self._pattern, prompts=self._prompts)
                self._hits = [*self._hits, *reversed(found)][:MOST]
                self._show()
        except HtuiError as error:
            self._note = f"Not all was read: {error.message}"
        if len(self._hits) >= MOST:
            self._note = f"Only the newest {MOST} are listed; more words find fewer."
        elif more and not self._reading and not self._note:
            self._note = "Stopped before the beginning."
        self._reading = False
        self._show()

    def press(self, key: str, character: str | None) -> None:
        shown = self._shown()
        page = max(1, self._room - 1)
        moves = {"up": -1, "down": 1, "ctrl+p": -1, "ctrl+n": 1, "pageup": -page, "pagedown": page}
        if key in ("escape", "ctrl+c"):
            self._leave_or_stop()
            return
        if key in moves:
            self._cursor = max(0, min(self._cursor + moves[key], len(shown) - 1))
        elif key == "enter":
            if shown:
                hit = shown[self._cursor]
                self.desk.lay(WindowScreen(self.desk, self._session_id, self._pages, hit))
        elif key not in ("tab", "ctrl+j") and self._editor.press(key, character):
            self._cursor = 0
            self._filter.update()
        self._show()

    def paste(self, text: str) -> None:
        self._editor.set(one_line(text, 200))
        self._filter.update()
        self._show()

    def _leave_or_stop(self) -> None:
        """First what runs is stopped, then what was typed is taken back, then the screen closes."""
        if self._reading:
            self._reading = False
        elif not self._editor.empty:
            self._editor.clear()
            self._filter.update()
        else:
            self.desk.back()
            return
        self._show()

    @property
    def _room(self) -> int:
        return max(1, self.size.height - 4)

    def _shown(self) -> list[Hit]:
        wanted = self._editor.text.strip()
        if not wanted:
            return self._hits
        pattern = pattern_of(wanted)
        return [hit for hit in self._hits if pattern.search(f"{hit.before}{hit.found}{hit.behind}")]

    def _show(self) -> None:
        if not self.is_mounted:
            return
        cells, shown = self._list.cells, self._shown()
        self._cursor = max(0, min(self._cursor, len(shown) - 1))
        room = self._room
        self._top = max(0, min(self._top, self._cursor, len(shown) - room), self._cursor - room + 1)
        name = "Your prompts" if self._prompts else "Search"
        title = f"{name}: {one_line(self._words, 100)}" if self._words else name
        side = f"{self._cursor + 1} of {len(shown)}" if shown else ""
        lines: list[Line] = [rule_line(title, Span(side, "muted"), cells)]
        picks = hit_picks(shown[self._top : self._top + room], self.desk.now(), cells - 2)
        lines += [row_line(pick.line, cells, here=place == self._cursor) for place, pick in enumerate(picks, self._top)]
        lines += [EMPTY] * (room + 1 - len(lines))
        lines += [cut_line((Span(self._state(shown), "warning" if self._note else "muted"),), cells)]
        lines.append(cut_line((Span(self._keys(), "muted"),), cells))
        self._list.show(lines[: max(1, self.size.height - 1)])

    def _state(self, shown: list[Hit]) -> str:
        read = plural(self._read, "record")
        if self._note:
            return self._note
        if self._reading:
            return f"Reading … {read}"
        return f"{plural(len(self._hits), 'place')} in {read}" if shown or self._hits else f"Nothing in {read}."

    def _keys(self) -> str:
        return "Esc stops reading" if self._reading else "Esc goes back · Enter shows it"
