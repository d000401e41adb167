"""Where a text stands that was copied almost exactly, pure.

Four things get lost or added when a text is copied by eye, and none of them is meant: blanks at the ends of lines,
typographic quotes, the composition of accented letters, and the line numbers with which read_file shows a file. A text
that stands at exactly one place apart from these is taken as meant there, and the result says what was overlooked.
Nothing else is: a text that is merely alike never matches (case A03).
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from hd.files.lines import opcodes

_BLANKS = re.compile(r"(?<![ \t])[ \t]++(?=\n|\Z)")
_QUOTES = {**dict.fromkeys("‘’‚‛", "'"), **dict.fromkeys("“”„‟", '"')}
_QUOTE = re.compile(f"[{''.join(_QUOTES)}]")
_NUMBERED = re.compile(r"(\d+):(?: |\Z)")
_NUMBERS = "the line numbers that read_file adds"
_LONGEST = 1 << 20
_NAMED_PLACES = 20


def _without_blanks(text: str) -> str:
    if " \n" in text or "\t\n" in text or text.endswith((" ", "\t")):
        return "\n".join(line.rstrip(" \t") for line in text.split("\n"))
    return text


def _with_plain_quotes(text: str) -> str:
    return text if text.isascii() else _QUOTE.sub(lambda found: _QUOTES[found[0]], text)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


# None makes or removes a newline, so that the lines of a text keep their numbers.
_FOLDS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("blanks at the ends of lines", _without_blanks),
    ("typographic quotes", _with_plain_quotes),
    ("the composition of accented letters", _composed),
)


@dataclass(frozen=True, slots=True)
class Loose:
    """The only place of the view, `start` to `end`, and what to put there: the new text, in which all that it shares
    with the old one keeps the file's own form. `apart_from` names what was overlooked."""

    start: int
    end: int
    given: str
    apart_from: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Several:
    """The numbers of the first lines, from 1, at which the text would fit; nothing is taken then."""

    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Unit:
    """The least that is compared as a whole: a letter with its marks, or a newline with the blanks before it."""

    own: str
    plain: str


def find(view: str, old: str, new: str) -> Loose | Several | None:
    """Where the folded `old`, which does not stand in the folded `view`, is meant; None where nothing fits."""
    plain_view = _plain(view)
    found = _find(view, plain_view, old, new)
    if found is None and (bare := _without_numbers(old, new)) is not None:
        found = _find(view, plain_view, *bare, numbered=True)
    return found


def _find(view: str, plain_view: str, old: str, new: str, *, numbered: bool = False) -> Loose | Several | None:
    wanted = _plain(old)
    if not wanted.strip():
        return None
    places = _places(plain_view, wanted, begins_line=numbered, ends_line=old[-1] in " \t")
    if len(places) != 1:
        return Several(_line_numbers(plain_view, places)) if places else None
    first, column, region = _lines_at(view, plain_view, places[0], wanted.count("\n"))
    span = _span(region, column, wanted) if len(region) <= _LONGEST else None
    given = None if span is None else _merged(span[1], _units(old), _units(new))
    if span is None or given is None:
        return None
    start, own = first + span[0], "".join(unit.own for unit in span[1])
    apart_from = (*_differences(old, own), *([_NUMBERS] if numbered else []))
    return Loose(start, start + len(own), given, apart_from)


def _plain(text: str) -> str:
    for _, fold in _FOLDS:
        text = fold(text)
    return text


def _places(plain_view: str, wanted: str, *, begins_line: bool, ends_line: bool) -> list[int]:
    """The first places, overlapping ones too. What was copied with the number of its line begins that line, and what
    has blanks at its end ends one, or they would be blanks within it."""
    places: list[int] = []
    at = plain_view.find(wanted)
    while at >= 0 and len(places) < _NAMED_PLACES:
        end = at + len(wanted)
        begins = at == 0 or plain_view[at - 1] == "\n"
        ends = end == len(plain_view) or plain_view[end] == "\n"
        if (begins or not begins_line) and (ends or not ends_line):
            places.append(at)
        at = plain_view.find(wanted, at + 1)
    return places


def _line_numbers(plain_view: str, places: list[int]) -> tuple[int, ...]:
    return tuple(plain_view.count("\n", 0, place) + 1 for place in places)


def _lines_at(view: str, plain_view: str, place: int, newlines: int) -> tuple[int, int, str]:
    """Of the lines over which a text of so many newlines at a place of the plain view goes: where they begin in the
    view, the place as a column of the plain first line, and the lines as they stand in the view."""
    first = 0
    for _ in range(plain_view.count("\n", 0, place)):
        first = view.index("\n", first) + 1
    end = first
    for _ in range(newlines + 1):
        found = view.find("\n", end)
        end = len(view) if found < 0 else found + 1
    return first, place - (plain_view.rfind("\n", 0, place) + 1), view[first:end]


def _units(text: str) -> list[_Unit]:
    units: list[_Unit] = []
    at = 0
    while at < len(text):
        if blanks := _BLANKS.match(text, at):
            end = min(blanks.end() + 1, len(text))
            plain = text[blanks.end() : end]
        else:
            end = at + 1
            while end < len(text) and _joins(text[end]):
                end += 1
            plain = _composed(_with_plain_quotes(text[at:end]))
        units.append(_Unit(text[at:end], plain))
        at = end
    return units


def _joins(sign: str) -> bool:
    """Whether it may compose with the letter before it: a mark, or the second or third part of a Hangul syllable."""
    return unicodedata.combining(sign) != 0 or "\u1160" <= sign <= "\u11ff"


def _span(region: str, column: int, wanted: str) -> tuple[int, list[_Unit]] | None:
    """Where in these lines of the file the units begin that are `wanted`, from this column on, and the units; None
    where it would cut one in two."""
    taken: list[_Unit] = []
    start = at = plain_at = 0
    for unit in _units(region):
        if column <= plain_at < column + len(wanted) and unit.plain:
            start = start if taken else at
            taken.append(unit)
        at, plain_at = at + len(unit.own), plain_at + len(unit.plain)
    return (start, taken) if "".join(unit.plain for unit in taken) == wanted else None


def _merged(here: list[_Unit], old: list[_Unit], new: list[_Unit]) -> str | None:
    """The new text, in which what the old one has too is written as it stands in the file."""
    if old and not old[-1].plain:
        # Blanks behind the last letter have no counterpart in the file; the same ones in the new text mean nothing.
        if new and new[-1] == old[-1]:
            new = new[:-1]
        old = old[:-1]
    if [unit.plain for unit in here] != [unit.plain for unit in old]:
        return None
    parts: list[str] = []
    for tag, a, b, c, d in opcodes([unit.own for unit in old], [unit.own for unit in new]):
        parts += (unit.own for unit in (here[a:b] if tag == "equal" else new[c:d]))
    return "".join(parts)


def _differences(old: str, own: str) -> list[str]:
    """The folds without which the two texts would not be the same."""
    named: list[str] = []
    for name, _ in _FOLDS:
        left, right = old, own
        for other, fold in _FOLDS:
            if other != name:
                left, right = fold(left), fold(right)
        if left != right:
            named.append(name)
    return named


def _without_numbers(old: str, new: str) -> tuple[str, str] | None:
    """Both texts without the line numbers; None where the old one has none that count upwards, or where the new one
    has them on some of its lines only and it is unclear what is meant."""
    found = [_NUMBERED.match(line) for line in _rows(old)]
    numbers = [int(one[1]) for one in found if one is not None]
    if not numbers or numbers != list(range(numbers[0], numbers[0] + len(found))):
        return None
    marked = [_NUMBERED.match(line) is not None for line in _rows(new)]
    if any(marked) and not all(marked):
        return None
    return _bare(old), _bare(new)


def _rows(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _bare(text: str) -> str:
    rows = (_NUMBERED.sub("", line, count=1) if _NUMBERED.match(line) else line for line in _rows(text))
    return "\n".join(rows) + ("\n" if text.endswith("\n") else "")
