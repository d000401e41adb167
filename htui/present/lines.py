"""Styled lines: the form in which text leaves `present`.

A `Line` is a tuple of spans, a span a piece of safe text with the roles it is shown in (names of `htui/theme.py`,
joined by blanks). Nothing here knows a colour.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from htui.present.cells import breaks, chop, cut, width


class Span(NamedTuple):
    text: str
    role: str = ""


Line = tuple[Span, ...]

EMPTY: Line = ()

GUTTER = "gutter"
"""The role of what stands before a text without being a part of it."""


def line(*parts: Span | str) -> Line:
    """A line of spans and plain texts; empty ones are left out."""
    spans = (part if isinstance(part, Span) else Span(part) for part in parts)
    return tuple(span for span in spans if span.text)


def text_of(line: Line) -> str:
    return "".join(span.text for span in line)


def cells_of(line: Line) -> int:
    return sum(width(span.text) for span in line)


def bare(line: Line) -> Line:
    """The line without its gutter, as it is to be copied."""
    return tuple(span for span in line if GUTTER not in span.role)


def with_role(line: Line, role: str) -> Line:
    """The line with `role` added to every span."""
    return tuple(Span(span.text, f"{span.role} {role}" if span.role else role) for span in line)


def cut_line(line: Line, cells: int) -> Line:
    """The line, or as much of it as fits, the last span with an ellipsis."""
    if cells_of(line) <= cells:
        return line
    kept: list[Span] = []
    for span in line:
        size = width(span.text)
        if size >= cells:
            return (*kept, Span(cut(span.text + "……", cells), span.role))
        kept.append(span)
        cells -= size
    return tuple(kept)


def pad_line(line: Line, cells: int, role: str = "") -> Line:
    """The line filled up with blanks to `cells`."""
    missing = cells - cells_of(line)
    return (*line, Span(" " * missing, role)) if missing > 0 else line


def slice_spans(spans: Sequence[Span], ranges: Iterable[tuple[int, int]]) -> list[Line]:
    """The pieces of the joined text at `ranges` (ascending, in characters), with their roles."""
    lines = []
    index, offset = 0, 0
    for start, end in ranges:
        found: list[Span] = []
        while index < len(spans) and offset + len(spans[index].text) <= start:
            offset += len(spans[index].text)
            index += 1
        place, at = index, offset
        while place < len(spans) and at < end:
            span = spans[place]
            text = span.text[max(0, start - at) : end - at]
            if text:
                found.append(Span(text, span.role))
            at += len(span.text)
            place += 1
        lines.append(tuple(found))
    return lines


def wrap(spans: Sequence[Span], cells: int) -> list[Line]:
    """The spans as lines of at most `cells`; a line break inside a span begins a new line."""
    lines: list[Line] = []
    for part in split_lines(spans):
        if len(part) == 1:
            span = part[0]
            lines.extend((Span(span.text[a:b], span.role),) if b > a else EMPTY for a, b in breaks(span.text, cells))
        elif part and part[-1].text[-1] != " " and cells_of(tuple(part)) <= cells:
            lines.append(tuple(part))
        elif part:
            lines.extend(slice_spans(part, breaks("".join(span.text for span in part), cells)))
        else:
            lines.append(EMPTY)
    return lines


def chop_spans(spans: Sequence[Span], cells: int) -> list[Line]:
    """Like `wrap` for one line, cut at the last cell that fits and not at words."""
    text = "".join(span.text for span in spans)
    ranges, place = [], 0
    for piece in chop(text, cells):
        ranges.append((place, place + len(piece)))
        place += len(piece)
    return slice_spans(spans, ranges)


def split_lines(spans: Sequence[Span]) -> list[list[Span]]:
    """The spans divided at the line breaks inside them."""
    lines: list[list[Span]] = [[]]
    for span in spans:
        first, *rest = span.text.split("\n")
        if first:
            lines[-1].append(Span(first, span.role))
        lines.extend([Span(text, span.role)] if text else [] for text in rest)
    return lines


def indent(lines: Iterable[Line], first: Span, rest: Span) -> list[Line]:
    """Every line behind a prefix, the first one behind `first`."""
    found: list[Line] = []
    for line in lines:
        head = rest if found else first
        found.append((head, *line) if head.text and (line or not found) else line)
    return found


def rule_line(title: str, side: Span, cells: int, role: str = "muted") -> Line:
    """`── title ───────── side ──`; the side is more important than the title, which is shown in `role`."""
    right = f" {cut(side.text, cells - 6)} " if side.text and cells > 12 else ""
    room = cells - width(right) - (2 if right else 0) - 5
    left = f" {cut(title, room)} " if title and room > 3 else ""
    fill = cells - width(left) - width(right) - (2 if left else 0) - (2 if right else 0)
    return (
        Span("──" if left else "", "rule"),
        Span(left, role),
        Span("─" * max(0, fill), "rule"),
        Span(right, side.role),
        Span("──" if right else "", "rule"),
    )
