"""What a session cost, as the bar and the panel say it."""

from typing import Any

import pytest

from htui.present.cost import cost_figure, cost_lines
from htui.present.lines import cells_of, text_of

MODEL = {
    "provider": "deepseek-official",
    "model": "deepseek-flash",
    "amount": "0.1234",
    "requests": 12,
    "input": 12_300,
    "cacheRead": 120_000,
    "cacheWrite": 0,
    "output": 3_000,
}
COST = {
    "amount": "0.1234",
    "currency": "CNY",
    "requests": 13,
    "unpriced": 1,
    "exact": False,
    "reasons": ["deepseek-official/x: missing usage\x1b[2J"],
    "models": [MODEL],
}


@pytest.mark.parametrize(
    ("value", "figure"),
    [
        (COST, "¥: 0.12*"),
        ({**COST, "exact": True}, "¥: 0.12"),
        ({**COST, "exact": True, "amount": "0.0001"}, "¥: <0.01"),
        ({**COST, "exact": True, "amount": "0"}, "¥: 0.00"),
        ({**COST, "exact": True, "amount": "12.345", "currency": "USD"}, "$: 12.35"),
        ({**COST, "requests": 0}, ""),
        ({**COST, "amount": "NaN"}, ""),
        ({**COST, "amount": "1e999999"}, ""),
        (None, ""),
        ("cost", ""),
    ],
)
def test_t20_the_figure_says_whether_it_is_exact(value: Any, figure: str) -> None:
    assert cost_figure(value) == figure


def test_h06_the_panel_names_what_has_no_price() -> None:
    assert [text_of(line) for line in cost_lines(COST, 80)] == [
        "session    0.1234 CNY in 13 requests",
        "flash      0.1234 CNY · 12 requests · 12k new · 120k cached (91%) · 3k out",
        "1 request without a price, so the true sum is higher.",
        "· deepseek-official/x: missing usage␛[2J",
    ]


@pytest.mark.parametrize("cells", [20, 40, 80])
def test_the_panel_fits(cells: int) -> None:
    assert all(cells_of(line) <= cells for line in cost_lines(COST, cells))


def test_a_host_that_tells_no_cost() -> None:
    assert [text_of(line) for line in cost_lines(None, 80)] == ["This host does not tell what its sessions cost."]
