"""What fills the context, in words."""

import pytest

from htui.present.context import context_lines, too_large, window_of
from htui.present.lines import cells_of, text_of

PRESSURE = {"pressureTokens": 300_000, "projectedTokens": 312_000, "contextWindow": 1_000_000}
KINDS = {"instructions": 800, "user": 3_000, "assistant": 40_000, "tool": 250_000, "summary": 4_000, "context": 1_000}
BREAKDOWN = {
    "systemTokens": 1_100,
    "toolsTokens": 5_200,
    "messageTokens": sum(KINDS.values()),
    "messageTokensByKind": KINDS,
}
CATALOGUE = {
    "groups": [
        {
            "id": "deepseek-official",
            "models": [{"id": "deepseek-flash", "contextWindow": 1_000_000}, {"id": "small", "contextWindow": 32_000}],
        },
        {"id": "other", "models": [{"id": "small", "contextWindow": 8_000}, {"id": "nameless"}]},
    ]
}


def panel(cells: int, pressure: object = PRESSURE, breakdown: object = BREAKDOWN) -> list[str]:
    lines = context_lines(pressure, breakdown, CATALOGUE, cells)
    assert all(cells_of(line) <= cells for line in lines)
    return [text_of(line) for line in lines]


def test_the_panel_names_each_part_and_what_is_left() -> None:
    assert panel(80) == [
        "█████████░░░░░░░░░░░░░░░░░░░░░",
        "used       312k of 1M tokens (31%)",
        "system     ~1.1k (0%)",
        "tools      ~5.3k (1%)",
        "AGENTS.md  ~818 (0%)",
        "you        ~3k (0%)",
        "model      ~40k (4%)",
        "results    ~255k (26%)",
        "summaries  ~4k (0%)",
        "other      ~1k (0%)",
        "free       688k; summed up from 800k on",
        "windows    flash 1M, small 32k, small 8k",
    ]


@pytest.mark.parametrize("cells", [20, 40])
def test_it_fits_a_narrow_screen(cells: int) -> None:
    assert panel(cells)


def test_hosts_that_tell_less_get_a_panel_too() -> None:
    official = {key: BREAKDOWN[key] for key in ("systemTokens", "toolsTokens", "messageTokens")}
    assert any(line.startswith("messages   ~30") for line in panel(80, breakdown=official))
    assert panel(80, pressure={"contextWindow": 1_000}) == panel(80, pressure=None)
    assert "Nothing was sent yet" in panel(80, pressure={})[0]


def test_g07_only_a_window_that_is_too_small_is_warned_of() -> None:
    assert too_large(PRESSURE, 1_000_000) == ""
    assert too_large(PRESSURE, 0) == ""
    assert too_large(None, 32_000) == ""
    assert too_large(PRESSURE, window_of(CATALOGUE, "deepseek-official", "small")) == "312k tokens held, window of 32k"
    assert window_of(CATALOGUE, "other", "nameless") == window_of(None, "other", "small") == 0
