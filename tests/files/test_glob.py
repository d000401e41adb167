"""Patterns of names."""

import fnmatch
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.files.errors import Code, FileError
from hd.files.glob import chooser, path_regex


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.py", "a.py", True),
        ("*.py", "deep/er/a.PY", True),
        ("*.py", "a.pyc", False),
        ("**/*.py", "a.py", True),
        ("src/*.ts", "src/a.ts", True),
        ("src/*.ts", "src/b/a.ts", False),
        ("./src/**/*.{ts,tsx}", "src/a.tsx", True),
        ("src/**/*.{ts,tsx}", "src/x/y/a.ts", True),
        ("src/**", "src/x/y", True),
        ("src/**", "src", False),
        ("**/test_*/**/*.py", "a/test_x/b/c.py", True),
        ("/top.md", "top.md", True),
        ("/top.md", "a/top.md", False),
        ("[!a]?.md", "bb.md", True),
        ("[!a]?.md", "ab.md", False),
        ("[[:digit:]].md", "7.md", True),
        ("{a,b{c,d}}.md", "bd.md", True),
        ("{a}.md", "{a}.md", True),
        (r"\*.md", "*.md", True),
        (r"\*.md", "a.md", False),
        ("a**b", "axxb", True),
        ("?", "/", False),
    ],
)
def test_patterns_of_people(pattern: str, path: str, fits: bool) -> None:
    assert (chooser(pattern).fullmatch(path) is not None) is fits


@pytest.mark.parametrize("pattern", ["[a", "a" * 600, "{a,b}" * 7, "x\\"])
def test_patterns_that_cannot_be_used_are_refused(pattern: str) -> None:
    with pytest.raises(FileError) as caught:
        chooser(pattern)
    assert caught.value.code is Code.PATTERN


@given(st.text("ab*?", max_size=8), st.text("ab", max_size=8))
def test_a_part_matches_as_fnmatch_has_it(pattern: str, name: str) -> None:
    regex = path_regex(pattern)
    if regex is None or pattern == "**":
        return
    assert (re.fullmatch(regex, name) is not None) is fnmatch.fnmatchcase(name, pattern)


def test_no_pattern_takes_forever() -> None:
    assert chooser("*a" * 20 + "b").fullmatch("a" * 255) is None
    assert chooser("**/a/" * 20 + "b").fullmatch("a/" * 100) is None
