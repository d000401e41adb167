"""A screen of cells as an SVG picture that can be compared as text: no font, no address, no number of its own."""

from collections.abc import Iterable, Sequence
from difflib import unified_diff
from html import escape, unescape
from itertools import groupby

from rich.segment import Segment
from rich.style import Style

from htui.present.cells import width

CELL, LINE = 8, 17

_COLOURS = {
    "black": "#1c1c1c",
    "red": "#d0342c",
    "green": "#2e9e44",
    "yellow": "#b58900",
    "blue": "#2f6fd0",
    "magenta": "#a844b0",
    "cyan": "#178f9c",
    "white": "#d0d0d0",
}
_STYLE = "text{font:14px monospace;white-space:pre;fill:#d8d8d8}.dim{opacity:.6}.bold{font-weight:bold}"
_STYLE += ".italic{font-style:italic}.underline{text-decoration:underline}.strike{text-decoration:line-through}"
_STYLE += "".join(f".{name}{{fill:{colour}}}" for name, colour in _COLOURS.items())


def picture(rows: Sequence[Iterable[Segment]], columns: int) -> str:
    """The picture, with its text as the description."""
    lines = [list(row) for row in rows]
    text = "\n".join("".join(segment.text for segment in line).rstrip() for line in lines)
    size = f'viewBox="0 0 {columns * CELL} {len(lines) * LINE}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
        f"<desc>{escape(text)}</desc>",
        f"<style>{_STYLE}</style>",
    ]
    parts.append('<rect width="100%" height="100%" fill="#161616"/>')
    for number, line in enumerate(lines):
        parts += _line(line, number)
    return "\n".join([*parts, "</svg>\n"])


def difference(old: str, new: str) -> str:
    """How two pictures differ: line by line of their texts, or that only colours and the like do."""
    before, after = (text_of(one).split("\n") for one in (old, new))
    if before == after:
        return "The text is the same, styles differ."
    return "\n".join(unified_diff(before, after, "kept", "now", lineterm="", n=1))


def text_of(svg: str) -> str:
    """The rows of a picture."""
    return unescape(svg.partition("<desc>")[2].partition("</desc>")[0])


def _line(line: Iterable[Segment], number: int) -> list[str]:
    found, column = [], 0
    for style, run in groupby(line, key=lambda segment: segment.style or Style.null()):
        text = "".join(segment.text for segment in run)
        size = width(text)
        if text.strip() or style.reverse or style.bgcolor is not None:
            found += _run(text, style, column, size, number)
        column += size
    return found


def _run(text: str, style: Style, column: int, size: int, number: int) -> list[str]:
    x, y = column * CELL, number * LINE
    named = [name for name in ("bold", "dim", "italic", "underline", "strike") if getattr(style, name)]
    colour = style.color.name if style.color is not None and style.color.name in _COLOURS else ""
    parts = []
    if style.reverse:
        parts.append(f'<rect x="{x}" y="{y}" width="{size * CELL}" height="{LINE}" fill="#b0b0b0"/>')
        colour = "black"
    classes = " ".join([*named, *([colour] if colour else [])])
    shown = text.rstrip()
    if shown:
        length = width(shown) * CELL
        given = f' class="{classes}"' if classes else ""
        parts.append(f'<text x="{x}" y="{y + 13}" textLength="{length}"{given}>{escape(shown)}</text>')
    return parts
