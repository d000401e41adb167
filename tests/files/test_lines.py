"""Line endings: folding, the way back, and what replaced lines get."""

from hypothesis import given
from hypothesis import strategies as st

from hd.files.lines import dress, fold, neighbour, opcodes, split, style

PIECES = st.lists(st.sampled_from(["a", "b", "", "é", "\r", "\n", "\r\n", "\u2028", "\x0c"]), max_size=30)


@given(PIECES)
def test_a_place_in_the_view_leads_to_the_same_character(pieces: list[str]) -> None:
    text = "".join(pieces)
    folded = fold(text)
    for offset, sign in enumerate(folded.view):
        place = folded.place(offset)
        there = text[place : folded.place(offset + 1)]
        assert there == sign or (sign == "\n" and there == "\r\n")
    assert folded.place(len(folded.view)) == len(text)


@given(PIECES)
def test_lines_end_at_newlines_only(pieces: list[str]) -> None:
    view = fold("".join(pieces)).view
    lines = split(view)
    assert "\n".join(lines) + ("\n" if view.endswith("\n") else "") == view or not view.strip("\n")
    assert len(lines) == view.count("\n") + (not view.endswith("\n") and bool(view))


@given(PIECES, PIECES, st.sampled_from(["\n", "\r\n"]))
def test_dressing_changes_line_endings_only(old: list[str], new: list[str], last: str) -> None:
    given_text = fold("".join(new)).view.replace("\r", "")
    assert dress(given_text, "".join(old), last).replace("\r", "") == given_text


@given(PIECES, st.sampled_from(["\n", "\r\n"]))
def test_text_that_stays_keeps_every_ending(old: list[str], last: str) -> None:
    text = "".join(old).replace("\r\r", "\r")
    assert dress(fold(text).view, text, last) == text


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_opcodes_lead_from_one_list_to_the_other(old: list[str], new: list[str]) -> None:
    made: list[str] = []
    at = 0
    for tag, a, b, c, d in opcodes(old, new):
        assert a == at
        at = b
        assert (old[a:b] == new[c:d]) is (tag == "equal")
        made += new[c:d]
    assert (at, made) == (len(old), new)


def test_styles() -> None:
    assert [style(text) for text in ("a", "a\nb", "a\r\nb\r\n", "a\r\nb\n")] == ["none", "LF", "CRLF", "mixed"]


def test_the_neighbour_is_the_line_itself_then_the_one_before() -> None:
    text = "a\r\nb\nc"
    assert neighbour(text, 0, 1) == "\r\n"
    assert neighbour(text, 3, 4) == "\n"
    assert neighbour(text, 5, 6) == "\n"
    assert neighbour("a", 0, 1) == "\n"
