import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.tools.bounds import LIMIT, bound

NOTE = re.compile(r"\[… ([\d,]+) characters left out here …\]\n")


def parts(text: str) -> tuple[str, int, str]:
    head, missing, tail = NOTE.split(text)
    return head, int(missing.replace(",", "")), tail


def test_a_short_text_is_itself() -> None:
    assert bound("x" * LIMIT) == "x" * LIMIT


@given(st.text(alphabet="ab\n\u0301\u200d🙂", min_size=300, max_size=1500), st.integers(160, 250), st.floats(0, 1))
def test_the_bound_holds_and_the_gap_is_exact(text: str, limit: int, share: float) -> None:
    shown = bound(text, limit, head_share=share)
    assert len(shown) <= limit
    head, missing, tail = parts(shown)
    kept = head if text.startswith(head) else head.removesuffix("\n")
    assert text.startswith(kept)
    assert text.endswith(tail)
    # Where a head that ends within a line got a line break, that break is not of the text.
    assert len(text) - missing - len(tail) in {len(head), len(head) - 1}


def test_pieces_end_at_lines() -> None:
    text = "".join(f"line {number}\n" for number in range(1000))
    head, _, tail = parts(bound(text, 1000))
    assert head.endswith("\n")
    assert tail.startswith("line ")
    assert all(re.fullmatch(r"line \d+", line) for line in (head + tail).splitlines())


def test_most_of_the_room_can_go_to_the_end() -> None:
    head, _, tail = parts(bound("x" * 10_000, 1000, head_share=0.25))
    assert len(tail) > 2.5 * len(head)


def test_a_character_that_people_see_as_one_stays_whole() -> None:
    for letters in ("e\u0301", "👩\u200d👩\u200d👧", "👍🏽", "❤\ufe0f", "\ud83d\ude42"):
        for shift in range(8):
            text = "x" * shift + letters * 500
            head, _, tail = parts(bound(text, 200))
            assert (head.removesuffix("\n")[shift:] + tail).replace(letters, "") == ""


def test_what_was_missing_before_counts() -> None:
    _, missing, _ = parts(bound("x" * 1000, 500, total=1_000_000))
    assert missing > 999_000


def test_a_bound_without_room_is_refused() -> None:
    with pytest.raises(ValueError):
        bound("x" * 1000, 100)
