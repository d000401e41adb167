"""Server-sent events without I/O: bytes in, the data of events out.

Follows the event stream part of the HTML standard as far as a model's answer needs it: CR, LF and CRLF line ends, a
leading BOM, comments, several data lines in one event. The result does not depend on how the bytes were cut.
"""

from typing import Final

MAX_PENDING: Final = 32 * 1024 * 1024
"""Bytes of one unfinished event after which the stream is given up."""

_BOM: Final = b"\xef\xbb\xbf"
_LF: Final = 0x0A


class SseOverflow(ValueError):
    """An event that does not end within `MAX_PENDING` bytes."""


class SseParser:
    """Finds events in whole buffers, so that thousands of small events in one piece cost one pass over it.

    `comments` counts the comment lines so far. A provider that lets a request wait sends nothing else, so a caller can
    tell data from being kept alive.
    """

    def __init__(self) -> None:
        self.comments = 0
        self._pending: list[bytes] = []
        self._size = 0
        self._last = 0
        self._at_start = True
        self._after_cr = False

    def feed(self, data: bytes) -> list[str]:
        """The data of every event that `data` completes. Bytes that are no UTF-8 become U+FFFD."""
        data = self._with_line_feeds(data)
        if not data:
            return []
        completes = b"\n\n" in data or (self._last == _LF and data[0] == _LF)
        self._keep(data)
        if not completes:
            if self._size > MAX_PENDING:
                raise SseOverflow(f"an event without end after {self._size} bytes")
            return []
        whole, _, rest = self._take().rpartition(b"\n\n")
        self._keep(rest)
        return self._events(whole)

    def close(self) -> list[str]:
        """The last event, where its lines are whole and only the empty line behind it is missing."""
        whole, end, _ = self._take().rpartition(b"\n")
        return self._events(whole) if end else []

    def _keep(self, data: bytes) -> None:
        if data:
            self._pending.append(data)
            self._size += len(data)
            self._last = data[-1]

    def _take(self) -> bytes:
        """All pending bytes, which are pending no more."""
        data = b"".join(self._pending)
        self._pending.clear()
        self._size = self._last = 0
        if self._at_start:
            self._at_start = False
            data = data.removeprefix(_BOM)
        return data

    def _with_line_feeds(self, data: bytes) -> bytes:
        """`data` with every line end as one LF; a CR at its end swallows the LF that the next piece begins with."""
        if self._after_cr and data:
            data = data.removeprefix(b"\n")
            self._after_cr = False
        if b"\r" not in data:
            return data
        self._after_cr = data.endswith(b"\r")
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _events(self, blocks: bytes) -> list[str]:
        found: list[str] = []
        for block in blocks.decode("utf-8", "replace").split("\n\n"):
            if block.startswith("data: ") and "\n" not in block:
                found.append(block[6:])
            elif block:
                self._event(block, found)
        return found

    def _event(self, block: str, found: list[str]) -> None:
        values: list[str] = []
        for line in block.split("\n"):
            if line.startswith(":"):
                self.comments += 1
            elif line.startswith("data:"):
                values.append(line[5:].removeprefix(" "))
            elif line == "data":
                values.append("")
        if values:
            found.append("\n".join(values))
