"""The terminal of the tests with a clock: when the bytes came that brought something to the screen."""

import os
import select
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyte

from tests.support.terminal import Terminal

ROWS: Final = 24
COLUMNS: Final = 80


class _Clocked(pyte.ByteStream):
    """Notes when bytes came, which is before pyte takes its time with them."""

    moment = 0.0

    def feed(self, data: bytes) -> None:  # type: ignore[override]  # as pyte's own does
        self.moment = time.perf_counter()
        super().feed(data)


class TimedTerminal(Terminal):
    """One program on a terminal, of 80x24 unless another size is given."""

    def __init__(
        self, argv: Sequence[str], environ: Mapping[str, str], cwd: Path, *, columns: int = COLUMNS, lines: int = ROWS
    ) -> None:
        super().__init__(argv, columns=columns, lines=lines, environ=environ, cwd=cwd)
        self._stream = self._clocked = _Clocked(self.screen)

    @property
    def count(self) -> int:
        """Bytes that the program wrote so far."""
        return len(self.raw)

    def cell(self, row: int, column: int) -> str:
        return str(self.screen.buffer[row][column].data)

    def until(self, condition: Callable[[], object], what: str) -> float:
        """Waits for a condition; gives the moment (`time.perf_counter`) at which the bytes for it came."""
        self.wait(lambda _terminal: condition(), what)
        return self._clocked.moment

    def shows(self, text: str) -> float:
        return self.until(lambda: text in self.text, repr(text))


class SlowTerminal(TimedTerminal):
    """The same at the end of a line: so many bytes a second towards it, and half a round trip each way."""

    RATE: Final = 9_600
    WAY_S: Final = 0.15
    _BUCKET_S: Final = 0.1

    def __init__(self, *args: Any, **options: Any) -> None:
        self._going: deque[tuple[float, str | bytes]] = deque()
        self._coming: deque[tuple[float, bytes]] = deque()
        self._filled = time.perf_counter()
        self._allowed = 0.0
        super().__init__(*args, **options)

    def send(self, data: str | bytes) -> None:
        self._going.append((time.perf_counter() + self.WAY_S, data))

    def read(self, seconds: float) -> bool:
        until = time.perf_counter() + seconds
        while not self._ended:
            now = time.perf_counter()
            while self._going and self._going[0][0] <= now:
                super().send(self._going.popleft()[1])
            if self._coming and self._coming[0][0] <= now:
                data = self._coming.popleft()[1]
                self.raw += data
                self._stream.feed(data)
                return True
            self._take(now)
            if now >= until:
                return False
        return False

    def _take(self, now: float) -> None:
        """Takes from the program as much as the line has had the time to carry."""
        self._allowed = min(self._allowed + (now - self._filled) * self.RATE, self.RATE * self._BUCKET_S)
        self._filled = now
        try:
            if select.select([self.process.fd], [], [], 0.002)[0] and self._allowed >= 1:
                data = os.read(self.process.fd, int(self._allowed))
                self._allowed -= len(data)
                self._ended = not data
                self._coming.append((now + self.WAY_S, data))
        except (OSError, ValueError):
            self._ended = True
