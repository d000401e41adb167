"""An answer that is still being written, as lines that are not made anew for every piece.

Blocks that are finished are kept as they are; of plain text and of an open code fence only the last unfinished line is
wrapped again, of anything else only the last block. The outcome is the one of `markdown_lines`, except that an open
fence has no colours: what a link is called is known everywhere as soon as it is defined.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from htui.present.cells import breaks
from htui.present.code import plain_line
from htui.present.grammar import Definitions, parse, top_blocks
from htui.present.guarded import guarded
from htui.present.lines import EMPTY, Line, Span, wrap
from htui.present.markdown import blocks_lines, is_plain, plain_lines
from htui.present.safe import safe

if TYPE_CHECKING:
    from markdown_it.token import Token

_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})([^\n]*)\n")
REASONING = "reasoning"

_LINE_END = re.compile(r"\r\n|\n|\r")


class LiveText:
    """The lines of a growing text at a fixed width; `lines` changes in place."""

    def __init__(self, cells: int) -> None:
        self.cells = max(1, cells)
        self.lines: list[Line] = []
        self.text = ""
        self._restart()

    def _restart(self) -> None:
        self.lines.clear()
        self._rich = False
        self._cut = self._kept = 0
        """Where the last, unfinished block begins: in the text, and how many lines stand before it."""
        self._mark = self._at = 0
        """Where the last, unfinished line begins: in the text, and its index in `lines`."""
        self._fence: tuple[int, re.Pattern[str]] | None = None
        """Indent and closing line of the open code fence."""
        self._settled: Definitions = {}
        """The addresses that were defined before the last block."""
        self._links: dict[str, str] = {}
        """The addresses that the lines were made with."""

    def update(self, text: str) -> int:
        """Takes the text as it is now; the index of the first line that may be another one."""
        if text == self.text:
            return len(self.lines)
        if not text.startswith(self.text):
            self._restart()
        self.text = text
        if not self._rich:
            if is_plain(text[self._mark :]):
                return self._plain()
            self._rich = True
        if self._fence is not None:
            return self._fenced(*self._fence)
        return self._richly()

    def _plain(self) -> int:
        first = self._at
        del self.lines[first:]
        *whole, last = self.text[self._mark :].split("\n")
        for raw in whole:
            self._plain_line(raw)
            self._mark += len(raw) + 1
            if not raw.strip():
                self._cut, self._kept = self._mark, len(self.lines)
        self._at = len(self.lines)
        if last.strip():
            self._plain_line(last)
            self._skip_full_lines(last)
        return first

    def _plain_line(self, raw: str) -> None:
        lines = plain_lines(raw, self.cells)
        if lines:
            self._separate()
            self.lines.extend(lines)

    def _skip_full_lines(self, raw: str) -> None:
        """Moves the mark behind what can no longer change, where positions in the shown text are those of the raw."""
        lead = len(raw) - len(raw.lstrip())
        shown = raw.strip()
        if safe(shown) == shown:
            self._mark += lead + breaks(shown, self.cells)[-1][0]
            self._at = len(self.lines) - 1

    def _separate(self) -> None:
        if self._kept and len(self.lines) == self._kept:
            self.lines.append(EMPTY)

    def _richly(self) -> int:
        del self.lines[self._kept :]
        first = guarded(self._parse)
        if first is None:
            first = min(self._kept, len(self.lines))
            del self.lines[first:]
            self._append(plain_lines(self.text[self._cut :], self.cells))
        return first

    def _parse(self) -> int:
        """Makes the lines of the last block and of what follows it; of everything when an address was defined.

        Gives the index of the first line that was made.
        """
        first = self._kept
        tail = self.text[self._cut :]
        known = dict(self._settled)
        blocks = top_blocks(parse(tail, known))
        links = {name: str(found.get("href")) for name, found in known.items()}
        if links != self._links and self._cut:
            self._cut = self._kept = 0
            self._settled, self._links = {}, links
            self.lines.clear()
            return self._parse()
        self._links = links
        last = _unfinished(blocks, tail.count("\n"))
        if last:
            self._append(_joined(blocks[:last], self.cells))
            line = _begins(blocks[last])
            self._settled = {n: d for n, d in known.items() if n in self._settled or d["map"][1] <= line}
            self._cut += _line_start(tail, line)
            self._kept = len(self.lines)
            tail = self.text[self._cut :]
        if len(blocks) - last != 1 or not self._opens_fence(tail):
            self._append(_joined(blocks[last:], self.cells))
        return first

    def _append(self, lines: list[Line]) -> None:
        if lines:
            self._separate()
            self.lines.extend(lines)

    def _opens_fence(self, tail: str) -> bool:
        """Begins to take code line by line when the last block is a fence that has not been closed."""
        match = _FENCE.match(tail)
        if match is None or (match[2][0] == "`" and "`" in match[3]):
            return False
        closing = re.compile(rf" {{0,3}}{match[2][0]}{{{len(match[2])},}}[ \t]*\r?")
        if any(closing.fullmatch(raw) for raw in tail[match.end() :].split("\n")):
            return False
        self._fence = (len(match[1]), closing)
        self._mark, self._at = self._cut + match.end(), len(self.lines)
        self._fenced(*self._fence)
        return True

    def _fenced(self, spaces: int, closing: re.Pattern[str]) -> int:
        first = self._at
        del self.lines[first:]
        *whole, last = self.text[self._mark :].split("\n")
        for raw in whole:
            if closing.fullmatch(raw):
                self._fence = None
                return self._richly()
            self._code_line(raw, spaces)
            self._mark += len(raw) + 1
        self._at = len(self.lines)
        if closing.fullmatch(last):
            self._fence = None
            return self._richly()
        if last:
            self._code_line(last, spaces)
        return first

    def _code_line(self, raw: str, spaces: int) -> None:
        self._separate()
        raw = raw.removesuffix("\r")
        raw = raw[min(spaces, len(raw) - len(raw.lstrip(" "))) :]
        self.lines.extend(plain_line(safe(raw), self.cells) if raw else [EMPTY])


Blocks = Sequence[Sequence["Token"]]


def _begins(block: Sequence["Token"]) -> int:
    return (block[0].map or [0])[0]


def _unfinished(blocks: Blocks, whole: int) -> int:
    """Which block is the first that may still change: the last one that begins in one of the `whole` lines.

    What a line means is known only when it is complete: `*` may become a list, a rule or bold text.
    """
    return next((place for place in range(len(blocks) - 1, 0, -1) if _begins(blocks[place]) < whole), 0)


def _joined(blocks: Blocks, cells: int) -> list[Line]:
    return blocks_lines([token for block in blocks for token in block], cells)


def _line_start(text: str, number: int) -> int:
    """Where line `number` (from 0) of `text` begins."""
    place = 0
    for _ in range(number):
        match = _LINE_END.search(text, place)
        if match is None:
            return len(text)
        place = match.end()
    return place


def tail_of(text: str, cells: int) -> Line:
    """The end of a text that is being written as one line; for where there is no room for more."""
    flat = " ".join(safe(text[-4 * cells :]).split())
    return (Span(flat if len(flat) <= cells else "…" + flat[-(cells - 1) :]),)


class LiveThought:
    """Reasoning that is being written, in full: plain lines of which only those after the last line break change."""

    def __init__(self, cells: int) -> None:
        self.cells = max(1, cells)
        self.lines: list[Line] = []
        self.text = ""
        self._mark = self._at = 0

    def update(self, text: str) -> int:
        """As `LiveText.update`."""
        if text == self.text:
            return len(self.lines)
        if not text.startswith(self.text):
            self._mark = self._at = 0
        self.text = text
        first = self._at
        del self.lines[first:]
        whole, _, last = text[self._mark :].rpartition("\n")
        if whole or self._mark + len(last) < len(text):
            self.lines.extend(wrap([Span(safe(whole), REASONING)], self.cells))
            self._mark = len(text) - len(last)
        self._at = len(self.lines)
        if last:
            self.lines.extend(wrap([Span(safe(last), REASONING)], self.cells))
        return first
