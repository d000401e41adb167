"""What a search finds in rows, and that nothing raw of them is shown."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.protocol.projections.transcript import Row
from htui.present.cells import width
from htui.present.found import hit_picks, hits_in, pattern_of
from htui.present.lines import text_of
from htui.present.safe import gate


def row(text: str, kind: str = "assistant", seq: int = 7) -> Row:
    return Row(key=str(seq), kind=kind, seq=seq, turn=1, time=0, text=text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("The Quick fox", "quick", "Quick"),
        ("first\n  second line", "first second", "first second"),
        ("一种实现（缓存）", "实现（缓存", "实现（缓存"),
        ("caf\u0065\u0301 noir", "CAFÉ", "café"),
        ("a.b", "a.b", "a.b"),
        ("👩‍👩‍👧 family", "👩‍👩‍👧", "👩‍👩‍👧"),
    ],
)
def test_t12_words_are_found_literally_in_any_case_and_form(text: str, words: str, found: str) -> None:
    (hit,) = hits_in([row(text)], pattern_of(words), prompts=False)
    assert hit.found == unicodedata.normalize("NFC", found)


def test_t12_what_is_looked_through_is_what_was_said() -> None:
    rows = [row("x", kind, seq) for seq, kind in enumerate(("user", "assistant", "reasoning", "tool", "context"))]
    assert [hit.kind for hit in hits_in(rows, pattern_of("x"), prompts=False)] == ["user", "assistant", "reasoning"]
    assert [hit.kind for hit in hits_in(rows, pattern_of(""), prompts=True)] == ["user"]
    assert hits_in([row("axb")], pattern_of("a.b"), prompts=False) == []


@given(st.text(max_size=400), st.text(min_size=1, max_size=6).filter(str.strip), st.integers(10, 120))
def test_every_hit_is_one_safe_line_that_fits(text: str, words: str, cells: int) -> None:
    hits = hits_in([row(f"{text}{words}{text}")], pattern_of(words), prompts=False)
    for pick in hit_picks(hits, 0, cells):
        shown = text_of(pick.line)
        assert width(shown) <= cells
        assert gate(shown) == shown
        assert "\n" not in shown
