"""What a terminal sends, divided into keys and pastes before anything else reads it: pure.

A paste is taken out here because it may hold escape sequences and line ends, and nothing of it may be taken for a key:
a paste never submits (row T6, case J18).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

PASTE_START = "\x1b[200~"
PASTE_END = "\x1b[201~"

ANSWER = "\x1b[0n"
"""What a terminal answers to `htui.paint.latency.ASK`."""

PASTE_PATIENCE = 1.0
KEY_PATIENCE = 0.1
ESCAPE = "\x1b"
"""Held back for a moment, for it may begin a mark; given out alone it is the key."""

BURST_PATIENCE = 0.05

_BURST = 16
"""So many characters with line ends inside that arrive at once are a paste that was not marked as one.

It goes on until nothing more comes for a moment: a terminal hands over a long one in parts, and the last of them may
look like a line with Enter.
"""

_ALT = re.compile("\x1b([a-z\r\n\x7f])")
_OTHER_KEYS = re.compile("\x1b\\[27;(\\d+);(\\d+)~")


@dataclass(frozen=True, slots=True)
class Input:
    """Keys, still as the terminal's sequences; the text of a whole paste with `\\n` for its line ends; or an answer."""

    kind: Literal["keys", "paste", "answer"]
    text: str


class Splitter:
    """Takes what was read piece by piece; a mark may be cut anywhere."""

    def __init__(self) -> None:
        self._pasting = self._bursting = False
        self._pasted: list[str] = []
        self._held = ""

    @property
    def patience(self) -> float | None:
        """Seconds of silence after which `flush` is due; None while nothing is held back."""
        if self._pasting:
            return PASTE_PATIENCE
        if self._bursting:
            return BURST_PATIENCE
        return KEY_PATIENCE if self._held else None

    def feed(self, data: str) -> Iterator[Input]:
        data = self._held + data
        self._held = ""
        while data:
            mark = PASTE_END if self._pasting else PASTE_START
            before, found, data_after = data.partition(mark)
            if not found:
                kept = max(_cut_mark(before, mark), 0 if self._pasting else _cut_mark(before, ANSWER))
                self._held = before[len(before) - kept :] if kept else ""
                before = before[: len(before) - kept] if kept else before
            yield from self._part(before)
            if found:
                if self._pasting or self._bursting:
                    yield self._finish()
                self._pasting = mark == PASTE_START
            data = data_after

    def flush(self) -> Iterator[Input]:
        """Gives out what was held back: nothing more came."""
        held, self._held = self._held, ""
        if self._pasting:
            self._pasted.append(held)
            held = ""
        if self._pasting or self._bursting:
            yield self._finish()
        if held:
            yield Input("keys", held)

    def _part(self, text: str) -> Iterator[Input]:
        if not text:
            return
        if self._pasting:
            self._pasted.append(text)
            return
        first, *others = text.split(ANSWER)
        yield from self._typed(first)
        for other in others:
            yield Input("answer", "")
            yield from self._typed(other)

    def _typed(self, text: str) -> Iterator[Input]:
        if not text:
            return
        if "\x1b" not in text and (self._bursting or _is_burst(text)):
            self._bursting = True
            self._pasted.append(text)
        else:
            if self._bursting:
                yield self._finish()
            yield Input("keys", _ALT.sub(_alt, _OTHER_KEYS.sub("\x1b[\\2;\\1u", text)))

    def _finish(self) -> Input:
        text = "".join(self._pasted)
        self._pasted, self._pasting, self._bursting = [], False, False
        return Input("paste", _line_ends(text))


def _cut_mark(text: str, mark: str) -> int:
    """How many characters at the end of `text` may be the beginning of `mark`."""
    return next((size for size in range(len(mark) - 1, 0, -1) if text.endswith(mark[:size])), 0)


def _alt(match: re.Match[str]) -> str:
    """Alt with a key in the form that is understood everywhere: Alt+Enter would else be read as Enter."""
    code = 13 if match[1] in "\r\n" else ord(match[1])
    return f"\x1b[{code};3u"


def _is_burst(text: str) -> bool:
    if len(text) < _BURST:
        return False
    inside = text.rstrip("\r\n")
    return "\r" in inside or "\n" in inside


def _line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
