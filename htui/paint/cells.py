"""A line of the screen as cells, so that two lines can be compared place by place."""

from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len

from htui.present.cells import graphemes
from htui.present.safe import gate

Run = tuple[str, str]
"""Text and the numbers of its SGR sequence, as `1;32`; empty for the terminal's own."""

Runs = tuple[Run, ...]
"""A line: runs of different styles, together as wide as the screen."""


class Cell(NamedTuple):
    """A place of a line. The second place of a wide character has no text and belongs to the one before."""

    text: str
    style: str


def merged(runs: list[Run]) -> Runs:
    """The runs with neighbours of one style joined and nothing in them that a terminal would act on."""
    found: list[Run] = []
    for text, style in runs:
        if not text:
            continue
        if found and found[-1][1] == style:
            found[-1] = (found[-1][0] + text, style)
        else:
            found.append((text, style))
    return tuple((gate(text), style) for text, style in found)


def blank(width: int) -> Runs:
    return ((" " * width, ""),) if width else ()


@lru_cache(maxsize=256)
def cells_of(runs: Runs, width: int) -> tuple[Cell, ...]:
    """Exactly `width` cells: what is missing is blank, what is too much is cut."""
    cells: list[Cell] = []
    for text, style in runs:
        if text.isascii():
            cells.extend(Cell(char, style) for char in text)
            continue
        for part in graphemes(text):
            size = cell_len(part)
            if not size:
                continue
            cells.append(Cell(part, style))
            cells.extend(Cell("", style) for _ in range(size - 1))
    del cells[width:]
    if cells and cells[-1].text and cell_len(cells[-1].text) > 1:
        cells[-1] = Cell(" ", cells[-1].style)
    cells.extend(Cell(" ", "") for _ in range(width - len(cells)))
    return tuple(cells)


def fragile(cell: Cell) -> bool:
    """True for a character whose width terminals disagree about: after it the column is told anew."""
    return len(cell.text) > 1
