"""Why a text was not found: the line of the file that comes nearest, and in what it differs. Pure and bounded."""

import unicodedata
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher

from hd.files.encoding import shown
from hd.files.lines import split

_COMPARED_LINES = 10_000
_COMPARED_LENGTH = 400
_SHOWN_LENGTH = 300
_COMMON = 20
_WORTH_SHOWING = 0.5
_FULL_RATIOS = 200


@dataclass(frozen=True, slots=True)
class Near:
    """`number` counts the file's lines from 1; `wanted` is the line of the sought text that belongs there."""

    number: int
    line: str
    wanted: str


def explain_miss(view: str, wanted: str, almost: str = "") -> str:
    """The refusal for a folded text in which the folded `wanted` does not stand. `almost` are the lines at which it
    would but for what the eye does not see, where these are several."""
    if almost:
        return (
            "old_string does not stand in the file exactly, and apart from blanks, quotes and accents it fits at "
            f"several places: lines {almost}. Nothing was changed. Copy the text exactly, with more of what is around "
            "it."
        )
    near = nearest(split(view), wanted.split("\n"))
    start = "old_string does not stand in the file. Nothing was changed. "
    if near is None:
        return start + "No line comes near it. Read the file again and copy the text exactly."
    if near.line == near.wanted:
        return (
            start + f"Its line {_quoted(near.line)} stands at line {near.number}, but what is around it differs, or "
            "that line goes on. Read that part again and copy the text exactly."
        )
    return (
        start + f"The nearest is line {near.number}:\n{near.number}: {_clip(near.line)}\nwhere old_string has:\n"
        f"{_clip(near.wanted)}\n{_difference(near)}Copy the text exactly as it stands in the file."
    )


def nearest(lines: list[str], wanted: list[str]) -> Near | None:
    """Where the sought lines come nearest: by the lines that are the same if there are any, else by likeness."""
    lines = lines[:_COMPARED_LINES]
    return _by_anchor(lines, wanted) or _by_likeness(lines, wanted)


def _by_anchor(lines: list[str], wanted: list[str]) -> Near | None:
    """Lines that stand in both vote for how far apart they are; the first line that breaks the winner is the answer."""
    where: dict[str, list[int]] = {line: [] for line in wanted if line.strip()}
    for index, line in enumerate(lines):
        if line in where and len(where[line]) <= _COMMON:
            where[line].append(index)
    votes = Counter(
        index - step
        for step, line in enumerate(wanted)
        for index in where.get(line, ())
        if len(where[line]) <= _COMMON and index >= step
    )
    if not votes:
        return None
    shift = min(votes, key=lambda key: (-votes[key], key))
    for step, line in enumerate(wanted):
        at = shift + step
        if at < len(lines) and not _fits(lines[at], line, first=step == 0, last=step == len(wanted) - 1):
            return Near(at + 1, lines[at], line)
    first = next(step for step, line in enumerate(wanted) if shift + step < len(lines) and lines[shift + step] == line)
    return Near(shift + first + 1, wanted[first], wanted[first])


def _fits(here: str, line: str, *, first: bool, last: bool) -> bool:
    """Whether the sought line stands here; the sought text may begin and end in the middle of a line."""
    return here == line or (first and here.endswith(line)) or (last and here.startswith(line))


def _by_likeness(lines: list[str], wanted: list[str]) -> Near | None:
    target = max(wanted, key=lambda line: len(line.strip()))
    if not target.strip():
        return None
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(target[:_COMPARED_LENGTH])
    rough: list[tuple[float, int]] = []
    for index, line in enumerate(lines):
        matcher.set_seq1(line[:_COMPARED_LENGTH])
        if matcher.real_quick_ratio() >= _WORTH_SHOWING and (ratio := matcher.quick_ratio()) >= _WORTH_SHOWING:
            rough.append((-ratio, index))
    best, found = 0.0, None
    for _, index in sorted(rough)[:_FULL_RATIOS]:
        matcher.set_seq1(lines[index][:_COMPARED_LENGTH])
        if (ratio := matcher.ratio()) > best:
            best, found = ratio, index
    if found is None or best < _WORTH_SHOWING:
        return None
    return Near(found + 1, lines[found], target)


def _difference(near: Near) -> str:
    """What kind of difference it is, where the eye does not see it."""
    here, there = near.line, near.wanted
    if here.split() == there.split():
        return "They differ only in white space. "
    if unicodedata.normalize("NFC", here) == unicodedata.normalize("NFC", there):
        return "They differ only in how accented letters are composed (Unicode normalisation). "
    if unicodedata.normalize("NFKC", here) == unicodedata.normalize("NFKC", there):
        return "They differ only in the form of characters that look alike. "
    if here.casefold() == there.casefold():
        return "They differ only in upper and lower case. "
    return ""


def _clip(line: str) -> str:
    readable = shown(line)
    return readable if len(readable) <= _SHOWN_LENGTH else f"{readable[:_SHOWN_LENGTH]}… ({len(readable)} characters)"


def _quoted(line: str) -> str:
    return f"“{_clip(line.strip())}”"
