"""The first screen: who is being called, why nobody answers, and what to do (row T4)."""

from textual.app import ComposeResult

from htui.composer.editor import Editor
from htui.paint.screen import Point
from htui.present.connect_lines import connect_lines
from htui.screens.base import KeyScreen
from htui.screens.desk import Desk
from htui.widgets.composer import Composer
from htui.widgets.lines import Lines


class ConnectScreen(KeyScreen):
    """Shown until the host answers for the first time. A token can be typed where the host wants one."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._text = Lines(desk.palette)
        self._editor = Editor()
        self._token = Composer(desk.palette, self._editor, mark="›", secret=True)
        self._token.hint = "token"
        self._due: float | None = None
        self._status = desk.link.status
        self.note = ""

    def compose(self) -> ComposeResult:
        yield self._text
        yield self._token

    @property
    def cursor(self) -> Point | None:
        return self._token.cursor if self._token.display else None

    def on_mount(self) -> None:
        self._took_status()
        self.changed()

    def on_resize(self) -> None:
        self.changed()

    def changed(self) -> None:
        if self.desk.link.status != self._status:
            self._took_status()
        self._token.display = self._status.phase == "login"
        left = None if self._due is None else max(0, round(self._due - self.desk.moment()))
        lines = connect_lines(
            self.desk.link.address.origin, self._status.phase, self._status.reason, left, self.note, self._text.cells
        )
        self._text.show(lines[: max(1, self.size.height - 1)])

    def tick(self) -> None:
        if self._due is not None:
            self.changed()

    def press(self, key: str, character: str | None) -> None:
        login = self._token.display
        if key in ("ctrl+c", "escape") or (key == "q" and not login):
            self.desk.leave()
        elif key == "enter" and login:
            if self._editor.text.strip():
                self.desk.link.retry(self._editor.text.strip())
                self._editor.restore({})
                self._token.update()
        elif key in ("r", "enter") and not login:
            self.desk.link.retry()
        elif login and self._editor.press(key, character):
            self._token.update()

    def paste(self, text: str) -> None:
        if self._token.display:
            self._editor.set(text.strip().split("\n")[0][:4096])
            self._token.update()

    def _took_status(self) -> None:
        self._status = self.desk.link.status
        wait = self._status.next_try_in
        self._due = None if wait is None else self.desk.moment() + wait
