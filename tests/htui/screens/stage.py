"""The whole program without a terminal: a scripted link, a clock of its own, and the screen as text."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot

from htui.app import HtuiApp
from htui.composer.store import DraftStore
from htui.copying.clipboard import Clipboard
from htui.pace import Pace
from htui.screens.session import SessionScreen
from htui.screens.spending import Places
from htui.theme import Theme
from tests.support.scripted import NOW, SESSION, Log, ScriptedLink

PATIENCE = 20.0
"""Seconds after which a condition counts as never met: what runs in a thread takes its time beside other work."""
_CHARACTERS = {_character_to_key(char): char for char in " /.,-?!:;()[]{}'\"#*+=<>@_|~&%$^`\\"} | {
    "enter": "\r",
    "tab": "\t",
    "escape": "\x1b",
    "backspace": "\x7f",
}
"""What keys with a name type."""


class StageApp(HtuiApp):
    """Its clocks stand still until a test moves them."""

    clock = 1000.0
    wall = NOW + 100

    def moment(self) -> float:
        return self.clock

    def now(self) -> int:
        return self.wall


class Stage:
    """What tests look at and do."""

    def __init__(self, app: StageApp, link: ScriptedLink, pilot: Pilot[int]) -> None:
        self.app = app
        self.link = link
        self.pilot = pilot

    @property
    def rows(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.app.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    @property
    def chat(self) -> SessionScreen:
        screen = self.app.screen
        assert isinstance(screen, SessionScreen), screen
        return screen

    @property
    def log(self) -> Log:
        return self.link.log()

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Lets the program run until the condition holds."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if condition():
                return
            self.app._show_changes()
            await self._settle()
        raise AssertionError(f"never came: {what}\n{self.text}")

    async def sees(self, *texts: str) -> None:
        for text in texts:
            await self.until(lambda text=text: text in self.text, repr(text))  # type: ignore[misc]

    async def misses(self, *texts: str) -> None:
        """Until none of these is on the screen."""
        await self.until(lambda: not any(text in self.text for text in texts), f"no {texts}")

    async def press(self, *keys: str) -> None:
        """Presses keys as the pilot does, which waits 40 ms behind each; here it is until each has been dealt with."""
        driver = self.app._driver
        assert driver is not None
        for name in keys:
            driver.send_message(Key(name, _CHARACTERS.get(name, name if len(name) == 1 else None)))
            await self._settle()

    async def _settle(self) -> None:
        """Until everything that was sent to the program and its screen so far has been dealt with."""
        for node in (self.app, self.app.screen, self.app.screen):
            done = asyncio.Event()
            if node.is_running and node.call_later(done.set):
                with suppress(TimeoutError):  # A screen that is just going away answers nobody.
                    async with asyncio.timeout(0.1):
                        await done.wait()
        await asyncio.sleep(0)

    async def type(self, text: str) -> None:
        """Types text as keys; a paste would be another way in."""
        names = {char: name for name, char in _CHARACTERS.items()} | {"\n": "ctrl+j"}
        await self.press(*(names.get(char, char) for char in text))

    async def later(self, seconds: float) -> None:
        """Moves the clocks."""
        self.app.clock += seconds
        self.app.wall += int(seconds * 1000)
        self.app._tick()
        await self._settle()


@asynccontextmanager
async def stage(
    folder: Path,
    *,
    size: tuple[int, int] = (80, 24),
    session: str | None = None,
    theme: str = "dark",
    prepare: Callable[[ScriptedLink], None] | None = None,
    online: bool = True,
    pace: Pace | None = None,
) -> AsyncIterator[Stage]:
    """The program, connected and with an empty chat open unless `online` is False or another `session` is wanted."""
    app = StageApp(
        palette=Theme(theme),
        drafts=DraftStore(folder / "drafts"),
        copies=Clipboard(folder / "copied.txt", {"TERM": "xterm-kitty"}),
        directory=Path("/home/me/proj"),
        places=Places(folder / "accounts", folder / "prices.json"),
        session=session,
        pace=pace,
    )
    link = ScriptedLink(app.link_changed)
    app.attach(link)
    if prepare is not None:
        prepare(link)
    async with app.run_test(size=size) as pilot:
        found = Stage(app, link, pilot)
        if online:
            link.online()
        if online and session is None:
            await found.until(lambda: isinstance(app.screen, SessionScreen), "the chat")
            await found.sees("● Ready")
        yield found


__all__ = ["NOW", "SESSION", "Stage", "stage"]
