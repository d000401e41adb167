"""The place in a long list (row T5, case J10): the same as if every line had been laid out."""

from hypothesis import given
from hypothesis import strategies as st

from htui.widgets.viewport import Anchor, bottom, fill, move

HEIGHTS = st.lists(st.integers(1, 6), max_size=20)


def flat(heights: list[int]) -> list[tuple[int, int]]:
    return [(block, line) for block, size in enumerate(heights) for line in range(size)]


def visible(anchor: Anchor, heights: list[int], rows: int) -> list[tuple[int, int]]:
    slices = fill(anchor, len(heights), heights.__getitem__, rows)
    return [(block, line) for block, start, end in slices for line in range(start, end)]


@given(HEIGHTS, st.integers(1, 12))
def test_the_bottom_shows_the_last_lines(heights: list[int], rows: int) -> None:
    anchor = bottom(len(heights), heights.__getitem__, rows)
    assert visible(anchor, heights, rows) == flat(heights)[-rows:]


@given(HEIGHTS.filter(bool), st.integers(1, 12), st.lists(st.integers(-9, 9), max_size=12))
def test_moving_is_moving_over_all_lines(heights: list[int], rows: int, steps: list[int]) -> None:
    lines = flat(heights)
    last = max(0, len(lines) - rows)
    place = last
    anchor: Anchor | None = None
    for step in steps:
        start = bottom(len(heights), heights.__getitem__, rows) if anchor is None else anchor
        anchor = move(start, step, len(heights), heights.__getitem__, rows)
        place = max(0, min(last, place + step))
        assert (anchor is None) == (place == last)
        shown = visible(bottom(len(heights), heights.__getitem__, rows) if anchor is None else anchor, heights, rows)
        assert shown == lines[place : place + rows]


def test_only_what_is_seen_is_measured() -> None:
    asked: list[int] = []

    def height(block: int) -> int:
        asked.append(block)
        return 2

    anchor = bottom(100_000, height, 20)
    fill(anchor, 100_000, height, 20)
    move(anchor, -40, 100_000, height, 20)
    assert len(set(asked)) < 50


def test_nothing_is_no_place() -> None:
    assert bottom(0, lambda block: 1, 5) == Anchor()
    assert move(Anchor(), 3, 0, lambda block: 1, 5) is None
