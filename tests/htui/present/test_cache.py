"""What the panel of `/cache` says."""

from typing import Any

import pytest

from htui.present.cache import cache_lines
from htui.present.lines import cells_of, text_of

FIRST = {"turn": 1, "step": 1, "hit": 0, "miss": 9_000, "lost": 0, "difference": {"segment": "first"}}
GROWN = {"turn": 1, "step": 2, "hit": 8_960, "miss": 400, "lost": 0, "difference": None}
SUMMED = {
    "turn": 2,
    "step": 1,
    "hit": 4_000,
    "miss": 2_000,
    "lost": 2_000,
    "difference": {"segment": "message", "seq": 7, "kind": "compact-checkpoint"},
}
GONE = {"turn": None, "step": None, "hit": 0, "miss": 6_100, "lost": 6_000, "difference": None}
CACHE = {
    "requests": 4,
    "hit": 12_960,
    "miss": 17_500,
    "lost": 8_000,
    "amount": "0.0079",
    "currency": "CNY",
    "rows": [FIRST, GROWN, SUMMED, GONE],
}


def test_the_newest_request_comes_first_and_each_loss_has_its_reason() -> None:
    assert [text_of(line) for line in cache_lines(CACHE, 80)] == [
        "read       12k of 30k tokens (43%)",
        "paid anew  8k that were sent before, for 0.0079 CNY, in 4 requests",
        "summary    0 read · 6.1k new · 6k anew",
        "  nothing sent before was changed: the provider no longer had it",
        "turn 2.1   4k read · 2k new · 2k anew",
        "  from message #7 on: summed up by a compaction",
        "turn 1.2   8.9k read · 400 new",
        "turn 1.1   0 read · 9k new",
        "  the first request",
    ]


@pytest.mark.parametrize("value", [None, [], {"rows": "x"}, {"rows": [3]}])
def test_without_a_value_it_says_so(value: Any) -> None:
    assert "Nothing is known yet" in text_of(cache_lines(value, 80)[0])


@pytest.mark.parametrize("cells", [20, 40, 80])
def test_it_fits_and_is_safe(cells: int) -> None:
    odd = {"segment": "\x1b[2J", "kind": "x"}
    value = {**CACHE, "rows": [*CACHE["rows"], {"difference": odd, "hit": True, "turn": 10**9, "step": "\x1b"}]}
    lines = cache_lines(value, cells)
    assert all(cells_of(line) <= cells for line in lines)
    assert not any("\x1b" in text_of(line) for line in lines)
