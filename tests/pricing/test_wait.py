"""The first moment at which a model is not at peak."""

import json

import pytest

from pricing import PriceTable, load, off_peak_from, shipped
from tests.pricing.moments import beijing

OFFICIAL = "deepseek-official"
NINE = 9 * 60

CASES = [
    ((2026, 11, 30, 8, 59, 59), (2026, 11, 30, 8, 59, 59)),
    ((2026, 11, 30, 9), (2026, 11, 30, 12)),
    ((2026, 11, 30, 11, 59, 59), (2026, 11, 30, 12)),
    ((2026, 11, 30, 12), (2026, 11, 30, 12)),
    ((2026, 11, 30, 13, 59, 59), (2026, 11, 30, 13, 59, 59)),
    ((2026, 11, 30, 14), (2026, 11, 30, 18)),
    ((2026, 11, 30, 17, 59, 59), (2026, 11, 30, 18)),
    ((2026, 11, 30, 18), (2026, 11, 30, 18)),
    ((2026, 11, 28, 10), (2026, 11, 28, 10)),  # a Saturday
    ((2026, 10, 1, 10), (2026, 10, 1, 10)),  # a holiday on a Thursday
    ((2026, 10, 10, 10), (2026, 10, 10, 10)),  # a Saturday worked for the holiday
    ((2026, 10, 8, 10), (2026, 10, 8, 12)),  # the first working day after it
]


@pytest.mark.parametrize(("at", "cheap"), CASES)
@pytest.mark.parametrize("model", ["deepseek-flash", "DeepSeek-V4-Pro"])
def test_x6_it_is_cheap_at_each_border_when_the_price_says_so(
    at: tuple[int, ...], cheap: tuple[int, ...], model: str
) -> None:
    assert off_peak_from(OFFICIAL, model, beijing(*at)) == beijing(*cheap)


@pytest.mark.parametrize(
    ("provider", "model", "at"),
    [
        (OFFICIAL, "nobody-knows", beijing(2026, 11, 30, 10)),
        ("demo", "deepseek-flash", beijing(2026, 11, 30, 10)),
        (OFFICIAL, "deepseek-flash", beijing(2020, 1, 1, 10)),  # before any price
        (OFFICIAL, "deepseek-flash", 0),
    ],
)
def test_x6_without_a_price_nobody_knows(provider: str, model: str, at: int) -> None:
    assert off_peak_from(provider, model, at) is None


def table(*entries: dict[str, object]) -> PriceTable:
    """Versions of one price that differ from the first shipped one by what is given."""
    rates = {"input": "2", "cacheRead": "0.04", "cacheWrite": "2", "output": "8"}
    whole = [
        {
            "id": f"m-{number}",
            "provider": "p",
            "model": "m",
            "currency": "CNY",
            "source": "a test",
            "timezone": "Asia/Shanghai",
            "from": "2026-01-01",
            "weekdays": [1, 2, 3, 4, 5],
            "windows": [[NINE, 12 * 60]],
            "peak": rates,
            "offPeak": rates,
            **entry,
        }
        for number, entry in enumerate(entries)
    ]
    return load([("test.json", json.dumps(whole).encode())])


def test_x6_a_price_that_changes_changes_the_wait() -> None:
    changes = "2026-11-30T10:30:00+08:00"
    cheaper = table({"until": changes}, {"from": changes, "windows": []})
    assert off_peak_from("p", "m", beijing(2026, 11, 30, 9, 20), cheaper) == beijing(2026, 11, 30, 10, 30)
    longer = table({"until": changes}, {"from": changes, "windows": [[NINE, 20 * 60]]})
    assert off_peak_from("p", "m", beijing(2026, 11, 30, 9, 20), longer) == beijing(2026, 11, 30, 20)
    ends = table({"until": changes})
    assert off_peak_from("p", "m", beijing(2026, 11, 30, 9, 20), ends) is None


def test_x6_a_price_without_peak_is_never_waited_for_and_one_without_its_end_is_not_known() -> None:
    at = beijing(2026, 11, 30, 10)
    assert off_peak_from("p", "m", at, table({"windows": []})) == at
    all_day = [[0, 24 * 60]]
    assert off_peak_from("p", "m", at, table({"windows": all_day})) == beijing(2026, 12, 5)
    assert off_peak_from("p", "m", at, table({"windows": all_day, "weekdays": [*range(7)]})) is None


def test_x6_every_minute_before_it_is_at_peak() -> None:
    """A second way to the same answer, over a week that holds all weekdays."""
    price = shipped().prices[0]
    start = beijing(2026, 11, 30)
    for moment in range(start, start + 7 * 86_400_000, 37 * 60_000):
        cheap = off_peak_from(price.provider, price.model, moment)
        assert cheap is not None
        local = (moment - start) // 60_000
        day, minute = divmod(local, 24 * 60)
        ends = [end for first, end in price.windows if first <= minute < end and day < 5]
        assert cheap == (start + (day * 24 * 60 + ends[0]) * 60_000 if ends else moment)
