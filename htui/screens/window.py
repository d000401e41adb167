"""A window on one record of a conversation with what stands around it, while the conversation goes on elsewhere."""

from collections.abc import Sequence
from typing import Final

from textual.app import ComposeResult
from textual.events import MouseScrollDown, MouseScrollUp

from hd.protocol.events import Event
from htui.errors import HtuiError
from htui.mirror.records import transcript_of
from htui.present.found import Hit
from htui.present.lines import Span, cut_line, rule_line
from htui.screens.base import KeyScreen
from htui.screens.desk import Desk
from htui.screens.facts import title_of
from htui.screens.pages import Pages
from htui.widgets.lines import Lines
from htui.widgets.transcript import Transcript

_BEHIND: Final = 60
"""Events behind the record that are read with it, and at a time from then on."""
_MOST: Final = 4_000
"""Events that are held; from the other end they are let go."""
_WHEEL: Final = 3


class WindowScreen(KeyScreen):
    """Scrolling reads on in both directions. `pages` reads the log as it was when it was searched."""

    def __init__(self, desk: Desk, session_id: str, pages: Pages, hit: Hit) -> None:
        super().__init__(desk)
        self._mirror = desk.follow(session_id)
        self._session_id = session_id
        self._pages = pages
        self._hit = hit
        self._head = Lines(desk.palette)
        self._text = Transcript(desk.palette)
        self._foot = Lines(desk.palette)
        self._events: Sequence[Event] = ()
        self._more = False
        self._reading = False
        self._note = ""

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._text
        yield self._foot

    def on_mount(self) -> None:
        self._text.set_thoughts(self._hit.kind == "reasoning")
        self._show()
        self.run_worker(self._begin(), exit_on_error=True)

    def on_unmount(self) -> None:
        self.desk.release(self._session_id)

    def on_resize(self) -> None:
        self._show()

    async def _begin(self) -> None:
        """Reads pages backwards until one holds the record, or until one cannot be read."""
        came = await self._read(min(self._pages.last, self._hit.seq + _BEHIND) + 1)
        while came and self._more and self._events and self._events[0].seq > self._hit.seq:
            came = await self._read(self._events[0].seq)
        self._text.to_row(self._hit.key, self._hit.seq)

    async def _read(self, before: int) -> bool:
        """Reads the page in front of an event, and joins it to what is held; False where none came."""
        if self._reading:
            return False
        self._reading = True
        self._show()
        try:
            page = await self._pages.below(before)
        except HtuiError as error:
            self._note = error.message
            return False
        else:
            self._note = ""
            first = self._events[0].seq if self._events else before
            last = self._events[-1].seq if self._events else before - 1
            if before > last + 1:
                later = [event for event in page.events if event.seq > last]
                self._events = [*self._events, *later][-_MOST:]
                self._more = self._more or self._events[0].seq < first or self._events[0].seq > first
            else:
                self._events, self._more = [*page.events, *self._events][:_MOST], page.more
            self._text.take(transcript_of(self._events).rows)
            return True
        finally:
            self._reading = False
            self._show()

    def press(self, key: str, character: str | None) -> None:
        height = max(1, self._text.size.height)
        lines = {"up": -1, "down": 1, "k": -1, "j": 1, "ctrl+u": -(height // 2), "ctrl+d": height // 2}
        pages = {"pageup": -1, "pagedown": 1, "space": 1}
        if key in ("escape", "q", "ctrl+c"):
            self.desk.back()
        elif key == "enter":
            self.desk.open_session(self._session_id)
        elif key in lines:
            self._text.scroll_by_lines(lines[key])
        elif key in pages:
            self._text.scroll_by_pages(pages[key])
        elif key == "home":
            self._text.to_top()
        elif key == "end":
            self._text.to_end()
        elif key == "ctrl+t":
            self._text.set_thoughts(not self._text.thoughts)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        event.stop()
        self._text.scroll_by_lines(-_WHEEL)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        event.stop()
        self._text.scroll_by_lines(_WHEEL)

    def on_transcript_scrolled(self, event: Transcript.Scrolled) -> None:
        event.stop()
        if not self._events or self._reading:
            return
        if self._text.at_top and self._more:
            self.run_worker(self._read(self._events[0].seq), exit_on_error=True)
        elif self._text.following and self._events[-1].seq < self._pages.last:
            self.run_worker(self._read(min(self._pages.last, self._events[-1].seq + _BEHIND) + 1), exit_on_error=True)

    def _show(self) -> None:
        if not self.is_mounted:
            return
        cells = self._head.cells
        side = "reading …" if self._reading else f"record {self._hit.seq}"
        self._head.show([rule_line(title_of(self._mirror), Span(side, "muted"), cells)])
        keys = self._note or "Esc goes back · ↑↓ read on · Enter to the conversation"
        self._foot.show([cut_line((Span(keys, "warning" if self._note else "muted"),), cells)])
