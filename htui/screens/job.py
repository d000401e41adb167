"""One command on a screen of its own: what it prints while it runs, and a way to stop it."""

from typing import Any

from textual.app import ComposeResult
from textual.events import MouseScrollDown, MouseScrollUp

from htui.errors import HtuiError, RemoteError
from htui.link.watch import Watch
from htui.present.jobs import TERMINAL, Job, Output, foot, job_of, state_text
from htui.present.lines import EMPTY, Line, Span, chop_spans, rule_line
from htui.screens.base import KeyScreen
from htui.screens.desk import Desk
from htui.widgets.lines import Lines
from htui.widgets.viewport import Anchor, bottom, fill, move

_WHEEL = 3


class JobScreen(KeyScreen):
    """Follows the end of the output until somebody scrolls."""

    def __init__(self, desk: Desk, session_id: str, job: Job) -> None:
        super().__init__(desk)
        self._session_id = session_id
        self._job = job
        self._text = Lines(desk.palette)
        self._output = Output()
        self._anchor: Anchor | None = None
        """The first line in sight; None follows the end."""
        self._asking = False
        self._note = ""
        self._watch: Watch | None = None

    def compose(self) -> ComposeResult:
        yield self._text

    def on_mount(self) -> None:
        request = {"sessionId": self._session_id, "jobId": self._job.id}
        self._watch = self.desk.link.watch("job/follow", self._came, self._refused, request=request)
        self.changed()

    def on_unmount(self) -> None:
        if self._watch is not None:
            self._watch.close()

    def on_resize(self) -> None:
        if self._anchor is not None:
            self._anchor = Anchor(self._anchor.block, 0)
        self.changed()

    def tick(self) -> None:
        if self._job.running:
            self.changed()

    def changed(self) -> None:
        cells, rows = self._text.cells, self._rows
        side = state_text(self._job, self.desk.now())
        if self.desk.link.status.phase != "online":
            side = "! Offline"
        lines: list[Line] = [rule_line(self._job.label, Span(side, "muted"), cells)]
        count = len(self._output.lines)
        anchor = bottom(count, self._height, rows) if self._anchor is None else self._anchor
        for block, start, end in fill(anchor, count, self._height, rows):
            lines += self._pieces(block)[start:end]
        lines += [EMPTY] * (rows + 1 - len(lines))
        following = self._anchor is None
        lines.append(foot(self._job, cells, asking=self._asking, note=self._note, following=following))
        self._text.show(lines)

    def press(self, key: str, character: str | None) -> None:
        page = max(1, self._rows - 1)
        moves = {"up": -1, "down": 1, "pageup": -page, "pagedown": page, "space": page}
        moves |= {"ctrl+u": -page // 2, "ctrl+d": page // 2}
        if self._asking:
            self._asking = False
            if key == "y":
                self.app.run_worker(self._stop())
        elif key in ("escape", "q", "ctrl+c"):
            self.desk.back()
            return
        elif key == "t" and self._job.running and self._job.kind == TERMINAL and self._job.number:
            self.desk.back()
            self.desk.open_job(self._session_id, self._job, typing=True)
            return
        elif key == "s" and self._job.running and not self._job.stopping:
            self._asking, self._note = True, ""
        elif key in moves:
            self._move(moves[key])
        elif key == "home":
            self._anchor = Anchor()
        elif key == "end":
            self._anchor = None
        self.changed()

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        event.stop()
        self._move(-_WHEEL)
        self.changed()

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        event.stop()
        self._move(_WHEEL)
        self.changed()

    @property
    def _rows(self) -> int:
        """Lines between the title and the foot."""
        return max(1, self.size.height - 2)

    def _move(self, by: int) -> None:
        count = len(self._output.lines)
        at = bottom(count, self._height, self._rows) if self._anchor is None else self._anchor
        self._anchor = move(at, by, count, self._height, self._rows)

    def _pieces(self, block: int) -> list[Line]:
        return chop_spans((Span(self._output.shown(block)),), self._text.cells) or [()]

    def _height(self, block: int) -> int:
        return len(self._pieces(block))

    def _came(self, items: list[Any]) -> None:
        for item in items:
            if isinstance(item, dict):
                self._take(item)
        if self.is_mounted:
            self.changed()

    def _take(self, item: dict[str, Any]) -> None:
        if item.get("type") in ("opened", "status"):
            self._job = job_of(item.get("job")) or self._job
        if item.get("type") == "opened":
            self._output.begin()
            self._anchor = None
        chunks = item.get("chunks") if item.get("type") == "output" else None
        for chunk in chunks if isinstance(chunks, list) else ():
            dropped = self._output.add(str(chunk.get("text") or ""), gap=chunk.get("gapBefore") is True)
            if self._anchor is not None:
                block = self._anchor.block - dropped
                self._anchor = Anchor(block, self._anchor.line) if block >= 0 else Anchor()

    def _refused(self, error: RemoteError) -> None:
        self._note = error.message
        self.changed()

    async def _stop(self) -> None:
        request = {"sessionId": self._session_id, "jobId": self._job.id}
        try:
            await self.desk.link.call("job/kill", request=request)
        except HtuiError as error:
            self._note = f"Not stopped: {error.message}"
        if self.is_mounted:
            self.changed()
