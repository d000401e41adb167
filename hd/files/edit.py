"""An exact replacement in a text, pure.

The old and the new text come with `\\n`; what the file has at the ends of its lines is matched and kept (cases A01,
A02). Outside the replaced spans nothing changes, by construction: the result is made of slices of the old text.
"""

from dataclasses import dataclass
from itertools import pairwise

from hd.files.errors import Code, FileError
from hd.files.lines import Folded, dress, fold, neighbour
from hd.files.nearest import explain_miss

_NAMED_PLACES = 20


@dataclass(frozen=True, slots=True)
class Replaced:
    """`lines` are the numbers, from 1 and in the old text, of the lines on which the replaced spans begin."""

    text: str
    lines: tuple[int, ...]


def replace(text: str, old: str, new: str, *, everywhere: bool = False) -> Replaced:
    """`text` with `old` replaced by `new`: its only place, or with `everywhere` all places that do not overlap.

    Raises `FileError`: FS_EDIT_EMPTY when there is nothing to look for or to change, FS_EDIT_NOT_FOUND with the nearest
    line, FS_EDIT_AMBIGUOUS with the line numbers.
    """
    folded, wanted, given = fold(text), fold(old).view, fold(new).view
    if not wanted:
        raise FileError(
            Code.EDIT_EMPTY,
            "old_string is empty, so there is no place to change. Nothing was changed. Give the text to replace; "
            "a new file is written with write_file.",
        )
    if wanted == given:
        raise FileError(
            Code.EDIT_EMPTY,
            "old_string and new_string are the same (line endings do not count: the file keeps its own). "
            "Nothing was changed.",
        )
    places = _places(folded.view, wanted, step=len(wanted) if everywhere else 1)
    if not places:
        raise FileError(Code.EDIT_NOT_FOUND, explain_miss(folded.view, wanted))
    lines = _line_numbers(folded.view, places)
    if len(places) > 1 and not everywhere:
        raise FileError(Code.EDIT_AMBIGUOUS, _ambiguity(places, lines, len(wanted)))
    return Replaced(_spliced(text, folded, places, len(wanted), given), lines)


def _places(view: str, wanted: str, step: int) -> list[int]:
    places: list[int] = []
    at = view.find(wanted)
    while at >= 0:
        places.append(at)
        at = view.find(wanted, at + step)
    return places


def _line_numbers(view: str, places: list[int]) -> tuple[int, ...]:
    numbers: list[int] = []
    number, before = 1, 0
    for place in places:
        number += view.count("\n", before, place)
        before = place
        numbers.append(number)
    return tuple(numbers)


def _spliced(text: str, folded: Folded, places: list[int], length: int, given: str) -> str:
    parts: list[str] = []
    kept_from = 0
    for place in places:
        start, end = folded.place(place), folded.place(place + length)
        parts += (text[kept_from:start], dress(given, text[start:end], neighbour(text, start, end)))
        kept_from = end
    return "".join((*parts, text[kept_from:]))


def _ambiguity(places: list[int], lines: tuple[int, ...], length: int) -> str:
    overlap = any(later - earlier < length for earlier, later in pairwise(places))
    numbers = ", ".join(map(str, lines[:_NAMED_PLACES])) + (", …" if len(lines) > _NAMED_PLACES else "")
    return (
        f"old_string stands at {len(places)} places{' that overlap' if overlap else ''}: lines {numbers}. "
        "Nothing was changed. Give more of the text around the one you mean, or set replace_all to change all."
    )
