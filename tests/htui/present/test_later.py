"""What is held until its model costs less, in one line."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from htui.present.cells import width
from htui.present.later import later_lines
from htui.present.waits import wait_figure, wait_lines
from htui.present.when import moment


@pytest.fixture(autouse=True)
def _beijing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "CST-8")
        time.tzset()
        yield
    time.tzset()


def ms(*clock: int) -> int:
    """By the clock of Beijing."""
    year, month, day, hour, minute = clock
    return round(datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp() - 8 * 3600) * 1000


NOW = ms(2026, 11, 30, 14, 48)
SIX = ms(2026, 11, 30, 18, 0)
NOON = ms(2026, 12, 1, 12, 0)


def shown(lines: Any) -> str:
    return "\n".join("".join(span.text for span in line) for line in lines)


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (SIX, "18:00"),
        (NOON, "Tue 12:00"),
        (ms(2026, 12, 7, 12, 0), "2026-12-07 12:00"),
        (2**60, ""),
    ],
)
def test_a_moment_is_told_by_the_clock_here(at: int, text: str) -> None:
    assert moment(at, NOW) == text


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (None, ""),
        ([], ""),
        ([{"at": "soon", "text": "x"}, 3], ""),
        ([{"id": "a", "text": "sum up\n\x1b[31mthe day", "at": SIX}], "Held until 18:00 · sum up ␛[31mthe day"),
        ([{"text": "b", "at": NOON}, {"text": "a", "at": SIX}], "Held until 18:00 (+1) · a"),
        ([{"text": "a", "at": NOW, "pause": True}], "Held until the turn is over · a"),
    ],
)
def test_x6_what_is_held_is_one_line(value: object, line: str) -> None:
    assert shown(later_lines(value, NOW, 80)) == line


def test_x6_it_is_cut_to_the_room_there_is() -> None:
    (line,) = shown(later_lines([{"text": "字" * 200, "at": SIX}], NOW, 40)).splitlines()
    assert line.startswith("Held until 18:00 · 字")
    assert width(line) <= 40


def test_x6_a_turn_that_waits_for_hours_tells_until_when() -> None:
    line = "⏸ Paused until 18:00 (off-peak) · /later now goes on · Esc stops"
    assert shown(wait_lines("peak", 0, SIX, NOW, 80)) == line
    assert shown(wait_lines("peak", 0, SIX, NOW, 40)).endswith("Esc stops")
    assert wait_figure("peak", 0, SIX, NOW) == ("off-peak in", 3 * 3600 + 12 * 60)
