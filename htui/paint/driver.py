"""Textual's driver for a Unix terminal, with four differences.

It draws only what differs (`Screen`), shows the real cursor on the caret, takes pastes out before keys are read
(`Splitter`), and leaves the terminal clean whatever ends the program.
"""

import os
import select
import sys
import termios
import time
from codecs import getincrementaldecoder
from collections.abc import Iterable
from typing import IO, Any, cast

from rich.segment import Segment
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key, Paste
from textual.strip import Strip

from htui.paint.keyboard import ESCAPE, Splitter
from htui.paint.latency import ASK, Latency
from htui.paint.output import Output
from htui.paint.screen import Point, Screen
from htui.paint.sgr import numbers

RESET = (
    "\x1b[m\x1b[r\x1b[?7h"
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l"
    "\x1b[?2004l\x1b[?2026l\x1b[?2048l\x1b[<u\x1b[?1049l\x1b[?25h"
)
"""Everything that this driver may have switched on, off; also for `htui --reset` after a kill -9."""

_ASK = "\x1b[c"
_ANSWER = b"c"
_ANSWER_WAIT = 0.15
_IDLE = 0.1
_ASKED_FROM = 256
"""Characters from which a frame is worth asking how long it took; what is typed makes smaller ones."""


class TerminalDriver(LinuxDriver):
    """One of Textual's drivers; `show` takes its updates and `busy` says that the terminal lags behind."""

    def __init__(self, app: Any, **options: Any) -> None:
        super().__init__(app, **options)
        self._output = Output(sys.__stdout__.fileno() if sys.__stdout__ else 1)
        self._file = cast(IO[str], self._output)  # type: ignore[assignment]
        self._picture: Screen | None = None
        self._queued = 0
        self.latency = Latency()
        self.low = False
        """Whether the line is to be spared: then a frame waits until the terminal has drawn the one before."""
        self._mouse_on = True
        self.unseen = True
        """True while nothing of the wanted picture was drawn: the screen has another size, or was used by others."""

    @property
    def busy(self) -> bool:
        """True while earlier frames wait to be written: the link or the terminal is slow."""
        lagging = self.low and self.latency.waiting(time.monotonic())
        return lagging or self._queued - self._output.written > 2

    @property
    def bytes_written(self) -> int:
        return self._output.bytes

    def show(self, update: object, width: int, height: int) -> bool:
        """Takes an update of the compositor into the wanted picture; False when it is of no kind known here."""
        if not isinstance(update, LayoutUpdate | ChopsUpdate):
            return False
        picture = self._picture
        if picture is None or (picture.width, picture.height) != (width, height):
            picture = self._picture = Screen(width, height)
            self.unseen = True
        for line, column, strip in _strips(update):
            picture.put(line, column, [(s.text, numbers(s.style)) for s in strip if not s.control])
        return True

    def draw(self, cursor: Point | None, *, sync: bool) -> None:
        """Sends what differs between the terminal and the wanted picture."""
        if self._picture is not None:
            self.unseen = False
            frame = self._picture.frame(cursor, sync=sync)
            now = time.monotonic()
            if len(frame) >= _ASKED_FROM and self.latency.due(now):
                self.latency.asked(now)
                frame += ASK
            if frame:
                self.write(frame)

    def forget(self) -> None:
        """The next `draw` sends everything."""
        self.unseen = True
        if self._picture is not None:
            self._picture.forget()

    def note(self, text: str) -> None:
        """Puts a text over the right end of the last line, until the next `draw`."""
        if self._picture is not None:
            self.write(self._picture.note(text))

    def write(self, data: str) -> None:
        if self._writer_thread is not None and not self._output.gone:
            self._queued += 1
            super().write(data)

    def set_mouse(self, on: bool) -> None:
        """Releases the mouse, so that the terminal's own selection works, or takes it back."""
        self._mouse_on = on
        if on:
            self._enable_mouse_support()
        else:
            self._disable_mouse_support()

    def start_application_mode(self) -> None:
        self.forget()
        self._output.closing = False
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def stop_application_mode(self) -> None:
        """Leaves the terminal as it was found; answers that are still on their way are waited for a moment."""
        self._output.closing = True
        self.write(RESET + _ASK)
        self.disable_input()
        self._swallow_answers()
        if self.attrs_before is not None:
            try:
                termios.tcsetattr(self.fileno, termios.TCSAFLUSH, self.attrs_before)
            except termios.error:
                pass

    def close(self) -> None:
        self._output.closing = True
        super().close()

    def _enable_mouse_support(self) -> None:
        """The wheel and the buttons; not every movement, which costs bytes on the way in."""
        if self._mouse and self._mouse_on:
            self.write("\x1b[?1000h\x1b[?1006h")

    def _disable_mouse_support(self) -> None:
        self.write("\x1b[?1000l\x1b[?1006l")

    def _enable_mouse_pixels(self) -> None:
        """Cells are exact enough."""

    def _swallow_answers(self) -> None:
        """Reads until the terminal answered the last question, so that no answer is left for the shell."""
        until = time.monotonic() + _ANSWER_WAIT
        try:
            while not self._output.gone and (left := until - time.monotonic()) > 0:
                if not select.select((self.fileno,), (), (), left)[0]:
                    return
                read = os.read(self.fileno, 4096)
                if not read or read.endswith(_ANSWER):
                    return
        except (OSError, ValueError):
            return

    def run_input_thread(self) -> None:
        """Reads the terminal until the program ends or the terminal is gone."""
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        splitter = Splitter()
        quiet_since = time.monotonic()
        while not self.exit_event.is_set():
            try:
                wait = _IDLE if splitter.patience is None else min(_IDLE, splitter.patience)
                ready = select.select((self.fileno,), (), (), wait)[0]
                data = os.read(self.fileno, 1 << 16) if ready else b""
            except (OSError, ValueError):
                self._hung_up()
                return
            if ready and not data:
                self._hung_up()
                return
            if data:
                quiet_since = time.monotonic()
                self._inputs(parser, splitter.feed(decode(data)))
            elif splitter.patience is not None and time.monotonic() - quiet_since >= splitter.patience:
                self._inputs(parser, splitter.flush())
            for message in parser.tick():
                self.process_message(message)

    def _inputs(self, parser: XTermParser, inputs: Iterable[Any]) -> None:
        for part in inputs:
            if part.kind == "paste":
                self.process_message(Paste(part.text))
            elif part.kind == "answer":
                self.latency.answered(time.monotonic())
            elif part.text == ESCAPE:
                self.process_message(Key("escape", ESCAPE))
            else:
                for message in parser.feed(part.text):
                    self.process_message(message)

    def _hung_up(self) -> None:
        self._output.gone = True
        self._loop.call_soon_threadsafe(self._app.exit)


def _strips(update: LayoutUpdate | ChopsUpdate) -> Iterable[tuple[int, int, Iterable[Segment]]]:
    """(line, column, segments) of everything in an update."""
    if isinstance(update, LayoutUpdate):
        for line, strips in enumerate(update.strips, update.region.y):
            column = update.region.x
            joined = Strip.join(strips)
            yield line, column, joined
        return
    for line in dict.fromkeys(line for line, _, _ in update.spans):
        for column, strip in update.chops[line].items():
            if strip is not None:
                yield line, column, strip
