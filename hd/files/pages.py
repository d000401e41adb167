"""Some lines of a text file of any size, read in pieces and never held as a whole."""

import codecs
import os
from collections.abc import Callable
from dataclasses import dataclass, field

from hd.files.encoding import Encoding, decode
from hd.files.errors import Code, FileError

PIECE = 1 << 20
_SAMPLE = 1 << 16


@dataclass(frozen=True, slots=True)
class Part:
    """Lines `first` and following as people see them, each clipped; `missing` is how many characters each lacks.

    `last` says that the file ends with the last of them, `size` is that of the file in bytes.
    """

    first: int
    lines: tuple[str, ...]
    missing: tuple[int, ...]
    last: bool
    size: int
    encoding: Encoding


@dataclass(slots=True)
class Taker:
    """Takes `limit` lines from line `first` on out of pieces of text with `\\n` only, clipping each to `longest`.

    `number` is the line, from 1, in which the next piece begins.
    """

    first: int
    limit: int
    longest: int
    number: int = 1
    lines: list[str] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)

    @property
    def full(self) -> bool:
        return self.number >= self.first + self.limit

    def take(self, text: str) -> bool:
        """Whether something of the piece was left, because the lines asked for ended before it."""
        at = self._skip(text)
        while at < len(text) and not self.full:
            newline = text.find("\n", at)
            end = len(text) if newline < 0 else newline
            self._extend(text, at, end)
            at = end + 1
            self.number += newline >= 0
        return at < len(text)

    def _skip(self, text: str) -> int:
        """Where in the piece the first wanted line begins or goes on."""
        wanted = self.first - self.number
        if wanted <= 0:
            return 0
        newlines = text.count("\n")
        if newlines < wanted:
            self.number += newlines
            return len(text)
        at = 0
        for _ in range(wanted):
            at = text.index("\n", at) + 1
        self.number = self.first
        return at

    def _extend(self, text: str, start: int, end: int) -> None:
        if len(self.lines) <= self.number - self.first:
            self.lines.append("")
            self.missing.append(0)
        room = min(self.longest - len(self.lines[-1]), end - start)
        self.lines[-1] += text[start : start + room]
        self.missing[-1] += end - start - room


def read_part(
    descriptor: int, first: int, limit: int, longest: int, may_go_on: Callable[[], bool] = lambda: True
) -> Part:
    """Lines `first` to `first + limit - 1` of an open file, counted from 1; fewer where it ends.

    What the encoding has no text for is shown as `\\xNN`. `may_go_on` is asked before each piece. `FileError`
    FS_TOO_LARGE when it says no, FS_NOT_TEXT for a binary file.
    """
    size = os.fstat(descriptor).st_size
    encoding = _encoding(os.pread(descriptor, _SAMPLE, 0))
    decoder = codecs.getincrementaldecoder(encoding.codec)("backslashreplace")
    taker = Taker(first, limit, longest)
    at, held, left = len(encoding.bom), "", False
    while not taker.full and (piece := os.pread(descriptor, PIECE, at)):
        if not may_go_on():
            raise FileError(
                Code.TOO_LARGE,
                f"Line {first:,} of its {size:,} bytes was not reached in time. Nothing was read. "
                "Look for the place with grep, or take it out with a command.",
            )
        at += len(piece)
        text = held + decoder.decode(piece)
        if "\0" in text:
            raise FileError(Code.NOT_TEXT, "It is a binary file, which the file tools do not show or change.")
        # The other half of a line ending may be in the next piece.
        held = "\r" if text.endswith("\r") else ""
        left = taker.take(text.removesuffix("\r").replace("\r\n", "\n"))
    if not taker.full:
        taker.take(held + decoder.decode(b"", final=True))
    last = at >= size and not left
    return Part(first, tuple(taker.lines), tuple(taker.missing), last, size, encoding)


def _encoding(sample: bytes) -> Encoding:
    """What the beginning of the file says; it may end in the middle of a character, which has up to four bytes."""
    cuts = range(4) if len(sample) == _SAMPLE else range(1)
    for cut in cuts:
        try:
            found, _ = decode(sample[: len(sample) - cut])
        except FileError:
            # Half of a UTF-16 pair makes the whole sample look binary.
            if cut == cuts[-1]:
                raise
        else:
            if not found.raw or cut == cuts[-1]:
                return found
    raise AssertionError("the last cut returns or raises")
