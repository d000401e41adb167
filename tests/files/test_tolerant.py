"""What counts as the same text: blanks at the ends of lines, quotes, composition, line numbers, and nothing else."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.files.tolerant import Loose, Several, find

BLANKS, QUOTES, LETTERS = "blanks at the ends of lines", "typographic quotes", "the composition of accented letters"
NUMBERS = "the line numbers that read_file adds"


def applied(view: str, old: str, new: str) -> tuple[str, tuple[str, ...]]:
    loose = find(view, old, new)
    assert isinstance(loose, Loose)
    return view[: loose.start] + loose.given + view[loose.end :], loose.apart_from


@pytest.mark.parametrize(
    ("view", "old", "new", "result", "apart"),
    [
        ("a  \nb\t\nc\n", "a\nb\n", "a\nB\n", "a  \nB\t\nc\n", (BLANKS,)),
        ("a\nb\n", "a  \nb", "a  \nB", "a\nB\n", (BLANKS,)),
        ("x\na b \n", "a b  ", "a c  ", "x\na c \n", (BLANKS,)),
        ("say “hi” to ‘us’\n", "say \"hi\" to 'us'", "say \"hi\" to 'them'", "say “hi” to ‘them’\n", (QUOTES,)),
        ('say "hi"\n', "say “hi”", "say “ho”", 'say "ho"\n', (QUOTES,)),
        ("cafe\u0301 noir\n", "caf\u00e9 noir", "caf\u00e9 cre\u0300me", "cafe\u0301 cre\u0300me\n", (LETTERS,)),
        ("caf\u00e9 noir\n", "cafe\u0301 noir", "th\u00e9 noir", "th\u00e9 noir\n", (LETTERS,)),
        (
            unicodedata.normalize("NFD", "한글 값\n"),
            "한글 값",
            "한글 수",
            unicodedata.normalize("NFD", "한글 ") + "수\n",
            (LETTERS,),
        ),
        (
            "def f():\n    x\n    y\n",
            "2:     x\n3:     y",
            "2:     z\n3:     y",
            "def f():\n    z\n    y\n",
            (NUMBERS,),
        ),
        ("a\n\nb\n", "1: a\n2: \n3: b\n", "a\n", "a\n", (NUMBERS,)),
        ("a\n\nb\n", "1: a\n2:\n3: b\n", "c\n", "c\n", (NUMBERS,)),
        ("“a” \nb\n", '7: "a"\n8: b', '7: "a"\n8: c\n9: d', "“a” \nc\nd\n", (BLANKS, QUOTES, NUMBERS)),
    ],
)
def test_what_is_overlooked_and_what_the_file_keeps(
    view: str, old: str, new: str, result: str, apart: tuple[str, ...]
) -> None:
    assert applied(view, old, new) == (result, apart)


@pytest.mark.parametrize(
    ("view", "old"),
    [
        ("    x = 1\n", "\tx = 1"),
        ("x = 1\n", "x  = 1"),
        ("Name\n", "name"),
        ("a\n", "   \n"),
        ("foobar\n", "foo "),
        ("foobar\n", "foo\t\n"),
        ("a\nb\n", "a\n\nb"),
        ("1: a\n", "2:a"),
        ("xa\nb\n", "1: a\n2: b"),
        ("a\nb\n", "1: a\n3: b"),
        ("e\u0301\n", "e\n"),
    ],
)
def test_nothing_else_is_overlooked(view: str, old: str) -> None:
    assert find(view, old, "new") is None


def test_line_numbers_on_some_of_the_new_lines_only_are_no_answer() -> None:
    assert find("a\nb\n", "1: a\n2: b", "1: a\nnew\n2: b") is None
    assert applied("a\nb\n", "1: a\n2: b", "a\nnew\nb") == ("a\nnew\nb\n", (NUMBERS,))


def test_several_places_are_named_and_none_is_taken() -> None:
    assert find("a  \nb\nx\na \nb\n", "a\nb", "c") == Several((1, 4))


def test_half_a_composed_letter_is_no_place() -> None:
    assert find("the\u0301 “x”\n", 'the "x"', "tea") is None


PIECES = st.lists(
    st.sampled_from(["a", "b", "e\u0301", "é", "“", '"', " ", "  ", "\t", "\n", "1: ", "2: "]), max_size=20
)


@given(PIECES, PIECES, PIECES)
def test_what_is_taken_is_the_sought_text_but_for_what_is_named(
    view: list[str], old: list[str], new: list[str]
) -> None:
    whole, wanted = "".join(view), "".join(old)
    found = find(whole, wanted, "".join(new))
    if isinstance(found, Loose):
        here = whole[found.start : found.end]
        assert found.apart_from or here == wanted
        kept = find(whole, wanted, wanted)
        assert isinstance(kept, Loose)
        assert kept.given == here
