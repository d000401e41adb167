"""Cells: how wide text is on a terminal, where its graphemes end, and where a line may break.

Widths are those of rich's tables. A grapheme is what one backspace removes and what a cursor never stands inside.
"""

import re
import unicodedata
from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size

ZWJ = "\u200d"
_WORDS = re.compile(r" +|[^ ]+")
_NO_START = frozenset(
    "、。，．！？：；）］｝」』】》〉〕”’…—～·,.!?:;)]}%°ー々ゝゞっゃゅょぁぃぅぇぉッャュョァィゥェォ"
)
_NO_END = frozenset("（［｛「『【《〈〔“‘([{")


def width(text: str) -> int:
    """Cells that `text` takes; it holds no line break."""
    return len(text) if text.isascii() else cell_len(text)


def graphemes(text: str) -> list[str]:
    """`text` cut into what a person takes for one character."""
    if text.isascii():
        return list(text)
    found: list[str] = []
    start = 0
    for place in range(1, len(text)):
        if not _joined(text, start, place):
            found.append(text[start:place])
            start = place
    if text:
        found.append(text[start:])
    return found


def _joined(text: str, start: int, place: int) -> bool:
    """True when no grapheme ends between `place - 1` and `place`; the running one began at `start`."""
    char, before = text[place], text[place - 1]
    code = ord(char)
    if code < 0x300:
        return False
    if before == "\n":
        return False
    if unicodedata.category(char) in ("Mn", "Me", "Mc") or char in "\u200c\u200d" or 0xE0020 <= code <= 0xE007F:
        return True
    if 0x1F3FB <= code <= 0x1F3FF:
        return not before.isspace() and not before.isascii()
    if before == ZWJ:
        return place - 1 > start
    if 0x1F1E6 <= code <= 0x1F1FF:
        return place - start == 1 and 0x1F1E6 <= ord(before) <= 0x1F1FF
    if 0x1100 <= code <= 0x11FF:
        return _jamo(ord(before), code)
    return _conjunct(code) and _conjunct(ord(before)) and _has_virama(text, start, place)


def _jamo(before: int, code: int) -> bool:
    if not 0x1100 <= before <= 0x11FF:
        return False
    return code >= 0x1160 or before < 0x1160


def _conjunct(code: int) -> bool:
    """Scripts whose consonants join over a virama: Devanagari to Malayalam without Tamil and Kannada."""
    return 0x900 <= code <= 0xD7F and not 0xB80 <= code <= 0xBFF and not 0xC80 <= code <= 0xCFF


def _has_virama(text: str, start: int, place: int) -> bool:
    return place > start and unicodedata.combining(text[place - 1]) == 9


def grapheme_before(text: str, place: int) -> int:
    """Where the grapheme begins that ends at `place`."""
    if place <= 1 or text[place - 1].isascii():
        return max(0, place - 1)
    line = max(text.rfind("\n", 0, place - 1), place - 256)
    start = max(0, line)
    return place - len(graphemes(text[start:place])[-1])


def grapheme_after(text: str, place: int) -> int:
    """Where the grapheme ends that begins at `place`."""
    if place >= len(text):
        return len(text)
    return place + len(graphemes(text[place : place + 256])[0])


def fit(text: str, cells: int) -> str:
    """`text` cut and padded to exactly `cells`."""
    return set_cell_size(text, max(0, cells))


def cut(text: str, cells: int) -> str:
    """`text`, or as much of its beginning as fits with an ellipsis."""
    if cells <= 0:
        return ""
    if width(text) <= cells:
        return text
    kept, used = [], 0
    for part in graphemes(text[: cells * 8]):
        used += width(part)
        if used > cells - 1:
            break
        kept.append(part)
    return "".join(kept).rstrip() + "…"


def breaks(text: str, cells: int) -> list[tuple[int, int]]:
    """(start, end) of the lines that `text` makes at a width, broken at blanks and between wide characters.

    Blanks at a break belong to no line. A line that has begun its successor is final: more text never changes it.
    """
    cells = max(1, cells)
    lines: list[tuple[int, int]] = []
    start = end = used = gap = 0
    for first, last, size, blank in _units(text):
        if blank:
            if first == 0:
                start, end, used = (0, last, size) if size < cells else (last, last, 0)
            else:
                gap = size
            continue
        # A line may hold what takes no cell; that is kept with what comes next.
        held = end > start
        if held and used + gap and used + gap + size > cells:
            lines.append((start, end))
            start, used = first, 0
        elif held:
            used += gap
        else:
            start = first
        used += size
        end, gap = last, 0
        if used > cells:
            *full, (start, end, used) = _chopped(text, start, last, cells)
            lines.extend((begin, stop) for begin, stop, _ in full)
    lines.append((start, end))
    return lines


def chop(text: str, cells: int) -> list[str]:
    """`text` cut into pieces that each fit, at graphemes and not at words."""
    return [text[start:end] for start, end, _ in _chopped(text, 0, len(text), max(1, cells))]


def _chopped(text: str, first: int, last: int, cells: int) -> list[tuple[int, int, int]]:
    """(start, end, cells used) of the pieces of `text[first:last]`, at least one."""
    if text[first:last].isascii():
        starts = range(first, last, cells) or [first]
        return [(place, min(place + cells, last), min(cells, last - place)) for place in starts]
    pieces = []
    start = place = first
    used = 0
    for part in graphemes(text[first:last]):
        size = width(part)
        if used + size > cells and place > start:
            pieces.append((start, place, used))
            start, used = place, 0
        used += size
        place += len(part)
    return [*pieces, (start, place, used)]


def _units(text: str) -> Iterator[tuple[int, int, int, bool]]:
    """(start, end, cells, is blank) of the parts between which a line may break."""
    for match in _WORDS.finditer(text):
        word, first = match.group(), match.start()
        if word[0] == " " or word.isascii():
            yield first, match.end(), len(word), word[0] == " "
        else:
            for begin, end, size in _parts(word):
                yield first + begin, first + end, size, False


def _parts(word: str) -> Iterator[tuple[int, int, int]]:
    """A word with wide characters, cut where a line may break between them."""
    start = place = size = 0
    before = ""
    for part in graphemes(word):
        cells = width(part)
        if before and _may_break(before, part):
            yield start, place, size
            start, size = place, 0
        size += cells
        place += len(part)
        before = part
    yield start, place, size


def _may_break(before: str, part: str) -> bool:
    if part in _NO_START or before in _NO_END:
        return False
    return width(before) == 2 or width(part) == 2
