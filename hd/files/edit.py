"""A replacement in a text, pure.

The old and the new text come with `\\n`; what the file has at the ends of its lines is matched and kept (cases A01,
A02). Outside the replaced spans nothing changes, by construction: the result is made of slices of the old text. What
does not stand there exactly is looked for once more by `hd.files.tolerant`.
"""

from dataclasses import dataclass
from itertools import pairwise

from hd.files.errors import Code, FileError
from hd.files.lines import Folded, dress, fold, neighbour
from hd.files.nearest import explain_miss
from hd.files.tolerant import Loose, find

_NAMED_PLACES = 20


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the old text, by its offsets, and what stands in its place."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """`lines` are the numbers, from 1 and in the old text, of the lines on which the replaced `spans` begin.
    `apart_from` names in what the sought text was not exactly what stands there."""

    spans: tuple[Span, ...]
    lines: tuple[int, ...]
    apart_from: tuple[str, ...] = ()

    def applied(self, text: str) -> str:
        """The old text with every span replaced."""
        parts: list[str] = []
        kept_from = 0
        for span in self.spans:
            parts += (text[kept_from : span.start], span.new)
            kept_from = span.end
        return "".join((*parts, text[kept_from:]))


def replace(text: str, old: str, new: str, *, everywhere: bool = False) -> Replaced:
    """What becomes of `text` with `old` replaced by `new`: at its only place, or with `everywhere` at all that do not
    overlap.

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
        raise _nothing_to_change()
    places = _places(folded.view, wanted, step=len(wanted) if everywhere else 1)
    if not places:
        return _tolerated(text, folded, wanted, given)
    lines = _line_numbers(folded.view, places)
    if len(places) > 1 and not everywhere:
        raise FileError(Code.EDIT_AMBIGUOUS, _ambiguity(places, lines, len(wanted)))
    return Replaced(tuple(_span(text, folded, place, place + len(wanted), given) for place in places), lines)


def _tolerated(text: str, folded: Folded, wanted: str, given: str) -> Replaced:
    loose = find(folded.view, wanted, given)
    if not isinstance(loose, Loose):
        where = "" if loose is None else ", ".join(map(str, loose.lines))
        raise FileError(Code.EDIT_NOT_FOUND, explain_miss(folded.view, wanted, almost=where))
    if folded.view[loose.start : loose.end] == loose.given:
        raise _nothing_to_change()
    lines = _line_numbers(folded.view, [loose.start])
    return Replaced((_span(text, folded, loose.start, loose.end, loose.given),), lines, loose.apart_from)


def _nothing_to_change() -> FileError:
    return FileError(
        Code.EDIT_EMPTY,
        "old_string and new_string are the same (line endings do not count: the file keeps its own). "
        "Nothing was changed.",
    )


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


def _span(text: str, folded: Folded, view_start: int, view_end: int, given: str) -> Span:
    start, end = folded.place(view_start), folded.place(view_end)
    return Span(start, end, dress(given, text[start:end], neighbour(text, start, end)))


def _ambiguity(places: list[int], lines: tuple[int, ...], length: int) -> str:
    overlap = any(later - earlier < length for earlier, later in pairwise(places))
    numbers = ", ".join(map(str, lines[:_NAMED_PLACES])) + (", …" if len(lines) > _NAMED_PLACES else "")
    return (
        f"old_string stands at {len(places)} places{' that overlap' if overlap else ''}: lines {numbers}. "
        "Nothing was changed. Give more of the text around the one you mean, or set replace_all to change all."
    )
