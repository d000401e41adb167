"""Pages of long outputs."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.files.errors import FileError
from hd.tools.pages import MOST_CHARACTERS, WIDTH, matching, page

LINES = st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=("Cs",)), max_size=20), max_size=30)


def blocks(lines: list[str], cuts: list[int]) -> list[str]:
    """The lines in pieces of whole lines, as a file is read."""
    ends = sorted({min(cut, len(lines)) for cut in cuts} | {len(lines)})
    starts = [0, *ends[:-1]]
    return ["".join(f"{line}\n" for line in lines[start:end]) for start, end in zip(starts, ends, strict=True)]


@given(lines=LINES, cuts=st.lists(st.integers(0, 30)), first=st.integers(1, 40), limit=st.integers(1, 40))
def test_a_page_is_a_slice_of_the_lines(lines: list[str], cuts: list[int], first: int, limit: int) -> None:
    found = page(blocks(lines, cuts), first, limit)
    assert found.rows == tuple(list(enumerate(lines, 1))[first - 1 : first - 1 + limit])
    assert (found.total, found.more) == (len(lines), first - 1 + limit < len(lines))


@pytest.mark.parametrize("cuts", [[], [1, 5, 11], list(range(30))])
@pytest.mark.parametrize("first", [1, 6, 31])
@pytest.mark.parametrize("limit", [1, 3, 50])
def test_a_filter_gives_the_lines_that_match_with_their_numbers(cuts: list[int], first: int, limit: int) -> None:
    lines = [f"{'error' if number % 4 == 0 else 'fine'} {number}" for number in range(1, 31)]
    wanted = [(number, line) for number, line in enumerate(lines, 1) if "error" in line and number >= first]
    found = matching(blocks(lines, cuts), first, limit, "^err", seconds=10, may_go_on=lambda: True)
    assert found.rows == tuple(wanted[:limit])
    assert found.more == (len(wanted) > limit)


def test_d05_a_line_without_an_end_can_be_paged_through() -> None:
    text = "".join(str(number) for number in range(60_000))
    read, first = "", 1
    while True:
        found = page([text], first, 10)
        read += "".join(row for _, row in found.rows)
        if not found.more:
            break
        first = found.rows[-1][0] + 1
    assert read == text
    assert found.total == -(-len(text) // WIDTH)


def test_a_page_holds_no_more_than_the_model_should_be_sent() -> None:
    found = page(["x" * 1_000 + "\n"] * 1_000, 1, 5_000)
    assert found.more
    assert sum(len(text) for _, text in found.rows) <= MOST_CHARACTERS
    assert found.total == 1_000


def test_a_filter_that_never_ends_is_given_up() -> None:
    deadline = time.monotonic() + 0.3
    found = matching(
        ["fine\n", "a" * 200 + "!\n"], 1, 10, r"(a+)+$", seconds=20, may_go_on=lambda: time.monotonic() < deadline
    )
    assert (found.ended, found.rows, found.total) == (True, (), 1)


def test_a_filter_that_is_none_is_told() -> None:
    with pytest.raises(FileError, match=re.escape("not a valid regular expression")):
        matching(["x\n"], 1, 1, "(", seconds=5, may_go_on=lambda: True)
