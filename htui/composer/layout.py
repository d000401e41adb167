"""How a draft stands on the screen: lines of cells, and the place of the caret (cases J01, J02)."""

from dataclasses import dataclass

from htui.composer.draft import Draft
from htui.composer.folds import Folds, label
from htui.present.cells import chop, graphemes, width
from htui.present.safe import TAB, safe


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of the screen: `text` is safe, `starts` are the places in the draft of its graphemes, by column.

    The last of `starts` is the place behind the line.
    """

    text: str
    starts: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """All lines, and where the caret is: column and line."""

    pieces: tuple[Piece, ...]
    column: int
    line: int


def lay_out(draft: Draft, folds: Folds, cells: int) -> Layout:
    """The draft at a width; a line that is full goes on in the next."""
    cells = max(2, cells)
    pieces: list[Piece] = []
    column = line = 0
    place = 0
    for text in draft.text.split("\n"):
        lines = _ascii(text, place, cells) if _is_simple(text, folds) else _any(text, place, folds, cells)
        end = place + len(text)
        if place <= draft.caret <= end:
            column, at = _caret(lines, draft.caret, cells)
            line = len(pieces) + at
            if at == len(lines):
                lines.append(Piece("", ((0, end),)))
        pieces.extend(lines)
        place = end + 1
    return Layout(tuple(pieces), column, line)


def vertical(layout: Layout, draft: Draft, by: int, goal: int) -> int | None:
    """The place in the draft `by` lines further down at the column `goal`; None when there is no such line."""
    line = layout.line + by
    if not 0 <= line < len(layout.pieces):
        return None
    starts = layout.pieces[line].starts
    found = starts[0][1]
    for column, place in starts:
        if column > goal:
            break
        found = place
    return found


def shown(part: str, folds: Folds) -> str:
    """What stands on the screen for a grapheme of a draft."""
    folded = folds.get(part)
    if folded is not None:
        return label(folded)
    return " " * TAB if part == "\t" else safe(part)


def _is_simple(text: str, folds: Folds) -> bool:
    return text.isascii() and (not text or text.isprintable())


def _ascii(text: str, place: int, cells: int) -> list[Piece]:
    pieces = []
    for start in range(0, len(text), cells) or [0]:
        part = text[start : start + cells]
        starts = tuple((column, place + start + column) for column in range(len(part) + 1))
        pieces.append(Piece(part, starts))
    return pieces


def _any(text: str, place: int, folds: Folds, cells: int) -> list[Piece]:
    pieces: list[Piece] = []
    parts: list[str] = []
    starts: list[tuple[int, int]] = []
    column = 0
    for part in graphemes(text):
        for index, seen in enumerate(chop(shown(part, folds), cells) or [""]):
            size = width(seen)
            if column + size > cells and parts:
                pieces.append(Piece("".join(parts), (*starts, (column, place))))
                parts, starts, column = [], [], 0
            if not index:
                starts.append((column, place))
            elif not starts:
                starts.append((0, place))
            parts.append(seen)
            column += size
        place += len(part)
    pieces.append(Piece("".join(parts), (*starts, (column, place))))
    return pieces


def _caret(lines: list[Piece], caret: int, cells: int) -> tuple[int, int]:
    """(column, line) of the caret; behind a full last line it stands at the beginning of the next one."""
    column = line = 0
    for at, piece in enumerate(lines):
        starts = piece.starts if at == len(lines) - 1 else piece.starts[:-1]
        for start, place in starts:
            if place > caret:
                return column, line
            column, line = start, at
    return (column, line) if column < cells else (0, line + 1)
