"""What of a long output a model is shown: the beginning, what tells, the end."""

from hypothesis import given
from hypothesis import strategies as st

from hd.tools.distil import distil

NOISE = [f"compiling part {number} of the whole" for number in range(2_000)]


def test_a_short_text_is_left_alone() -> None:
    assert distil("all of it\n", 100) == "all of it\n"


def test_h18_errors_in_the_middle_of_a_long_output_are_shown() -> None:
    lines = [*NOISE[:900], "src/a.py:7: error: name 'x' is not defined", *NOISE[900:], "3 tests failed"]
    text = distil("\n".join(lines), 2_000)
    assert text.startswith("compiling part 0")
    assert "src/a.py:7: error: name 'x' is not defined" in text
    assert text.endswith("3 tests failed")
    assert "of these the lines that tell most" in text
    assert len(text) <= 2_200


def test_without_telling_lines_it_is_the_beginning_and_the_end() -> None:
    text = distil("\n".join(NOISE), 2_000)
    assert text.startswith("compiling part 0")
    assert text.endswith("compiling part 1999 of the whole")
    assert "characters left out here …]" in text


def test_a_line_that_comes_again_and_again_is_shown_once() -> None:
    text = distil("\n".join([*NOISE[:500], *["warning: unused variable"] * 300, *NOISE[500:]]), 3_000)
    assert text.count("warning: unused variable") == 1


def test_more_telling_lines_than_there_is_room_for_leave_the_last_ones() -> None:
    lines = [f"error {number}: it does not work" for number in range(3_000)]
    text = distil("\n".join(lines), 2_000)
    assert len(text) <= 2_200
    assert "error 2999: " in text


@given(
    st.lists(st.sampled_from([*NOISE[:20], "error: x", "warning: y", "x" * 900, ""]), max_size=300),
    st.integers(300, 4_000),
)
def test_it_is_never_much_longer_than_asked_for(lines: list[str], limit: int) -> None:
    text = "\n".join(lines)
    shown = distil(text, limit)
    assert len(shown) <= limit + 200
    assert shown == text or len(text) > limit
