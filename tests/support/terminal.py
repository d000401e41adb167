"""A terminal for tests: a real process under a PTY, and its screen as pyte sees it. Waiting is for conditions only."""

import fcntl
import os
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyte
from ptyprocess import PtyProcess

PATIENCE = 20.0
"""Seconds after which a condition counts as never met."""


class _Screen(pyte.Screen):
    """pyte's screen, which passes the answers of a terminal on to the process."""

    def __init__(self, columns: int, lines: int, answer: Callable[[str], None]) -> None:
        super().__init__(columns, lines)
        self._answer = answer

    def write_process_input(self, data: str) -> None:
        self._answer(data)


class Terminal:
    """`argv` runs at once in a terminal of `columns` by `lines`. Use as a context: it ends the process."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        columns: int = 80,
        lines: int = 24,
        environ: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        env = {**os.environ, "TERM": "xterm-256color", **(environ or {})}
        for name in ("NO_COLOR", "COLORFGBG", "TERM_PROGRAM"):
            if name not in (environ or {}):
                env.pop(name, None)
        self.columns, self.lines = columns, lines
        self.started = time.monotonic()
        self.process: Any = PtyProcess.spawn(
            list(argv), cwd=str(cwd) if cwd else None, env=env, dimensions=(lines, columns)
        )
        self.raw = bytearray()
        """Everything that the process wrote."""
        self.screen = _Screen(columns, lines, lambda data: self.send(data))
        self._stream = pyte.ByteStream(self.screen)
        self._ended = False

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def text(self) -> str:
        """The screen, without the blanks at the ends of its lines."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    @property
    def rows(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    @property
    def cursor(self) -> tuple[int, int]:
        return self.screen.cursor.x, self.screen.cursor.y

    @property
    def cursor_shown(self) -> bool:
        return not self.screen.cursor.hidden

    def send(self, data: str | bytes) -> None:
        try:
            self.process.write(data.encode() if isinstance(data, str) else data)
        except (OSError, EOFError):
            self._ended = True

    def resize(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self.screen.resize(lines, columns)
        self.process.setwinsize(lines, columns)

    def kill(self, number: signal.Signals) -> None:
        os.kill(self.process.pid, number)

    def read(self, seconds: float) -> bool:
        """Takes what comes within some seconds; False when nothing came."""
        if self._ended:
            return False
        try:
            ready = select.select([self.process.fd], [], [], max(0.0, seconds))[0]
            data = os.read(self.process.fd, 1 << 16) if ready else b""
        except (OSError, ValueError):
            self._ended = True
            return False
        if ready and not data:
            self._ended = True
        if data:
            self.raw += data
            self._stream.feed(data)
        return bool(data)

    def wait(self, condition: Callable[["Terminal"], object], what: str = "", seconds: float = PATIENCE) -> None:
        """Reads until the condition holds; fails with the screen when it never does."""
        until = time.monotonic() + seconds
        while not condition(self):
            left = until - time.monotonic()
            if left <= 0 or (self._ended and not condition(self)):
                state = "ended" if self._ended else "runs"
                raise AssertionError(f"never came: {what or condition}; the process {state}; the screen:\n{self.text}")
            self.read(min(left, 0.5))

    def wait_for(self, text: str, seconds: float = PATIENCE) -> None:
        self.wait(lambda t: text in t.text, repr(text), seconds)

    def settle(self, quiet: float = 0.25, seconds: float = PATIENCE) -> None:
        """Reads until the process wrote nothing for a while: for counting bytes, never for conditions."""
        until = time.monotonic() + seconds
        while self.read(quiet) and time.monotonic() < until:
            pass

    def wait_end(self, seconds: float = PATIENCE) -> int:
        """Reads to the end of the process; its exit code, negative for a signal."""
        until = time.monotonic() + seconds
        while not self._ended and time.monotonic() < until:
            self.read(0.2)
            if not self.process.isalive():
                while self.read(0.05):
                    pass
                break
        else:
            if not self._ended:
                raise AssertionError(f"the process did not end; the screen:\n{self.text}")
        self.process.wait()
        status = self.process.exitstatus
        return int(status) if status is not None else -int(self.process.signalstatus or 0)

    def tty(self) -> list[Any]:
        """The modes of the terminal line."""
        return termios.tcgetattr(self.process.fd)

    def close(self) -> None:
        if self.process.isalive():
            self.process.kill(signal.SIGKILL)
        self.process.close(force=True)


def modes_left_on(raw: bytes) -> set[int]:
    """The private modes that a byte stream switched on and not off again."""
    on: set[int] = set()
    place = 0
    while (start := raw.find(b"\x1b[?", place)) >= 0:
        end = start + 3
        while end < len(raw) and raw[end : end + 1] in b"0123456789;":
            end += 1
        final = raw[end : end + 1]
        numbers = {int(n) for n in raw[start + 3 : end].split(b";") if n}
        if final == b"h":
            on |= numbers
        elif final == b"l":
            on -= numbers
        place = end
    return on


def window_size(fd: int) -> tuple[int, int]:
    """(columns, lines) of a terminal line."""
    lines, columns, _, _ = struct.unpack("HHHH", fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(8)))
    return columns, lines
