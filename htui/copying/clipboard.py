"""Takes a text to the clipboard by the way that is there, and into a file in any case."""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from htui.copying.route import MOST, Route, route, sequence
from htui.copying.tmux import around, tell
from htui.present import count


class Clipboard:
    """`copied` is the file; `environ` the environment of the program."""

    def __init__(self, copied: Path, environ: Mapping[str, str]) -> None:
        self.copied = copied
        self._environ = environ

    async def copy(self, text: str, write: Callable[[str], None]) -> str:
        """Copies `text`, `write` takes sequences to the terminal; what may be told about it, as one sentence."""
        kept = await asyncio.to_thread(self._keep, text)
        found = route(self._environ, await around(self._environ))
        long = len(text.encode(errors="replace")) > MOST
        done = False
        if found.way == "buffer":
            done = await tell(self._environ, "load-buffer", "-w", "-", given=text) is not None
        elif found.way != "none" and not long:
            write(sequence(text, passthrough=found.way == "passthrough"))
            done = True
        return told(text, found, done=done, long=long, kept=self.copied if kept else None)

    def _keep(self, text: str) -> bool:
        """Writes the file, for its owner alone; False where that cannot be done."""
        part = self.copied.with_suffix(".part")
        try:
            self.copied.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            part.unlink(missing_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
            with os.fdopen(os.open(part, flags, 0o600), "wb") as file:
                file.write(text.encode(errors="replace"))
            part.replace(self.copied)
        except OSError:
            return False
        return True


def told(text: str, found: Route, *, done: bool, long: bool, kept: Path | None) -> str:
    """What is told after copying. That it arrived is said only where it is known."""
    size = count.size(len(text.encode(errors="replace")))
    where = f" It is in {kept}." if kept else " It could not be written to a file either."
    also = f" Also in {kept}." if kept else ""
    if found.way == "buffer" and done:
        more = {"yes": " and on the clipboard", "perhaps": " and sent to its terminal", "no": ""}[found.takes]
        return f"Copied {size}: in tmux's buffer (paste with prefix ]){more}.{also}"
    if done and found.takes == "yes":
        return f"Copied {size} to the clipboard of your terminal.{also}"
    if done:
        return f"Sent {size} to the terminal, which does not say if it took it.{where}"
    if long and found.way != "none":
        return f"Not on the clipboard: {size} is more than terminals take ({count.size(MOST)}).{where}"
    return f"Not on the clipboard: this terminal has no way to it.{where}"
