"""The status bar drops what there is no room for (row T17, CLIENT 4)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htui.present.count import compact, percent, share, size
from htui.present.goal import goal_facts, goal_figure, goal_of, planning
from htui.present.lines import cells_of, text_of
from htui.present.status import Figures, status_lines
from htui.present.when import age, clock, short

FULL = Figures(
    elapsed=63,
    doing="write",
    doing_for=3,
    keys="^C stop",
    model="deepseek-v4-pro",
    effort="high",
    context=38_400,
    window=128_000,
    cost="¥0.12",
    turns=4,
    fresh=1000,
    read=8000,
    written=0,
    output=1000,
)


def bar(cells: int, figures: Figures = FULL) -> list[str]:
    return [text_of(line) for line in status_lines(figures, cells)]


def test_everything_has_room_on_a_wide_screen() -> None:
    assert bar(140) == [
        "◐ 1:03 · write 3s · ^C stop │ v4-pro · high · ctx: ███░░░░░░░ ~30% · ¥0.12 · 4 turns · 10k tok · hit 89%"
    ]


def test_the_bar_of_the_context_goes_before_any_figure() -> None:
    assert bar(95) == ["◐ 1:03 · write 3s · ^C stop │ v4-pro · high · ctx 30% · ¥0.12 · 4 turns · 10k tok · hit 89%"]


@pytest.mark.parametrize(
    ("cells", "figures"),
    [
        (82, "v4-pro · high · ctx 30% · ¥0.12 · 4 turns · 10k tok"),
        (72, "v4-pro · high · ctx 30% · ¥0.12 · 4 turns"),
        (60, "v4-pro · ctx 30% · ¥0.12"),
        (48, "ctx 30% · ¥0.12"),
        (36, "¥0.12"),
    ],
)
def test_figures_go_in_the_order_of_their_worth(cells: int, figures: str) -> None:
    assert bar(cells) == [f"◐ 1:03 · write 3s · ^C stop │ {figures}"]


def test_two_lines_where_not_even_the_cost_fits() -> None:
    assert bar(30) == ["◐ 1:03 · write 3s · ^C stop", "v4-pro · ctx 30% · ¥0.12"]


@given(st.integers(1, 160))
def test_no_line_is_too_wide(cells: int) -> None:
    assert all(cells_of(line) <= cells for line in status_lines(FULL, cells))


@pytest.mark.parametrize(
    ("figures", "state"),
    [
        (Figures(trouble="! Offline", needs=True, elapsed=1), "! Offline"),
        (Figures(needs=True, elapsed=1), "? Needs you"),
        (Figures(paused="copy", elapsed=1), "⏸ copy"),
        (Figures(elapsed=3700), "◐ 1:01:40"),
        (Figures(), "● Ready"),
    ],
)
def test_j20_the_state_is_a_sign_and_a_word(figures: Figures, state: str) -> None:
    assert bar(80, figures) == [state]


def test_a_full_context_is_marked_without_colour_too() -> None:
    assert (
        "ctx 81%!" in bar(80, Figures(context=81, window=100))[0]
        or "~81%!" in bar(80, Figures(context=81, window=100))[0]
    )


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 10, "0%"), (1, 2, "50%"), (9_999, 10_000, "99.99%"), (999_999, 1_000_000, "99.99%"),
     (995, 1000, "99.5%"), (10, 10, "100%"), (1, 0, "0%")],
)  # fmt: skip
def test_a_share_is_100_only_when_it_is_whole(part: int, whole: int, text: str) -> None:
    assert share(part, whole) == text


def test_numbers_and_times() -> None:
    assert [compact(n) for n in (0, 999, 1000, 1250, 12_345, 3_400_000)] == ["0", "999", "1k", "1.2k", "12k", "3.4M"]
    assert [size(n) for n in (5, 4300, 1_500_000)] == ["5 B", "4.1 KB", "1.4 MB"]
    assert percent(999, 1000) == 99
    assert [clock(s) for s in (0, 59, 61, 3661)] == ["0:00", "0:59", "1:01", "1:01:01"]
    assert [short(s) for s in (3, 61, 7200)] == ["3s", "1m", "2h"]
    now = 10**12
    assert [age(now - ms, now) for ms in (0, 59_000, 300_000, 7_200_000, 172_800_000)] == [
        "now",
        "now",
        "5m",
        "2h",
        "2d",
    ]
    assert age(0, now) == ""


def test_plan_mode_and_the_goal_stay_where_there_is_room_for_little() -> None:
    figures = replace(FULL, mode="plan mode", goal="goal 3/256", clients=2)
    assert bar(140, figures)[0].endswith(
        "│ plan mode · goal 3/256 · v4-pro · high · ctx 30% · ¥0.12 · 2 clients · 4 turns · 10k tok · hit 89%"
    )
    assert bar(56, figures) == ["◐ 1:03 · write 3s · ^C stop │ plan mode · goal 3/256"]
    assert "client" not in bar(140, replace(FULL, clients=1))[0]


GOAL = {
    "goal": {"id": "g", "revision": 1, "objective": "Mend it", "phase": "active", "maxGoalRounds": 9},
    "roundsStarted": 3,
}


@pytest.mark.parametrize(
    ("change", "activation", "figure", "said"),
    [
        ({}, "armed", "goal 3/9", "running · round 3 of 9"),
        ({}, "", "goal 3/9", "running · round 3 of 9"),
        ({}, "disarmed", "goal waits", "waits · round 3 of 9 · /goal resume goes on"),
        ({"phase": "paused"}, "disarmed", "goal paused", "paused · round 3 of 9 · /goal resume goes on"),
        ({"phase": "complete"}, "disarmed", "goal done", "done after 3 of 9 rounds · /goal clear forgets it"),
        (
            {"phase": "blocked", "blockedReason": {"code": "round-limit", "message": "No rounds left."}},
            "",
            "goal blocked",
            "blocked · round 3 of 9 · No rounds left. · /goal resume goes on",
        ),
    ],
)
def test_a_goal_says_how_it_stands(change: dict[str, Any], activation: str, figure: str, said: str) -> None:
    goal = goal_of({**GOAL, "goal": {**GOAL["goal"], **change}}, activation)  # type: ignore[dict-item]
    assert goal_figure(goal) == figure
    assert goal_facts(goal) == [("goal", "Mend it"), ("", said)]


@pytest.mark.parametrize("value", [None, {}, {"goal": None}, "x"])
def test_no_goal_says_nothing(value: object) -> None:
    assert goal_figure(goal_of(value)) == ""
    assert goal_facts(goal_of(value)) == []


def test_plan_mode_is_told_while_it_is_on_or_about_to_change() -> None:
    assert [planning(v) for v in ({"active": True, "pending": False}, {"active": True, "pending": True}, {}, None)] == [
        "plan",
        "plan…",
        "",
        "",
    ]
