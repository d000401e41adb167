"""The terminal of one command on the screen: what it shows, and everything that is typed goes into it (row X12).

Only one key is not the program's: Ctrl+], which leaves; it stands on the last line, where it can be clicked as well.
"""

from typing import Any

from textual.app import ComposeResult
from textual.events import Click, Key, MouseScrollDown, MouseScrollUp, Paste

from htui.errors import AnswerLost, HtuiError, RemoteError
from htui.link.watch import Watch
from htui.paint.screen import Point
from htui.present import key_line
from htui.present.jobs import Job, job_of, state_text
from htui.present.key_line import Spot, key_at, key_lines
from htui.present.lines import EMPTY, Line, Span, cells_of, cut_line, wrap
from htui.present.terminal import LEAVE, Glass, Stroke, batch, pasted, stroke
from htui.screens.base import KeyScreen
from htui.screens.desk import Desk
from htui.widgets.lines import Lines

_WHEEL = 3
_NOTE_LINES = 3
_HAND = (
    key_line.Key(LEAVE, "Ctrl+]", "leaves"),
    key_line.Key("escape", "Esc", ""),
    key_line.Key("tab", "Tab", ""),
    key_line.Key("up", "↑", ""),
    key_line.Key("down", "↓", ""),
    key_line.Key("ctrl+c", "^C", ""),
)
"""The keys that a phone may have no button for."""


class TerminalScreen(KeyScreen):
    """Asks the host for a terminal of its own size, as long as it is open, and shows it."""

    def __init__(self, desk: Desk, session_id: str, job: Job) -> None:
        super().__init__(desk)
        self._request = {"sessionId": session_id, "number": job.number}
        self._job = job
        self._text = Lines(desk.palette)
        self._glass = Glass()
        self._cursor: Point | None = None
        self._known = False
        self._over = False
        """The host has shown the last of it, or cannot show it."""
        self._note = ""
        self._strokes: list[Stroke] = []
        self._sending = False
        self._spots: list[Spot] = []
        self._watch: Watch | None = None

    def compose(self) -> ComposeResult:
        yield self._text

    @property
    def cursor(self) -> Point | None:
        return self._cursor

    def on_mount(self) -> None:
        self._watch = self.desk.link.watch("process/screen", self._came, self._refused, request=self._request)
        self.changed()

    def on_unmount(self) -> None:
        if self._watch is not None:
            self._watch.close()

    def on_resize(self) -> None:
        self._ask_for_size()
        self.changed()

    def on_key(self, event: Key) -> None:
        """Nothing is kept back for the program around it."""
        event.stop()
        event.prevent_default()
        self.press(event.key, event.character)

    def on_paste(self, event: Paste) -> None:
        event.stop()
        event.prevent_default()
        self._type(pasted(event.text))

    def on_click(self, event: Click) -> None:
        event.stop()
        key = key_at(self._spots, event.screen_y - (self.size.height - 1), event.screen_x)
        if key is not None:
            self.press(key, None)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        event.stop()
        self._wheel("up")

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        event.stop()
        self._wheel("down")

    def _wheel(self, key: str) -> None:
        """Editors and pagers are scrolled by arrows, as terminals do it."""
        if self._glass.alternate:
            for _ in range(_WHEEL):
                self.press(key, None)

    def press(self, key: str, character: str | None) -> None:
        if key == LEAVE or (self._over and key in ("escape", "q", "ctrl+c", "enter")):
            self.desk.back()
        elif not self._over:
            found = stroke(key, character)
            if found is not None:
                self._type(found)

    def tick(self) -> None:
        self.changed()

    def changed(self) -> None:
        if not self.is_mounted:
            return
        cells, height = self._text.cells, self.size.height
        foot = self._foot(cells)
        room = max(1, height - len(foot))
        shown, cursor = self._glass.view(cells, room)
        self._cursor = cursor if not self._over else None
        lines: list[Line] = [cut_line(line, cells) for line in shown]
        lines += [EMPTY] * (room - len(lines))
        self._text.show([*lines[:room], *foot])

    def _foot(self, cells: int) -> list[Line]:
        offline = self.desk.link.status.phase != "online"
        if self._over:
            self._spots = key_lines([key_line.Key("escape", "Esc", "goes back")], cells)[1]
            ended = self._note or f"Ended: {state_text(self._job, self.desk.now())}"
            said = wrap([Span(ended, "warning")], cells)[:_NOTE_LINES]
            return [*said, (Span("Esc", "code"), Span(" goes back", "muted"))]
        (keys, *_), self._spots = key_lines(_HAND, cells, most=1)
        if offline:
            return [(Span("! Offline: nothing is typed until it is back.", "bad"),), keys]
        if self._note:
            return [*wrap([Span(self._note, "warning")], cells)[:_NOTE_LINES], keys]
        left = cells - cells_of(keys) - 2
        label = f"#{self._job.number} {self._job.label}"
        return [(*keys, Span("  "), *cut_line((Span(label, "muted"),), left))] if left >= len(label) // 2 else [keys]

    def _type(self, found: Stroke) -> None:
        if self._over or self.desk.link.status.phase != "online":
            return
        self._note = ""
        self._strokes.append(found)
        if not self._sending:
            self._sending = True
            self.app.run_worker(self._send())

    async def _send(self) -> None:
        """Types what waits, one call after the other, so that its order is kept."""
        try:
            while self._strokes:
                text, keys, self._strokes = batch(self._strokes)
                value = await self.desk.link.call(
                    "process/input", request={**self._request, "text": text, "keys": keys}
                )
                if isinstance(value, dict) and value.get("taken") is False:
                    self._tell("The program takes no more input now: the last of it was not typed.")
        except AnswerLost:
            self._strokes.clear()
            self._tell("The connection was lost: the last keys may not have been typed.")
        except HtuiError as error:
            self._strokes.clear()
            self._tell(f"Not typed: {error.message}")
        finally:
            self._sending = False

    def _tell(self, note: str) -> None:
        self._note = note
        self.changed()

    def _came(self, items: list[Any]) -> None:
        for item in items:
            if not isinstance(item, dict) or item.get("type") != "screen":
                continue
            self._glass.take(item)
            if item.get("job") is None:
                continue
            self._job = job_of(item["job"]) or self._job
            self._over = not self._job.running
            if item.get("whole") is True and not self._over:
                # The first item of a connection: the host knows nothing of this screen yet.
                self._known = True
                self._ask_for_size()
        self.changed()

    def _ask_for_size(self) -> None:
        columns, rows = self.size.width, self.size.height - 1
        if self._known and not self._over and min(columns, rows) > 1:
            self.app.run_worker(self._resize(columns, rows))

    async def _resize(self, columns: int, rows: int) -> None:
        try:
            await self.desk.link.call("process/resize", request={**self._request, "columns": columns, "rows": rows})
        except HtuiError:
            self.changed()  # what is shown is a part of it then

    def _refused(self, error: RemoteError) -> None:
        self._over = True
        self._tell(f"Its terminal cannot be shown: {error.message}")
