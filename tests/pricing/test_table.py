"""Table files: what is accepted, what is refused and where the text says it is wrong; and finding a price."""

import json
import subprocess
import sys
from typing import Any

import pytest

from pricing.match import canonical, find
from pricing.table import Price, PriceError, PriceTable, load, shipped
from tests.pricing.moments import beijing

RATES = {"input": "1", "cacheRead": "0.1", "cacheWrite": "1", "output": "2"}


def found_id(prices: tuple[Price, ...], model: str, at_ms: int) -> str | None:
    price = find(prices, "p", model, at_ms)
    return None if price is None else price.id


ENTRY: dict[str, Any] = {
    "id": "one",
    "provider": "p",
    "model": "m",
    "from": "2026-01-01",
    "currency": "CNY",
    "source": "a price list",
    "timezone": "Asia/Shanghai",
    "weekdays": [1, 2],
    "windows": [[540, 720]],
    "peak": RATES,
    "offPeak": RATES,
}


def table(*entries: Any) -> PriceTable:
    return load([("mine.json", json.dumps(entries).encode())])


def test_the_shipped_table_has_what_the_price_list_says() -> None:
    flash, pro = shipped().prices
    assert [str(rate) for rate in (flash.peak.input, flash.peak.cache_read, flash.peak.output)] == ["2", "0.04", "8"]
    assert [str(rate) for rate in (pro.peak.input, pro.peak.cache_read, pro.peak.output)] == ["9", "0.3", "27"]
    for price in shipped().prices:
        assert price.start == beijing(2026, 9, 10)
        for name in ("input", "cache_read", "cache_write", "output"):
            assert getattr(price.off_peak, name) * 2 == getattr(price.peak, name)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"provider": None}, "provider must be a text"),
        ({"model": " "}, "model must be a text"),
        ({"from": "yesterday"}, "from must be a date"),
        ({"from": "2026-01-01T10:00:00"}, "needs an offset"),
        ({"until": "2026-01-01"}, "until must be later"),
        ({"currency": "yuan"}, "three capitals"),
        ({"timezone": "Mars/Olympus"}, "timezone Mars/Olympus is unknown"),
        ({"weekdays": [7]}, "weekdays must be"),
        ({"weekdays": [True]}, "weekdays must be"),
        ({"windows": [[720, 540]]}, "out of order"),
        ({"windows": [[0, 1500]]}, "outside the day"),
        ({"windows": [[540]]}, "pairs of minutes"),
        ({"windows": [[540, 720], [700, 800]]}, "out of order"),
        ({"aliases": "m*"}, "aliases must be a list"),
        ({"peak": {**RATES, "input": 0.04}}, "peak.input must be a decimal number in quotes"),
        ({"peak": {**RATES, "input": "-1"}}, "peak.input"),
        ({"offPeak": {"input": "1"}}, "offPeak must have exactly"),
        ({"price": "1"}, "price is unknown"),
    ],
)
def test_a_bad_entry_is_refused_by_file_and_name(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(PriceError, match=problem) as caught:
        table({**ENTRY, **change})
    assert str(caught.value).startswith("mine.json, entry one: ")


def test_other_shapes_are_refused() -> None:
    with pytest.raises(PriceError, match=r"mine\.json is not JSON"):
        load([("mine.json", b"[")])
    with pytest.raises(PriceError, match="must be a JSON array"):
        load([("mine.json", b"{}")])
    with pytest.raises(PriceError, match=r"mine\.json, entry 2: it must be an object"):
        table(ENTRY, 3)
    with pytest.raises(PriceError, match="entry one: source is missing"):
        table({key: value for key, value in ENTRY.items() if key != "source"})


def test_clashes_are_refused_and_versions_that_follow_each_other_are_not() -> None:
    later = {**ENTRY, "id": "two", "from": "2026-06-01"}
    with pytest.raises(PriceError, match="entry two: overlaps one"):
        table(ENTRY, later)
    with pytest.raises(PriceError, match="entry one: the id is used twice"):
        table(ENTRY, {**ENTRY, "model": "other"})
    with pytest.raises(PriceError, match=r"shares the alias x\*"):
        table({**ENTRY, "aliases": ["x*"]}, {**later, "model": "other", "aliases": ["X*"]})
    prices = table({**ENTRY, "until": "2026-06-01"}, later).prices
    border = beijing(2026, 6, 1)
    assert [found_id(prices, "m", at) for at in (border - 1, border)] == ["one", "two"]


def test_a_time_with_an_offset_is_taken_as_it_is() -> None:
    (price,) = table({**ENTRY, "from": "2026-01-01T00:00:00+08:00", "until": None}).prices
    assert price.start == beijing(2026, 1, 1)


@pytest.mark.parametrize(
    ("model", "found"),
    [
        ("deepseek-flash", "deepseek-flash-2026-09-10"),
        ("deepseek-v4-flash", "deepseek-flash-2026-09-10"),
        ("deepseek-v4-flash-vision-exp", "deepseek-flash-2026-09-10"),
        ("DeepSeek-V4。1-Flash-0915 ", "deepseek-flash-2026-09-10"),
        ("deepseek-v4-pro", "deepseek-v4-pro-2026-09-10"),
        ("deepseek-v4.1-pro-x", "deepseek-v4-pro-2026-09-10"),
        ("deepseek-flash-2", None),
        ("deepseek", None),
    ],
)
def test_models_are_found_by_name_and_alias(model: str, found: str | None) -> None:
    price = find(shipped().prices, "deepseek-official", model, beijing(2026, 10, 1))
    assert (price and price.id) == found


def test_a_name_wins_over_aliases_and_a_longer_alias_over_a_shorter() -> None:
    prices = table(
        {**ENTRY, "aliases": ["x*"]},
        {**ENTRY, "id": "two", "model": "n", "aliases": ["x-long*"]},
        {**ENTRY, "id": "three", "model": "x-long-name"},
    ).prices
    at = beijing(2026, 2, 1)
    assert [found_id(prices, name, at) for name in ("x-1", "x-long-1", "x-long-name")] == ["one", "two", "three"]
    assert find(prices, "P", "m", at) is None


def test_canonical_names() -> None:
    assert canonical(" DeepSeek－V4．1｡x。y ") == "deepseek-v4.1.x.y"


def test_importing_the_package_loads_nothing_else() -> None:
    script = "import sys, pricing; print([m for m in sys.modules if m.startswith(('pricing.', 'decimal', 'holidays'))])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
