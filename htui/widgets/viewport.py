"""Which lines of a long list of blocks are visible: pure.

The place is kept as a block and a line in it, never as a number of lines from the beginning. So nothing has to be
measured but the blocks that are seen: opening, resizing and scrolling cost the height of the screen, whether there are
ten blocks or a hundred thousand, and blocks that come above or below never move what is read.
"""

from collections.abc import Callable
from typing import NamedTuple

Height = Callable[[int], int]
"""Lines of the block at an index; asked only for blocks that matter."""


class Anchor(NamedTuple):
    """The first visible line."""

    block: int = 0
    line: int = 0


class Slice(NamedTuple):
    """Lines `start` to `end` (not included) of a block."""

    block: int
    start: int
    end: int


def fill(anchor: Anchor, count: int, height: Height, rows: int) -> list[Slice]:
    """What is visible from `anchor` on in `rows` lines."""
    found: list[Slice] = []
    block, line = anchor
    while rows > 0 and block < count:
        size = height(block)
        end = min(size, line + rows)
        if end > line:
            found.append(Slice(block, line, end))
            rows -= end - line
        block, line = block + 1, 0
    return found


def bottom(count: int, height: Height, rows: int) -> Anchor:
    """The anchor that shows the end; the beginning when everything fits."""
    block, need = count, rows
    while block > 0:
        block -= 1
        size = height(block)
        if size >= need:
            return Anchor(block, size - need)
        need -= size
    return Anchor()


def move(anchor: Anchor, by: int, count: int, height: Height, rows: int) -> Anchor | None:
    """The anchor `by` lines further down (up when negative); None when that is the end or beyond."""
    if not count:
        return None
    block, line = anchor
    line += by
    while line < 0 and block > 0:
        block -= 1
        line += height(block)
    line = max(0, line)
    while line >= height(block):
        line -= height(block)
        block += 1
        if block >= count:
            return None
    moved = Anchor(block, line)
    return moved if _filled(moved, count, height, rows) else None


def _filled(anchor: Anchor, count: int, height: Height, rows: int) -> bool:
    """True when more than a screen stands from `anchor` on."""
    block, need = anchor.block, rows + anchor.line
    while block < count:
        need -= height(block)
        if need < 0:
            return True
        block += 1
    return False
