"""Exact replacement, pure: what matches, what stays, what is refused."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.files import edit
from hd.files.errors import Code, FileError
from hd.files.lines import fold
from hd.files.tolerant import Loose, find

PIECES = st.lists(st.sampled_from(["a", "b", "x = 1", "  ", "é", "\n", "\r\n", "\n", "\r\n"]), min_size=1, max_size=25)


@dataclass(frozen=True)
class Result:
    text: str
    lines: tuple[int, ...]
    apart_from: tuple[str, ...]


def replace(text: str, old: str, new: str, *, everywhere: bool = False) -> Result:
    replaced = edit.replace(text, old, new, everywhere=everywhere)
    return Result(replaced.applied(text), replaced.lines, replaced.apart_from)


def refusal(text: str, old: str, new: str, *, everywhere: bool = False) -> FileError:
    with pytest.raises(FileError) as caught:
        replace(text, old, new, everywhere=everywhere)
    return caught.value


@given(PIECES, st.data(), PIECES, st.booleans())
def test_outside_the_match_nothing_changes(pieces: list[str], draw: st.DataObject, new: list[str], all_: bool) -> None:
    text = "".join(pieces)
    view = fold(text).view
    start = draw.draw(st.integers(0, len(view) - 1))
    end = draw.draw(st.integers(start + 1, len(view)))
    old, given_text = view[start:end], "".join(new)
    if fold(given_text).view == old:
        return
    if view.find(old) != start or view.find(old, start + 1) >= 0:
        if not all_:
            return
        result = replace(text, old, given_text, everywhere=True)
        assert fold(result.text).view == view.replace(old, fold(given_text).view)
        return
    folded = fold(text)
    result = replace(text, old, given_text, everywhere=all_)
    before, after = text[: folded.place(start)], text[folded.place(end) :]
    assert result.text.startswith(before)
    assert result.text.endswith(after)
    middle = result.text[len(before) : len(result.text) - len(after)]
    assert fold(middle).view == fold(given_text).view
    assert result.lines == (view.count("\n", 0, start) + 1,)


@given(PIECES, st.sampled_from(["\n", "\r\n"]))
def test_a_file_of_one_kind_of_ending_keeps_that_kind(pieces: list[str], ending: str) -> None:
    text = fold("".join(pieces)).view.replace("\n", ending) + f"mark{ending}end{ending}"
    result = replace(text, "mark\nend", "one\ntwo\r\nthree\nend").text
    assert result.count("\n") == result.count(ending)
    assert ("\r" in result) is (ending == "\r\n")


@pytest.mark.parametrize("feed", ["\n", "\r\n"])
def test_a01_crlf_file_keeps_its_line_endings(feed: str) -> None:
    text = "def f():\r\n    x = 1\r\n    return x\r\n"
    old, new = f"    x = 1{feed}    return x", f"    x = 2{feed}    return x"
    assert replace(text, old, new).text == "def f():\r\n    x = 2\r\n    return x\r\n"


def test_a02_mixed_endings_stay_line_by_line() -> None:
    text = "a\r\nb\nc\r\n"
    assert replace(text, "b", "B").text == "a\r\nB\nc\r\n"
    assert replace(text, "b\nc", "B\nC").text == "a\r\nB\nC\r\n"
    assert replace(text, "b\nc", "b\nnew\nc").text == "a\r\nb\nnew\nc\r\n"
    assert replace(text, "a\nb\nc\n", "a\nc\n").text == "a\r\nc\r\n"
    assert replace(text, "c", "c\nd").text == "a\r\nb\nc\r\nd\r\n"
    assert replace(text, "b\nc", "b\nc\nd").text == "a\r\nb\nc\r\nd\r\n"


def test_a03_a_miss_names_and_shows_the_nearest_line() -> None:
    text = 'fn main() {\r\n    let total = add(1, 2);\r\n    println!("{}", total);\r\n}\r\n'
    error = refusal(text, "    let total = add(1, 3);\n", "    let total = 3;\n")
    assert error.code is Code.EDIT_NOT_FOUND
    assert "2:     let total = add(1, 2);" in error.message
    assert "Nothing was changed" in error.message


def test_a_miss_of_several_lines_names_the_line_that_breaks_it() -> None:
    text = "a = 1\nb = 2\nc = 3\nd = 4\n"
    assert "3: c = 3\nwhere old_string has:\nc = 33\n" in refusal(text, "b = 2\nc = 33\nd = 4", "x").message


@pytest.mark.parametrize(
    ("text", "old", "hint"),
    [
        ("\tif x:\n", "    if x:\n", "white space"),
        ("Cafe\u0301 is open\n", "Caf\u00e9 is opened\n", "nearest is line 1"),
        ("let NAME = 1;\n", "let name = 1;\n", "upper and lower case"),
        ("say “hello” to them\n", "say hello to them\n", "nearest is line 1"),
    ],
)
def test_a_miss_says_what_the_eye_does_not_see(text: str, old: str, hint: str) -> None:
    assert hint in refusal(text, old, "x").message


def test_a_miss_without_anything_near() -> None:
    assert "No line comes near it" in refusal("a\nb\n", "completely different text", "x").message
    assert "No line comes near it" in refusal("a\n", "\n\n\n", "x").message


@given(PIECES, PIECES)
def test_what_is_not_there_is_refused_or_its_difference_is_named(text: list[str], old: list[str]) -> None:
    whole, wanted = "".join(text), "".join(old)
    if fold(wanted).view in fold(whole).view:
        return
    if isinstance(find(fold(whole).view, fold(wanted).view, "never"), Loose):
        result = replace(whole, wanted, "never")
        assert result.apart_from
        assert "never" in result.text
    else:
        assert "Nothing was changed" in refusal(whole, wanted, "never").message


def test_a11_blanks_and_the_missing_final_newline_stay() -> None:
    text = "a  \nb"
    assert replace(text, "b", "c").text == "a  \nc"
    assert replace(text, "\nb", "").text == "a  "
    assert replace(text, "b", "").text == "a  \n"
    assert replace("a\nb\n", "b\n", "").text == "a\n"


def test_a13_several_places() -> None:
    text = "x\ny\nx\nz\nx\n"
    error = refusal(text, "x", "w")
    assert error.code is Code.EDIT_AMBIGUOUS
    assert "3 places: lines 1, 3, 5." in error.message
    result = replace(text, "x", "w", everywhere=True)
    assert (result.text, result.lines) == ("w\ny\nw\nz\nw\n", (1, 3, 5))
    assert result.apart_from == ()


def test_a13_overlapping_places() -> None:
    assert "that overlap" in refusal("aaaa", "aa", "b").message
    assert refusal("aaa", "aa", "b").code is Code.EDIT_AMBIGUOUS
    assert replace("aaaa", "aa", "b", everywhere=True).text == "bb"


@pytest.mark.parametrize(("old", "new"), [("", "x"), ("a", "a"), ("a\nb", "a\r\nb")])
def test_a13_nothing_to_look_for_or_to_change(old: str, new: str) -> None:
    assert refusal("a\r\nb\n", old, new).code is Code.EDIT_EMPTY
