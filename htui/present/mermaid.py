"""Mermaid diagrams as lines of text: termaid draws them, and what it cannot draw exactly stays source.

termaid counts cells in its own way. Where it differs from ours, as for emoji of several characters or letters with
combining accents, the text is replaced by single characters of the right width, which are taken back in the drawing.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from htui.present.cells import graphemes, width
from htui.present.guarded import guarded
from htui.present.safe import safe

LARGEST = 16 * 1024
"""Characters; a longer source is not drawn (CLIENT 7)."""
SECONDS = 0.25
KEPT = 64
"""Drawings that are remembered: a diagram at the end of a growing answer is shown again with every piece of it."""

_KINDS = re.compile(r"(?:graph|flowchart|sequenceDiagram|stateDiagram|classDiagram|erDiagram)\b")
_COMMENT = re.compile(r"^\s*%%.*(?:\n|\Z)", re.MULTILINE)
_FRONT = re.compile(r"\A---\s*\n.*?\n---\s*\n", re.DOTALL)
_SIZES = ((2, 4), (1, 2))
"""Blanks in the boxes and between them, the roomiest first."""
_QUOTED = re.compile(r'"[^"\n]*"')
_STAND_INS = {1: (0x10280, 0x1029C), 2: (0x2F800, 0x2FA1D)}
"""Letters of one and of two cells that nobody writes (Lycian, compatibility ideographs), first and last."""


def is_mermaid(language: str) -> bool:
    return language.strip().lower().partition(" ")[0] == "mermaid"


def diagram_lines(source: str, cells: int) -> tuple[str, ...] | None:
    """The drawing of at most `cells` width as safe lines; None when the source has to be shown instead."""
    if len(source) > LARGEST:
        return None
    return _drawn(source, cells)


@lru_cache(KEPT)
def _drawn(source: str, cells: int) -> tuple[str, ...] | None:
    text = _COMMENT.sub("", _FRONT.sub("", safe(source).strip() + "\n")).strip()
    if _KINDS.match(text) is None:
        return None
    if guarded(_load) is None:
        return None
    return guarded(lambda: _first_that_fits(text, cells), SECONDS)


def _load() -> bool:
    """Loads the library, whose time is not that of the diagram."""
    import termaid

    return bool(termaid.render)


def _first_that_fits(text: str, cells: int) -> tuple[str, ...] | None:
    if not _closed(text):
        return None
    drawn, originals = _with_stand_ins(text)
    for padding, gap in _SIZES:
        lines = _trimmed(_render(drawn, padding, gap))
        restored = tuple("".join(originals.get(char, char) for char in line) for line in lines)
        if not restored:
            return None
        if all(width(line) <= cells for line in restored):
            return tuple(map(safe, restored))
    return None


def _render(text: str, padding: int, gap: int) -> list[str]:
    from termaid import render

    return render(text, padding_x=padding, padding_y=0, gap=gap).split("\n")


def _closed(text: str) -> bool:
    """False for a flowchart with a box that is not closed, which termaid would cut off without a word."""
    if not text.startswith(("graph", "flowchart")):
        return True
    plain = _QUOTED.sub("", text)
    return all(plain.count(opening) <= plain.count(closing) for opening, closing in ("[]", "()", "{}"))


def _trimmed(lines: Iterable[str]) -> list[str]:
    """Without blank lines around the drawing and the blanks that stand before all of it."""
    found = [line.rstrip() for line in lines]
    while found and not found[0]:
        del found[0]
    while found and not found[-1]:
        del found[-1]
    lead = min((len(line) - len(line.lstrip(" ")) for line in found if line), default=0)
    return [line[lead:] for line in found]


def _with_stand_ins(text: str) -> tuple[str, dict[str, str]]:
    """`text` with graphemes that termaid takes for another width replaced, and what stands for what.

    Raises ValueError for a grapheme that no stand-in fits, and when there are too many.
    """
    if text.isascii():
        return text, {}
    from termaid.utils import display_width

    found: dict[str, str] = {}
    free = {size: _unused(text, size) for size in _STAND_INS}
    parts = []
    for part in graphemes(text):
        if not part.isascii() and display_width(part) != width(part):
            if part not in found:
                found[part] = next(free[width(part)]) if width(part) in free else ""
            if not found[part]:
                raise ValueError(part)
            part = found[part]
        parts.append(part)
    return "".join(parts), {char: part for part, char in found.items()}


def _unused(text: str, size: int) -> Iterator[str]:
    first, last = _STAND_INS[size]
    return (char for char in map(chr, range(first, last + 1)) if char not in text)
