"""A page of a long output: numbered lines out of pieces of text, all of them or those that a filter finds."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from hd.files.matcher import Matcher

WIDTH: Final = 2_000
"""Characters of a row; a longer line is several rows, so that no part of an output is out of reach."""

MOST_CHARACTERS: Final = 50_000


@dataclass(frozen=True, slots=True)
class Page:
    """Rows by their numbers, counted from 1. `total` are the rows that were looked at: all of them unless `more`.

    `more` says that there are rows behind the last one given, `ended` that the filter was given up.
    """

    rows: tuple[tuple[int, str], ...]
    total: int
    more: bool
    ended: bool = False


def page(blocks: Iterable[str], first: int, limit: int) -> Page:
    """At most `limit` rows from row `first` on, and how many there are in all."""
    taken: list[tuple[int, str]] = []
    room, total, more = MOST_CHARACTERS, 0, False
    for rows in _rows(blocks):
        for number in range(max(first, total + 1), total + len(rows) + 1):
            text = rows[number - total - 1]
            if more or len(taken) == limit or (taken and len(text) > room):
                more = True
                break
            taken.append((number, text))
            room -= len(text) + 8
        total += len(rows)
    return Page(tuple(taken), total, more)


def matching(
    blocks: Iterable[str], first: int, limit: int, pattern: str, *, seconds: float, may_go_on: Callable[[], bool]
) -> Page:
    """The same of the rows in which a regular expression is found, long ones clipped around it.

    It is tried in a process of its own (`hd.files.matcher`). FileError for a pattern that is none.
    """
    taken: list[tuple[int, str]] = []
    room, total = MOST_CHARACTERS, 0
    with Matcher(pattern, most=limit + 1, seconds=seconds, may_go_on=may_go_on) as matcher:
        for rows in _rows(blocks):
            skipped = min(max(first - 1 - total, 0), len(rows))
            for number, text in matcher.lines("\n".join(rows[skipped:])) if skipped < len(rows) else ():
                if len(taken) == limit or len(text) > room:
                    return Page(tuple(taken), total, True)
                taken.append((total + skipped + number, text))
                room -= len(text) + 8
            if matcher.ended:
                return Page(tuple(taken), total, True, ended=True)
            total += len(rows)
    return Page(tuple(taken), total, False)


def _rows(blocks: Iterable[str]) -> Iterator[list[str]]:
    for block in blocks:
        lines = block.split("\n")
        if not lines[-1]:
            lines.pop()
        if max(map(len, lines), default=0) > WIDTH:
            lines = [part for line in lines for part in _parts(line)]
        yield lines


def _parts(line: str) -> list[str]:
    return [line[start : start + WIDTH] for start in range(0, len(line), WIDTH)] or [line]
