"""Text from outside never reaches a terminal raw (law 9, cases J03, J18, row X14)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htui.present.safe import gate, one_line, safe

HOSTILE = st.text(
    alphabet=st.one_of(
        st.sampled_from("\x1b\x9b\x90\x07\r\n\t\x00\x7f\u202e\u2066\u200b\u200d\ufe0f\ufeff\u2028\U000e0041"),
        st.characters(),
    )
)
HAN = "你"


def forbidden(text: str) -> list[str]:
    bad = [c for c in text if (ord(c) < 0x20 and c != "\n") or 0x7F <= ord(c) <= 0x9F]
    return bad + [c for c in text if c in "\u061c\u200e\u200f\u2028\u2029" or "\u202a" <= c <= "\u202e"]


@given(HOSTILE)
def test_x14_no_control_or_bidi_character_is_left(text: str) -> None:
    shown = safe(text)
    assert forbidden(shown) == []
    assert not any("\u2066" <= c <= "\u2069" or 0xD800 <= ord(c) <= 0xDFFF for c in shown)
    assert forbidden(safe(text, strict=True)) == []
    assert "\n" not in one_line(text)


@given(HOSTILE)
def test_safe_text_stays_as_it_is(text: str) -> None:
    assert safe(safe(text)) == safe(text)


@given(HOSTILE)
def test_the_last_gate_passes_nothing_either(text: str) -> None:
    shown = gate(text)
    assert forbidden(shown) == []
    assert "\n" not in shown


@given(st.text(alphabet=st.characters(categories=["L", "N", "P"], max_codepoint=0x24F)))
def test_ordinary_text_is_not_touched(text: str) -> None:
    assert safe(text) == text


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b]52;c;x\x07", "␛]52;c;x␇"),
        ("\x9b31m", "␛[31m"),
        ("a\u202eb", "a⟨202E⟩b"),
        ("a\u200bb", "a⟨200B⟩b"),
        ("a\r\nb\rc", "a\nb␍c"),
        ("a\tb", "a   b"),
        ("\ud800", "\ufffd"),
        ("a\u200db", "a⟨200D⟩b"),
        ("\x7f\x00", "␡␀"),
    ],
)
def test_what_stands_for_it(raw: str, shown: str) -> None:
    assert safe(raw) == shown


@pytest.mark.parametrize(
    "text",
    ["👨\u200d👩\u200d👧", "❤\ufe0f", "1\ufe0f\u20e3", "می\u200cخواهم", "क्\u200dष", "🏴\U000e0067\U000e0062\U000e007f"],
)
def test_j03_joiners_that_shape_a_character_stay(text: str) -> None:
    assert safe(text) == text


def test_e01_strict_text_spells_joiners_out() -> None:
    assert safe("👨\u200d👩", strict=True) == "👨⟨200D⟩👩"


def test_one_line_folds_white_space_and_is_bounded() -> None:
    assert one_line(" a\n\n b\t c ") == "a b c"
    assert len(one_line("x" * 10_000, 50)) == 50
    assert one_line(HAN * 10, 3) == HAN * 3
