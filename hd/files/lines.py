"""Lines and their endings.

A line ends with `\\n` or `\\r\\n`; nothing else ends one (a form feed or U+2028 is text). The model sees and sends
`\\n` only: `fold` gives that view and the way back from a place in it to the place in the file.
"""

from bisect import bisect_left
from dataclasses import dataclass
from difflib import SequenceMatcher

# Beyond this many pairs of lines, alignment is by position: difflib's worst case is quadratic.
_ALIGN_LIMIT = 4_000_000


@dataclass(frozen=True, slots=True)
class Folded:
    """`view` is the text with `\\n` only; `carriage` the places in it of each `\\n` that was `\\r\\n`, ascending."""

    view: str
    carriage: tuple[int, ...] = ()

    def place(self, offset: int) -> int:
        """The offset in the file's own text of an offset in the view."""
        return offset + bisect_left(self.carriage, offset)


def fold(text: str) -> Folded:
    # One letter is found much faster than two, and most files have none of it.
    if "\r" not in text or "\r\n" not in text:
        return Folded(text)
    carriage: list[int] = []
    at = text.find("\r\n")
    while at >= 0:
        carriage.append(at - len(carriage))
        at = text.find("\r\n", at + 2)
    return Folded(text.replace("\r\n", "\n"), tuple(carriage))


def split(view: str) -> list[str]:
    """The lines of a folded text without their endings; a final newline ends the last line and begins no other."""
    lines = view.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def style(text: str) -> str:
    """`LF`, `CRLF`, `mixed`, or `none` for a text of one line."""
    feeds, pairs = text.count("\n"), text.count("\r\n")
    if not feeds:
        return "none"
    return "CRLF" if pairs == feeds else "mixed" if pairs else "LF"


def dress(new: str, old: str, last: str) -> str:
    """The folded `new` with the line endings of `old`, the text it replaces.

    A line that stays keeps its ending; a new one takes that of the line it replaces or follows. `last` is the ending
    that stands behind `old` in the file, thus that of its last line.
    """
    if "\n" not in new:
        return new
    contents, endings = _segments(old, last)
    if len(set(endings)) == 1:
        return new.replace("\n", last)
    lines = new.split("\n")
    current = endings[0]
    parts: list[str] = []
    for line, partner in zip(lines[:-1], _partners(contents, lines), strict=False):
        current = current if partner is None else endings[partner]
        parts += (line, current)
    return "".join((*parts, lines[-1]))


def neighbour(text: str, start: int, end: int) -> str:
    """The ending of the line on which the span ends, else of the one before it, else `\\n`."""
    feed = text.find("\n", end)
    if feed < 0:
        feed = text.rfind("\n", 0, start)
    return "\r\n" if feed > 0 and text[feed - 1] == "\r" else "\n"


def _segments(text: str, last: str) -> tuple[list[str], list[str]]:
    """The lines of the text and the ending of each; the last one, which may be empty, ends with `last`."""
    *full, rest = text.split("\n")
    endings = ["\r\n" if piece.endswith("\r") else "\n" for piece in full]
    return [*(piece.removesuffix("\r") for piece in full), rest], [*endings, last]


def _partners(old: list[str], new: list[str]) -> list[int | None]:
    """For each new line the index of the old line that it is or replaces."""
    partners: list[int | None] = [None] * len(new)
    for _, old_from, old_to, new_from, new_to in opcodes(old, new):
        for step in range(min(old_to - old_from, new_to - new_from)):
            partners[new_from + step] = old_from + step
    return partners


def opcodes(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    """The difference of two lists of lines as difflib's opcodes, in bounded time.

    What both begin and end with is set aside first; if too much is left in between, it counts as one replacement.
    """
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    codes = [("equal", 0, head, 0, head)] if head else []
    for tag, a, b, c, d in _middle(middle_old, middle_new):
        codes.append((tag, a + head, b + head, c + head, d + head))
    if tail:
        codes.append(("equal", len(old) - tail, len(old), len(new) - tail, len(new)))
    return codes


def _middle(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    if not old and not new:
        return []
    if not old:
        return [("insert", 0, 0, 0, len(new))]
    if not new:
        return [("delete", 0, len(old), 0, 0)]
    if len(old) * len(new) > _ALIGN_LIMIT:
        return [("replace", 0, len(old), 0, len(new))]
    return [(str(tag), a, b, c, d) for tag, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes()]
