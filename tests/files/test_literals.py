"""Literals of expressions: whatever matches holds one of them."""

import re
import warnings

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from hd.files.literals import required


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        ("needle", ("needle",)),
        (r"foo\(bar\)", ("foo(bar)",)),
        (r"^def \w+\(self", ("(self",)),
        ("TODO|FIXME", ("TODO", "FIXME")),
        ("colou?r", ("colo",)),
        ("xa+bc", ("abc",)),
        ("x{2}yz", ("yz",)),
        ("(?:ab)?cd[ef]g", ("cd",)),
        ("注释.*中文字", ("中文字",)),
        ("abc|", ()),
        ("a.b", ()),
        ("(?i)needle", ()),
        (r"\x41bcd", ()),
        (r"\101bcd", ()),
        ("(?#)needle", ()),
        ("ab{|xyz", ("ab", "xyz")),
    ],
)
def test_what_is_certain(pattern: str, literals: tuple[str, ...]) -> None:
    assert required(pattern) == literals


PARTS = ["ab", "bc", "a", "b", "|", "(", ")", "(?:", "(?=", "(?!", "(?P<n>", "[", "]", "[^", "{", "}", "{0,1}", "{2}"]
PARTS += ["*", "+", "?", ".", "^", "$", "\\", "\\w", "\\b", "\\x", "\\1", "61", "(?i)", "(?i:", "(?#", "(?x)", "-", ","]
TEXTS = st.lists(st.sampled_from(["ab", "bc", "a", "b", "A", "aab", "{", "}", "ab{", "61", "2", ",", " "]), max_size=12)


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=8), TEXTS)
@example(["ab", "{", "|", "bc"], ["bc"])
@example(["^", "{", "}", "{0,1}", "$"], ["{"])
@example(["[", "]", "|", "]", "bc"], ["|bc"])
def test_every_match_holds_one_of_them(parts: list[str], texts: list[str]) -> None:
    pattern, text = "".join(parts), "".join(texts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            match = re.compile(pattern).search(text)
        except re.error:
            assume(False)
    found = required(pattern)
    if match is not None and found:
        assert any(literal in match[0] for literal in found)


@given(st.text(max_size=30))
def test_reading_any_text_ends(pattern: str) -> None:
    assert all(len(literal) > 1 for literal in required(pattern))
