"""Keys and pastes are told apart before anything reads them (row T6, case J18)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htui.paint.keyboard import ESCAPE, PASTE_END, PASTE_START, Input, Splitter


def read(*pieces: str) -> list[Input]:
    splitter = Splitter()
    return [part for piece in pieces for part in splitter.feed(piece)]


def test_a_paste_is_one_whole_however_it_is_cut() -> None:
    data = f"a{PASTE_START}one\r\ntwo\x1b]52;c;x\x07\rthree{PASTE_END}b"
    whole = [Input("keys", "a"), Input("paste", "one\ntwo\x1b]52;c;x\x07\nthree"), Input("keys", "b")]
    assert read(data) == whole
    assert read(*data) == whole


@given(st.text(alphabet="ab\x1b[20~\r\n"), st.integers(1, 9))
def test_nothing_inside_a_paste_is_a_key(inside: str, step: int) -> None:
    inside = inside.replace(PASTE_END, "")
    data = PASTE_START + inside + PASTE_END
    found = read(*(data[i : i + step] for i in range(0, len(data), step)))
    assert [part.kind for part in found] == ["paste"]


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("\x1b\r", "\x1b[13;3u"),
        ("\x1bd", "\x1b[100;3u"),
        ("\x1b[A", "\x1b[A"),
        ("hello\r", "hello\r"),
        ("\x1bOA", "\x1bOA"),
        ("\x1b\x7f", "\x1b[127;3u"),
        ("\x1b[27;2;13~", "\x1b[13;2u"),
    ],
)
def test_keys_pass_and_alt_is_told_in_one_form(typed: str, keys: str) -> None:
    assert read(typed) == [Input("keys", keys)]


def test_a_burst_with_line_ends_inside_is_a_paste_too() -> None:
    splitter = Splitter()
    assert list(splitter.feed("first line here\rsecond\r")) == []
    assert splitter.patience == 0.05
    assert list(splitter.feed("the rest of it\r")) == []
    assert list(splitter.flush()) == [Input("paste", "first line here\nsecond\nthe rest of it\n")]
    assert splitter.patience is None
    assert read("first line here\rsecond\r", "\x1b[A") == [
        Input("paste", "first line here\nsecond\n"),
        Input("keys", "\x1b[A"),
    ]
    assert read("first line here\rsecond\r", PASTE_START + "x" + PASTE_END) == [
        Input("paste", "first line here\nsecond\n"),
        Input("paste", "x"),
    ]
    assert read("a longer prompt that was typed\r") == [Input("keys", "a longer prompt that was typed\r")]


def test_what_is_held_back_is_given_out_when_nothing_follows() -> None:
    splitter = Splitter()
    assert list(splitter.feed(ESCAPE)) == []
    assert list(splitter.flush()) == [Input("keys", ESCAPE)]
    assert list(splitter.feed("\x1b[2")) == []
    assert splitter.patience == 0.1
    assert list(splitter.flush()) == [Input("keys", "\x1b[2")]
    assert splitter.patience is None
    assert list(splitter.feed(PASTE_START + "half")) == []
    assert splitter.patience == 1.0
    assert list(splitter.flush()) == [Input("paste", "half")]
