"""Graphemes, widths and line breaks (cases J01, J03)."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from htui.present.cells import breaks, chop, cut, grapheme_after, grapheme_before, graphemes, width

MIXED = st.text(
    alphabet=st.one_of(
        st.sampled_from("ab 你好，。👍🏽é\u0301\u200d🇨🇳क्षि"), st.characters(exclude_categories=["Cs", "Cc"])
    )
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("abc", ["a", "b", "c"]),
        ("👨\u200d👩\u200d👧\u200d👦x", ["👨\u200d👩\u200d👧\u200d👦", "x"]),
        ("🇨🇳🇫🇷", ["🇨🇳", "🇫🇷"]),
        ("👍🏽a", ["👍🏽", "a"]),
        ("e\u0301e", ["e\u0301", "e"]),
        ("❤\ufe0f你", ["❤\ufe0f", "你"]),
        ("क्षि", ["क्षि"]),
        ("1\ufe0f\u20e3", ["1\ufe0f\u20e3"]),
        ("\u1100\u1161\u11a8", ["\u1100\u1161\u11a8"]),
    ],
)
def test_j03_one_grapheme_is_what_a_person_sees(text: str, parts: list[str]) -> None:
    assert graphemes(text) == parts


@given(MIXED)
def test_graphemes_join_to_the_text(text: str) -> None:
    assert "".join(graphemes(text)) == text


@given(MIXED)
def test_going_left_and_right_visits_the_same_places(text: str) -> None:
    place, forward = 0, [0]
    while place < len(text):
        place = grapheme_after(text, place)
        forward.append(place)
    backward = [len(text)]
    while place > 0:
        before = grapheme_before(text, place)
        assert before < place
        place = before
        backward.append(place)
    assert forward[-1] == len(text)
    assert backward[-1] == 0


def test_j03_ten_thousand_emoji_do_not_hang() -> None:
    text = "👨\u200d👩\u200d👧" * 10_000
    assert len(graphemes(text)) == 10_000
    assert grapheme_before(text, len(text)) == len(text) - 5
    assert len(graphemes("a" + "\u0301" * 10_000)) == 1


@given(MIXED, st.integers(2, 30))
def test_no_line_is_wider_than_it_may_be(text: str, cells: int) -> None:
    for start, end in breaks(text, cells):
        assert width(text[start:end]) <= max(cells, max((width(g) for g in graphemes(text[start:end])), default=0))


@example("\U000e0000⺀", 2)
@example("\U000e0000 ⺀", 2)
@given(MIXED, st.integers(2, 30))
def test_lines_hold_everything_but_blanks(text: str, cells: int) -> None:
    lines = [text[start:end] for start, end in breaks(text, cells)]
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(MIXED, MIXED, st.integers(2, 30))
def test_a_line_that_has_a_successor_is_final(text: str, more: str, cells: int) -> None:
    before, after = breaks(text, cells), breaks(text + "a" + more, cells)
    assert after[: len(before) - 1] == before[:-1]


@given(MIXED, st.integers(2, 30))
def test_chopped_pieces_fit_and_join(text: str, cells: int) -> None:
    pieces = chop(text, cells)
    assert "".join(pieces) == text
    assert all(width(piece) <= cells or len(graphemes(piece)) == 1 for piece in pieces)


@given(MIXED, st.integers(0, 40))
def test_what_is_cut_fits(text: str, cells: int) -> None:
    assert width(cut(text, cells)) <= cells


def test_chinese_breaks_anywhere_but_before_closing_marks() -> None:
    text = "你好世界，再见"
    assert [text[a:b] for a, b in breaks(text, 8)] == ["你好世", "界，再见"]


def test_words_move_to_the_next_line_whole() -> None:
    text = "one two three"
    assert [text[a:b] for a, b in breaks(text, 8)] == ["one two", "three"]
    assert [text[a:b] for a, b in breaks("  indented", 20) for text in ["  indented"]] == ["  indented"]
