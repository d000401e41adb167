"""What a command printed, as lines (pure): bounded in all and in each line, with the newest kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htui.present.jobs import KEPT, LONGEST, Output


def output_of(*texts: str) -> Output:
    output = Output()
    for text in texts:
        output.add(text)
    return output


@pytest.mark.parametrize("letter", ["a", "中", "\0"])
def test_what_follows_a_line_without_end_is_seen_whole(letter: str) -> None:
    output = output_of(*[letter * 65_536] * 12, "\n", *(f"line {number}\n" for number in range(100)))
    assert output.lines[-101:] == [*(f"line {number}" for number in range(100)), ""]
    assert max(map(len, output.lines)) <= LONGEST
    assert KEPT - LONGEST <= sum(map(len, output.lines)) + len(output.lines) - 1 <= KEPT


def test_a_progress_that_overwrites_itself_stays_one_line() -> None:
    output = output_of(*(f"{number:5} % of it\r" for number in range(5000)))
    assert len(output.lines) == 1
    assert output.shown(0).strip() == "4999 % of it"


texts = st.text("ab中\r\n", max_size=30) | st.builds(
    lambda text, by: text * by, st.text("ab\r\n", max_size=9), st.just(3000)
)


@given(st.lists(texts, max_size=12))
def test_the_bounds_hold_for_every_output_and_how_it_is_divided_changes_nothing_short(pieces: list[str]) -> None:
    output = output_of(*pieces)
    assert max(map(len, output.lines)) <= LONGEST
    assert output._size == sum(map(len, output.lines)) + len(output.lines) - 1 <= KEPT
    whole = "".join(pieces)
    if max(map(len, whole.split("\n"))) <= LONGEST and len(whole) <= KEPT:
        assert output.lines == whole.split("\n")
