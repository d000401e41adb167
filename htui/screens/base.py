"""The base of all screens: keys and pastes come here first, and nothing in them can be focused."""

from textual.events import Key, Paste
from textual.screen import Screen

from htui.paint.screen import Point
from htui.screens.desk import Desk


class KeyScreen(Screen[None], inherit_bindings=False):
    """`press` and `paste` are given everything that is typed. `changed` is called when the link brought something."""

    DEFAULT_CSS = """
    KeyScreen {
        layout: vertical;
        overflow: hidden;
        background: ansi_default;
        color: ansi_default;
    }
    """

    AUTO_FOCUS = ""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk

    @property
    def cursor(self) -> Point | None:
        """Where the terminal's cursor stands; None hides it."""
        return None

    def on_key(self, event: Key) -> None:
        event.stop()
        event.prevent_default()
        if self.desk.held:
            if event.key in ("escape", "ctrl+s", "ctrl+c"):
                self.desk.go_on()
        elif event.key == "ctrl+s":
            self.desk.hold()
        elif event.key == "ctrl+l":
            self.desk.redraw()
        elif event.key == "ctrl+z":
            self.desk.suspend_program()
        else:
            self.press(event.key, event.character)

    def on_paste(self, event: Paste) -> None:
        event.stop()
        event.prevent_default()
        if self.desk.held:
            self.desk.go_on()
        self.paste(event.text)

    def press(self, key: str, character: str | None) -> None:
        raise NotImplementedError

    def paste(self, text: str) -> None:
        """Nothing is pasted here."""

    def holding(self, on: bool) -> None:
        """The screen is about to be held for copying, or goes on."""

    def changed(self) -> None:
        """The link brought something: show it."""

    def tick(self) -> None:
        """A second passed."""
