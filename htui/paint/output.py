"""The terminal as something to write to that never hangs the program and never raises."""

import os
import select

_PATIENCE = 1.0
"""Seconds that a terminal which takes nothing is waited for once the program ends."""


class Output:
    """Writes text to a file descriptor, in the writer's thread. `gone` once the terminal is not there any more.

    `closing` is set from outside when the program ends: from then on a terminal that takes nothing is given up.
    """

    encoding = "utf-8"

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.gone = False
        self.closing = False
        self.written = 0
        """Calls of `write` that were done."""
        self.bytes = 0

    def fileno(self) -> int:
        return self._fd

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        """Nothing is held back."""

    def write(self, text: str) -> int:
        self._send(text.encode(self.encoding, "replace"))
        self.written += 1
        return len(text)

    def _send(self, rest: bytes) -> None:
        while rest and not self.gone:
            try:
                _, ready, _ = select.select((), (self._fd,), (), _PATIENCE)
                if ready:
                    sent = os.write(self._fd, rest[:4096])
                    self.bytes += sent
                    rest = rest[sent:]
                elif self.closing:
                    self.gone = True
            except (OSError, ValueError):
                self.gone = True
