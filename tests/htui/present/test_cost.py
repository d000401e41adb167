"""What a session cost, as the bar and the panel say it."""

from typing import Any

import pytest

from htui.present.cost import cost_figure, cost_lines
from htui.present.lines import cells_of, text_of
from htui.present.reckoned import Progress, Reckoned, priced, reckoned_lines, reckoned_summary

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
        ({**COST, "amount": "0"}, "¥: 0.00*"),
        ({**COST, "amount": "0", "requests": 1}, "¥: ?"),
        ({**COST, "requests": 0}, ""),
        ({**COST, "amount": "NaN"}, ""),
        ({**COST, "amount": "1e999999"}, ""),
        (None, ""),
        ("cost", ""),
    ],
)
def test_t20_the_figure_says_whether_it_is_exact(value: Any, figure: str) -> None:
    assert cost_figure(value) == figure


def test_h08_a_cap_stands_behind_what_it_bounds() -> None:
    budget = {"amount": "2.5", "turn": "0.5", "currency": "CNY"}
    assert cost_figure(COST, summary(dayCap="20"), budget) == "¥: 0.12*/2.50(5.00/20.00)"
    assert cost_figure(COST, None, {"amount": None, "turn": "1"}) == "¥: 0.12*"
    lines = [text_of(line) for line in cost_lines(COST, 80, summary(dayCap="20"), None, budget)]
    assert lines[1:3] == ["cap        2.50 CNY", "turn cap   0.50 CNY"]
    assert any(line.startswith("today") and " of 20.00 CNY in " in line for line in lines)


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


def summary(**more: Any) -> dict[str, Any]:
    part = {**COST, "amount": "5", "exact": True, "reasons": [], "unpriced": 0}
    hours = [{"hour": 9, "amount": "4"}, {"hour": 14, "amount": "1"}]
    return {"currency": "CNY", "today": part, "week": part, "month": part, "total": COST, "hours": hours, **more}


def test_t20_the_figure_tells_today_behind_the_session() -> None:
    assert cost_figure(COST, summary()) == "¥: 0.12*(5.00)"
    assert cost_figure(COST, summary(today={**COST, "amount": "0.001"})) == "¥: 0.12*(<0.01*)"
    for none in (None, {}, {"today": {}}, {"today": []}):
        assert cost_figure(COST, none) == "¥: 0.12*"


def test_the_panel_tells_periods_models_and_the_hours_of_today() -> None:
    lines = [text_of(line) for line in cost_lines(COST, 60, summary())]
    below = lines[lines.index("All sessions, by the days of Beijing") :]
    assert below[1:5] == [
        "today      5.00 CNY in 13 requests",
        "this week  5.00 CNY in 13 requests",
        "this month 5.00 CNY in 13 requests",
        "ever       0.1234* CNY in 13 requests",
    ]
    assert below[-2:] == [f"09:00 {'█' * 40} 4.00", f"14:00 {'█' * 10} 1.00"]


@pytest.mark.parametrize("cells", [20, 40, 80])
def test_the_panel_of_all_sessions_fits(cells: int) -> None:
    lines = cost_lines(COST, cells, summary(hours=[{"hour": 9, "amount": "123456"}]))
    assert all(cells_of(line) <= cells for line in lines)


PARTLY = Reckoned(
    Progress(read=11, all=14, failed=2, why="the log is damaged", old=3, looking=True, events=40, of=5600)
)


def test_t20_sums_that_were_reckoned_here_say_what_they_leave_out() -> None:
    part = {**COST, "exact": True, "reasons": []}
    whole = summary(today=part, week=part, month=part, total=part)
    told = reckoned_summary(whole, PARTLY)
    missing = ["2 of 14 sessions could not be read: the log is damaged", "1 of 14 sessions is not read yet"]
    assert (told["today"]["exact"], told["today"]["reasons"]) == (False, missing)
    assert told["total"]["reasons"] == [*missing, "“ever” leaves out 3 sessions at rest for over 60 days"]
    complete = Reckoned(Progress(read=14, all=14), own=True)
    assert reckoned_summary(whole, complete) == whole
    lines = [text_of(line) for line in cost_lines(COST, 120, told, PARTLY)]
    assert "Reckoned here by the shipped prices · 11 of 14 sessions read · reading 40 of 5,600 events" in lines
    assert text_of(reckoned_lines(complete, 80)[0]).startswith(
        "Reckoned here by your prices over the shipped ones · 14"
    )


def test_t20_prices_that_cannot_be_used_mark_every_sum_and_are_told_once() -> None:
    by = Reckoned(Progress(read=1, all=1), trouble="prices.json, entry mine: \x1b[2J is unknown.")
    part = {**COST, "exact": True, "reasons": []}
    told = reckoned_summary(summary(total=part), by)
    assert [told[name]["exact"] for name in ("today", "week", "month", "total")] == [False] * 4
    lines = [text_of(line) for line in cost_lines(priced(part, by), 40, told, by)]
    assert [line for line in lines if "entry mine" in line] == ["prices.json, entry mine: ␛[2J is"]
