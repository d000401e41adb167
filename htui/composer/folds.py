"""Long pastes, folded: in the text each is one character, on the screen `[120 lines · 4.2 KB]`, sent it is whole."""

from collections.abc import Mapping

from htui.present import count

FIRST = 0x100000
LAST = 0x10FFFD
"""The private plane whose characters stand for folds; a paste's own characters of it are taken out."""

LINES = 8
CHARS = 1000
"""More than so many lines or characters are folded."""

Folds = Mapping[str, str]
"""The text of each fold by its character."""


def is_long(text: str) -> bool:
    return len(text) > CHARS or text.count("\n") >= LINES


def without_marks(text: str) -> str:
    """`text` without characters that would be taken for a fold."""
    if text.isascii() or not any(FIRST <= ord(char) <= LAST for char in text):
        return text
    return "".join("\ufffd" if FIRST <= ord(char) <= LAST else char for char in text)


def next_mark(folds: Folds) -> str:
    return chr(max((ord(mark) for mark in folds), default=FIRST - 1) + 1)


def unfolded(text: str, folds: Folds) -> str:
    """The whole text."""
    if not folds:
        return text
    return "".join(folds.get(char, char) for char in text)


def label(folded: str) -> str:
    lines = folded.count("\n") + 1
    return f"[{count.plural(lines, 'line')} · {count.size(len(folded.encode(errors='replace')))}]"
