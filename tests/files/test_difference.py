"""Differences: complete, in order, and such as other programs read."""

import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hd.files.difference import hunks, pairs, unified
from tests.files.trees import plant

TEXT = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d"]), max_size=25).map("".join)


@given(TEXT, TEXT, st.integers(0, 3))
def test_hunks_lead_from_one_text_to_the_other(old: str, new: str, context: int) -> None:
    before = old.splitlines(keepends=True)
    made: list[str] = []
    at = 0
    for hunk in hunks(old, new, context):
        made += before[at : hunk.old_start - 1]
        assert hunk.new_start == len(made) + 1
        assert before[hunk.old_start - 1 :][: len(hunk.old_lines)] == hunk.old_lines
        made += hunk.new_lines
        at = hunk.old_start - 1 + len(hunk.old_lines)
    assert "".join([*made, *before[at:]]) == new
    assert bool(hunks(old, new)) is (old != new)


@given(TEXT, TEXT, TEXT, TEXT, st.integers(0, 3))
def test_every_hunk_has_all_the_lines_around_it_that_there_are(
    head: str, old: str, new: str, tail: str, context: int
) -> None:
    whole = head + old + tail
    for hunk in hunks(whole, head + new + tail, context):
        signs = "".join(sign for sign, _ in hunk.rows)
        leading, trailing = len(signs) - len(signs.lstrip(" ")), len(signs) - len(signs.rstrip(" "))
        assert leading == context or (leading < context and hunk.old_start == 1)
        end = hunk.old_start - 1 + len(hunk.old_lines)
        assert trailing == context or (trailing < context and end == len(whole.splitlines()))


def test_git_applies_the_unified_form(tmp_path: Path) -> None:
    cases = [
        ("one\ntwo\nthree\n", "one\n2\nthree\nfour"),
        ("a\n" * 50 + "b" + "\na" * 50, "a\n" * 50 + "c" + "\na" * 49 + "\nz\n"),
        ("x\n", ""),
        ("", "x\ny\n"),
        ("same\nend", "same\nend\n"),
    ]
    for old, new in cases:
        plant(tmp_path, {"f.txt": old, "patch": unified("f.txt", old, new)})
        subprocess.run(["git", "apply", "--unidiff-zero", "patch"], cwd=tmp_path, check=True)
        assert (tmp_path / "f.txt").read_text() == new
    assert unified("f.txt", "same", "same") == ""


def test_pairs_are_what_clients_show_and_have_an_end() -> None:
    old = "".join(f"{n}\n" for n in range(40))
    new = old.replace("5\n", "five\n", 1).replace("35\n", "thirty-five\n")
    found = pairs(old, new)
    assert found[0] == ("2\n3\n4\n5\n6\n7\n8", "2\n3\n4\nfive\n6\n7\n8")
    assert len(found) == 2
    assert len(pairs(old, new, most=40)) == 1
    assert pairs("", "x\n") == [("", "x")]
