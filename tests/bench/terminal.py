"""A program on a terminal of 80x24: what it writes, when, and what that looks like."""

import os
import select
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyte
from ptyprocess import PtyProcess  # type: ignore[import-untyped]

ROWS: Final = 24
COLUMNS: Final = 80
CHUNK: Final = 1 << 16
PATIENCE_S: Final = 20.0


class TerminalError(Exception):
    """The program ended, or did not show in time what was waited for. The text holds the last screen."""


class Terminal:
    """One running program. `count` is the number of bytes that it wrote so far."""

    def __init__(self, process: PtyProcess) -> None:
        self.count = 0
        self._process = process
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._poll = select.poll()
        self._poll.register(process.fd, select.POLLIN)

    def press(self, keys: str) -> None:
        os.write(self._process.fd, keys.encode())

    def lines(self) -> list[str]:
        return list(self._screen.display)

    def cell(self, row: int, column: int) -> str:
        return str(self._screen.buffer[row][column].data)

    def find(self, text: str) -> tuple[int, int] | None:
        """Row and column where a text stands, the lowest one first."""
        for row, line in reversed(list(enumerate(self.lines()))):
            if (column := line.find(text)) >= 0:
                return row, column
        return None

    def until(self, holds: Callable[[], bool], seconds: float = PATIENCE_S) -> float:
        """Reads until a condition holds; gives the moment (`time.perf_counter`) at which the last bytes for it came."""
        deadline = time.perf_counter() + seconds
        moment = time.perf_counter()
        while not holds():
            left = deadline - time.perf_counter()
            if left <= 0 or not self._poll.poll(left * 1000):
                raise TerminalError("nothing of that came in time:\n" + "\n".join(self.lines()))
            moment = self._read()
        return moment

    def until_quiet(self, seconds: float) -> None:
        """Reads until nothing was written for so long; gives up after `PATIENCE_S`."""
        deadline = time.perf_counter() + PATIENCE_S
        while time.perf_counter() < deadline and self._poll.poll(seconds * 1000):
            self._read()

    def _read(self) -> float:
        try:
            data = os.read(self._process.fd, CHUNK)
        except OSError:  # What a pseudo-terminal reads as once its last program is gone.
            data = b""
        moment = time.perf_counter()
        if not data:
            raise TerminalError("the program ended:\n" + "\n".join(self.lines()))
        self.count += len(data)
        self._stream.feed(data)
        return moment


@contextmanager
def terminal(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> Iterator[Terminal]:
    """Runs a program until the block ends, then kills it."""
    known = {name: value for name, value in environment.items() if name not in ("LINES", "COLUMNS", "NO_COLOR")}
    process = PtyProcess.spawn(
        list(command), cwd=str(folder), env={**known, "TERM": "xterm-256color"}, dimensions=(ROWS, COLUMNS)
    )
    try:
        yield Terminal(process)
    finally:
        process.close(force=True)
