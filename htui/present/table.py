"""Tables by display width; where the columns would get too narrow they become records (CLIENT 7)."""

from collections.abc import Sequence

from htui.present.cells import width
from htui.present.lines import EMPTY, Line, Span, cells_of, pad_line, split_lines, text_of, with_role, wrap

Cell = Sequence[Span]

NARROWEST = 12
"""Cells a column needs before a table that does not fit as it is becomes a list of records."""

_RULE = 20
_BAR = Span(" │ ", "rule")


def table_lines(
    header: Sequence[Cell], rows: Sequence[Sequence[Cell]], aligns: Sequence[str], cells: int
) -> list[Line]:
    """The lines of a table of at most `cells` width. `aligns` are `left`, `right` or `center`."""
    columns = len(header)
    if not columns:
        return []
    full = [_filled(row, columns) for row in rows]
    natural = [max(_widest(row[place]) for row in [list(header), *full]) for place in range(columns)]
    room = cells - 3 * (columns - 1)
    if sum(natural) <= room:
        return _drawn(header, full, aligns, natural)
    if room < NARROWEST * columns:
        return _records(header, full, cells)
    return _drawn(header, full, aligns, _shrunk(natural, room))


def _filled(row: Sequence[Cell], columns: int) -> list[Cell]:
    return [*row[:columns], *([] for _ in range(columns - len(row)))]


def _widest(cell: Cell) -> int:
    return max((sum(width(span.text) for span in part) for part in split_lines(cell)), default=0) or 1


def _shrunk(natural: Sequence[int], room: int) -> list[int]:
    """Widths that fit: narrow columns keep theirs, the wide ones share what is left."""
    widths = list(natural)
    open_columns = set(range(len(widths)))
    while open_columns:
        share = (room - sum(widths[i] for i in range(len(widths)) if i not in open_columns)) // len(open_columns)
        fitting = {i for i in open_columns if natural[i] <= share}
        if not fitting:
            for i in open_columns:
                widths[i] = max(1, share)
            break
        open_columns -= fitting
    return widths


def _drawn(
    header: Sequence[Cell], rows: Sequence[Sequence[Cell]], aligns: Sequence[str], widths: list[int]
) -> list[Line]:
    strong = [with_role(tuple(cell), "strong") for cell in header]
    rule = (Span("─┼─".join("─" * size for size in widths), "rule"),)
    lines = [*_row(strong, aligns, widths), rule]
    for row in rows:
        lines.extend(_row(row, aligns, widths))
    return lines


def _row(row: Sequence[Cell], aligns: Sequence[str], widths: Sequence[int]) -> list[Line]:
    columns = [wrap(cell, size) for cell, size in zip(row, widths, strict=False)]
    lines: list[Line] = []
    for place in range(max(len(column) for column in columns)):
        spans: list[Span] = []
        for index, column in enumerate(columns):
            text = column[place] if place < len(column) else EMPTY
            align = aligns[index] if index < len(aligns) else "left"
            last = index == len(columns) - 1
            spans.extend(_aligned(text, widths[index], align, pad=not last))
            if not last:
                spans.append(_BAR)
        lines.append(tuple(spans))
    return lines


def _aligned(line: Line, size: int, align: str, *, pad: bool) -> Line:
    missing = size - cells_of(line)
    before = missing if align == "right" else missing // 2 if align == "center" else 0
    shifted = (Span(" " * before), *line) if before > 0 else line
    return pad_line(shifted, size) if pad else shifted


def _records(header: Sequence[Cell], rows: Sequence[Sequence[Cell]], cells: int) -> list[Line]:
    lines: list[Line] = []
    for place, row in enumerate(rows):
        if place:
            lines.append((Span("─" * min(_RULE, cells), "rule"),))
        for name, cell in zip(header, row, strict=False):
            if text_of(tuple(cell)).strip():
                title = with_role(tuple(name), "strong")
                lines.extend(wrap([*title, Span(": "), *cell], cells))
    return lines or [with_role(tuple(span for cell in header for span in (*cell, Span(" "))), "strong")]
