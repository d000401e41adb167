"""Peak hours by the clock of Shanghai, wherever the host stands."""

import json
import os
import subprocess
import sys
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.calendar import closed_days, hour, spell, zone
from pricing.table import shipped
from tests.pricing.moments import beijing

BORDERS = [
    ((8, 59, 59), False),
    ((9, 0, 0), True),
    ((11, 59, 59), True),
    ((12, 0, 0), False),
    ((13, 59, 59), False),
    ((14, 0, 0), True),
    ((17, 59, 59), True),
    ((18, 0, 0), False),
]
SPECIAL = [
    ((2026, 11, 28, 10), False),  # a Saturday
    ((2026, 10, 1, 10), False),  # a holiday on a Thursday
    ((2026, 10, 10, 10), False),  # a Saturday worked for the holiday
    ((2026, 9, 20, 15), False),  # a Sunday worked for the holiday
    ((2026, 10, 8, 10), True),  # the first working day after it
]
CASES = [((2026, 11, 30, *clock), peak) for clock, peak in BORDERS] + SPECIAL


def peak(*clock: int) -> bool:
    price = shipped().prices[0]
    found = hour(beijing(*clock), timezone=price.timezone, weekdays=price.weekdays, windows=price.windows)
    assert found.unknown_year is None
    return found.peak


@pytest.mark.parametrize(("clock", "expected"), CASES)
def test_h04_peak_hours(clock: tuple[int, ...], expected: bool) -> None:
    assert peak(*clock) is expected


SCRIPT = """
import json, sys
from tests.pricing.test_calendar import peak
print(json.dumps([peak(*clock) for clock in json.loads(sys.argv[1])]))
"""


@pytest.mark.parametrize("host_zone", ["America/Los_Angeles", "Asia/Kathmandu", "Europe/Berlin"])
def test_h04_the_time_zone_of_the_host_does_not_matter(host_zone: str) -> None:
    # Sunday 1 November ends summer time in Los Angeles; by then it is Monday in Beijing. In Berlin it is 25 October.
    berlin = [((2026, 10, 26, 8, 59, 59), False), ((2026, 10, 26, 9), True), ((2026, 10, 25, 9), False)]
    cases = [
        *CASES,
        *berlin,
        ((2026, 11, 2, 8, 59, 59), False),
        ((2026, 11, 2, 9), True),
        ((2026, 11, 1, 16, 30), False),
    ]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps([clock for clock, _ in cases])],
        env={**os.environ, "TZ": host_zone},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert json.loads(done.stdout) == [expected for _, expected in cases]


def test_the_holidays_of_2026_are_those_announced() -> None:
    days = closed_days(2026)
    assert days is not None
    on_weekdays = sorted((day.month, day.day) for day in days if day.weekday() < 5)
    assert on_weekdays == [
        *[(1, 1), (1, 2), (2, 16), (2, 17), (2, 18), (2, 19), (2, 20), (2, 23), (4, 6), (5, 1), (5, 4), (5, 5)],
        *[(6, 19), (9, 25), (10, 1), (10, 2), (10, 5), (10, 6), (10, 7)],
    ]
    assert date(2026, 10, 8) not in days


def test_h04_a_year_without_announcement_is_flagged_and_counted_as_worked() -> None:
    found = hour(beijing(2031, 10, 1, 10), timezone="Asia/Shanghai", weekdays=[1, 2, 3, 4, 5], windows=[(540, 720)])
    assert (found.peak, found.unknown_year) == (True, 2031)
    weekend = hour(beijing(2031, 10, 4, 10), timezone="Asia/Shanghai", weekdays=[1, 2, 3, 4, 5], windows=[(540, 720)])
    assert (weekend.peak, weekend.unknown_year) == (False, None)


def test_zones_are_known_or_refused() -> None:
    assert datetime(2026, 7, 1, tzinfo=zone("Asia/Shanghai")).utcoffset() == timedelta(hours=8)
    for wrong in ("Mars/Olympus", "", "../etc/passwd"):
        with pytest.raises(LookupError):
            zone(wrong)


MINUTES = st.integers(0, 24 * 60)


@given(
    st.integers(1, 4_000_000_000_000),
    st.lists(st.tuples(MINUTES, MINUTES), max_size=3),
    st.sets(st.integers(0, 6)),
    st.sampled_from(["Asia/Shanghai", "America/New_York"]),
    st.floats(0, 1),
)
def test_in_a_spell_nothing_changes(
    at_ms: int, windows: list[tuple[int, int]], weekdays: set[int], name: str, part: float
) -> None:
    price: dict[str, Any] = {"timezone": name, "weekdays": weekdays, "windows": windows}
    found, since, until = spell(at_ms, **price)
    assert since <= at_ms < until
    inside = since + int(part * (until - since - 1))
    assert found == hour(at_ms, **price)
    assert all(hour(moment, **price) == found for moment in (since, inside, until - 1) if moment > 0)
