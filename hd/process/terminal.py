"""A command that goes on in a terminal: what it has said so far, and when there is something to say about it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from hd.process.output import Kept
from hd.process.run import Hand, Ran
from hd.process.signs import Sign, pages, sign

FLUSH_S: Final = 0.5
"""What follows an error or a start belongs to it: the rest of a traceback, the address behind `ready in`."""

WAIT_S: Final = 120.0
_LONGEST_LINE: Final = 2_000
_HEAD: Final = 16 * 1024
_TAIL: Final = 48 * 1024


@dataclass(frozen=True, slots=True)
class Seen:
    """How a terminal stands. `waiting` says that nothing told in time whether it serves or fails.

    `index` counts the terminals of a session from 0, `number` its commands from 1. `output` is cleaned text, its middle
    left out where it is long, `length` the characters of all of it. `pages` are the web pages that it serves,
    `blocked` is what the output says that the sandbox kept it from.
    """

    how: Literal["exited", "started", "failed", "waiting"]
    index: int
    number: int
    exit_code: int | None
    output: str
    length: int
    pages: tuple[str, ...]
    blocked: str | None = None


class Terminal:
    """One terminal. `on_page` is told each address of this machine in the output, once."""

    def __init__(self, command: str, index: int, on_page: Callable[[str], None]) -> None:
        self.command: Final = command
        self.index: Final = index
        self.ended: Final = asyncio.Event()
        self.ran: Ran | None = None
        self.hand: Hand | None = None
        """None before the start and after the end."""
        self.pages: list[str] = []
        self._on_page = on_page
        self._named: set[str] = set()
        self._kept = Kept(_HEAD, _TAIL)
        self._line = ""
        self._sign: Sign | None = None
        self._spoke = asyncio.Event()
        self._told = False

    def hear(self, text: str) -> None:
        """Takes output in."""
        self._kept.add(text)
        if self._told and "://" not in text and ":" not in self._line:
            # Of a flood behind the answer only addresses matter, and most of it holds none.
            _, ended, rest = text.rpartition("\n")
            self._line = (rest if ended else self._line + rest)[:_LONGEST_LINE]
            return
        *lines, rest = text.split("\n")
        for line in lines:
            self._read(self._line + line)
            self._line = ""
        self._line = (self._line + rest)[:_LONGEST_LINE]

    def end(self, ran: Ran | None) -> None:
        """The command is over; `ran` is None where it could not be started or its daemon ended it."""
        self.ran, self.hand = ran, None
        self.ended.set()
        self._spoke.set()

    async def spoken(self, within_s: float = WAIT_S) -> None:
        """Waits for the end, for a sign of a start or an error and what follows it, or for the time to be over."""
        try:
            async with asyncio.timeout(within_s):
                await self._spoke.wait()
            async with asyncio.timeout(FLUSH_S):
                await self.ended.wait()
        except TimeoutError:
            pass
        self._told = True

    def seen(self, number: int) -> Seen:
        if self.ran is not None or self.ended.is_set():
            how: Literal["exited", "started", "failed", "waiting"] = "exited"
        else:
            how = self._sign or "waiting"
        code = self.ran.exit_code if self.ran is not None else None
        output = self._kept.text() + (self.hand.line if self.hand is not None else "")
        return Seen(how, self.index, number, code, output, self._kept.length, tuple(self.pages))

    def _read(self, line: str) -> None:
        for page in pages(line) if "://" in line else ():
            if page not in self._named:
                self._named.add(page)
                self._on_page(page)
        found = None if self._told else sign(line)
        if found is not None and self._sign != "failed":
            self._sign = found
            self._spoke.set()
