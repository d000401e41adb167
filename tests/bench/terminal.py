"""The terminal of the tests with a clock: when the bytes came that brought something to the screen."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

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
    """One program on a terminal of 80x24."""

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str], cwd: Path) -> None:
        super().__init__(argv, columns=COLUMNS, lines=ROWS, environ=environ, cwd=cwd)
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
