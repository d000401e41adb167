"""From the bytes of a process to text that is worth reading, piece by piece and in bounded memory; pure.

`Cleaner` decodes, takes out what only a terminal understands and folds progress lines. `Kept` holds on to the
beginning and the end. Both take pieces that are cut anywhere: in a character, an escape sequence or a line. Every
pattern here is linear in the length of the piece, because the text is written by whatever program was run.
"""

import codecs
import re
from collections import deque
from typing import Final

HEAD: Final = 64 * 1024
TAIL: Final = 192 * 1024
_PENDING_LINE: Final = 64 * 1024
_PENDING_ESCAPE: Final = 4096

# C0 and DEL without tab, line feed, carriage return, backspace, and the two that belong to escape sequences.
_NOISE: Final = bytes(b for b in (*range(0x20), 0x7F) if b not in b"\t\n\r\b\x1b\x07")

_ESCAPE: Final = re.compile(
    r"""
      (?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]      # control sequence: colours, cursor, modes
    | \x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)   # operating system command: titles, links, clipboard
    | \x1b[PX^_][^\x1b]*\x1b\\              # device control and other strings
    | \x1b[ -/]*[0-~]                       # two characters
    """,
    re.VERBOSE,
)
_OPEN_ESCAPE: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*\Z|\x1b\][^\x07\x1b\n]*\x1b?\Z|\x1b[PX^_][^\x1b]*\x1b?\Z|\x1b[ -/]*\Z"
)
_OVERSTRUCK: Final = re.compile(r"[^\n\x08]\x08")
_CONTROL: Final = re.compile(r"[\x07\x08\x1b\x80-\x9f]")


class Cleaner:
    """Bytes in, readable text out.

    Undecodable bytes become U+FFFD. Of a line that was overwritten by carriage returns only the last state is left,
    so that a progress bar costs one line. An unfinished line is held back until it ends, is folded away, or is
    longer than any progress line would be.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._escape = ""
        self._line = ""

    def feed(self, piece: bytes) -> str:
        text = self._decoder.decode(piece.translate(None, _NOISE))
        return self._fold(self._without_escapes(text))

    @property
    def unfinished(self) -> str:
        """The line that has not ended yet, as it stands: such as the prompt of a program that waits."""
        return _last_state(self._line)

    def finish(self) -> str:
        """What was held back. The cleaner is empty afterwards."""
        text = self._escape + self._decoder.decode(b"", final=True)
        self._escape = ""
        text = self._fold(_CONTROL.sub("", _ESCAPE.sub("", text)))
        rest, self._line = _last_state(self._line), ""
        return text + rest

    def _without_escapes(self, text: str) -> str:
        text, self._escape = self._escape + text, ""
        if "\x1b" in text or "\x9b" in text:
            # An unfinished sequence that is longer than this is none: its introducer goes, the rest is text.
            if cut := _OPEN_ESCAPE.search(text, max(0, len(text) - _PENDING_ESCAPE)):
                text, self._escape = text[: cut.start()], cut.group()
            text = _ESCAPE.sub("", text)
        if "\b" in text:
            text = _OVERSTRUCK.sub("", text)
        if not text.isascii() or any(control in text for control in "\x07\b\x1b"):
            text = _CONTROL.sub("", text)
        return text

    def _fold(self, text: str) -> str:
        lines, ended, line = (self._line + text).rpartition("\n")
        if "\r" in lines:
            lines = "\n".join(map(_last_state, lines.split("\n")))
        # A return at the very end may be one half of a line end, so it stays until more is known.
        line = _last_state(line) + "\r" * line.endswith("\r")
        if len(line) <= _PENDING_LINE:
            self._line = line
            return lines + ended
        self._line = ""
        return lines + ended + line.rstrip("\r")


def _last_state(line: str) -> str:
    if "\r" not in line:
        return line
    written = line.rstrip("\r")
    return written[written.rfind("\r") + 1 :]


class Kept:
    """The first `head` and the last `tail` characters of a text of any length; `length` counts all of it."""

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        if head < 0 or tail < 1:
            raise ValueError("a kept text needs room for its end")
        self.length = 0
        self._head: list[str] = []
        self._head_room = head
        self._tail: deque[str] = deque()
        self._tail_room = tail
        self._tail_held = 0

    def add(self, text: str) -> None:
        self.length += len(text)
        if self._head_room and text:
            first, text = text[: self._head_room], text[self._head_room :]
            self._head.append(first)
            self._head_room -= len(first)
        if not text:
            return
        self._tail.append(text[-self._tail_room :])
        self._tail_held += len(self._tail[-1])
        while self._tail_held - len(self._tail[0]) >= self._tail_room:
            self._tail_held -= len(self._tail.popleft())

    @property
    def left_out(self) -> int:
        """Characters that are in neither part."""
        return self.length - sum(map(len, self._head)) - min(self._tail_held, self._tail_room)

    def text(self) -> str:
        """Both parts, and between them a line that says how much is missing where something is."""
        head, tail = "".join(self._head), "".join(self._tail)[-self._tail_room :]
        missing = self.left_out
        return f"{head}\n[… {missing:,} characters left out …]\n{tail}" if missing else head + tail
