"""Long pastes, folded: in the text their middle is one character, on the screen `[120 lines · 4.2 KB]`.

The first and the last line stay, for they say what it is. It is sent whole.
"""

from collections.abc import Mapping

from htui.present import count

FIRST = 0x100000
LAST = 0x10FFFD
"""The private plane whose characters stand for folds; a paste's own characters of it are taken out."""

LINES = 8
CHARS = 1000
SHOWN = 200
"""Characters of a first or a last line that is left unfolded."""
"""More than so many lines or characters are folded."""

Folds = Mapping[str, str]
"""The text of each fold by its character."""


def is_long(text: str) -> bool:
    return len(text) > CHARS or text.count("\n") >= LINES


def fold(text: str, folds: Folds) -> tuple[str, str, str]:
    """(the text as it stands in the draft, its mark, what the mark stands for); a short text has no mark."""
    if not is_long(text):
        return text, "", ""
    mark = next_mark(folds)
    first, _, rest = text.partition("\n")
    middle, _, last = rest.rpartition("\n")
    if middle.count("\n") < LINES - 4 or max(len(first), len(last)) > SHOWN:
        return mark, mark, text
    return f"{first}\n{mark}\n{last}", mark, middle


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
