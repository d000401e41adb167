"""A list of names with their values, for panels: pure."""

from collections.abc import Iterable

from htui.present.lines import Line, Span, indent, wrap

_NAMES = 11
"""Cells of the names."""


def named_lines(rows: Iterable[tuple[str, str]], cells: int) -> list[Line]:
    """A line or more for each row that has a value. A name for which there is no room beside it stands above it."""
    lines: list[Line] = []
    for name, value in rows:
        if not value:
            continue
        if len(name) < _NAMES:
            wrapped = wrap([Span(value)], max(1, cells - _NAMES))
            lines += indent(wrapped, Span(f"{name:<{_NAMES}}", "muted"), Span(" " * _NAMES))
        else:
            lines += wrap([Span(name, "muted")], cells)
            lines += indent(wrap([Span(value)], max(1, cells - 2)), Span("  "), Span("  "))
    return lines
