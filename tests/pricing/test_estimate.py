"""Exact amounts, honest gaps, and the property that money is plain arithmetic."""

import decimal
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pricing
from pricing import Estimator, estimate, shipped
from pricing.cost import plain, tokens_of, total
from tests.pricing.moments import beijing

PRO: dict[str, Any] = {"provider": "deepseek-official", "model": "deepseek-v4-pro"}
FLASH: dict[str, Any] = {"provider": "deepseek-official", "model": "deepseek-flash"}
MONDAY_PEAK = beijing(2026, 9, 14, 10)
MONDAY_NIGHT = beijing(2026, 9, 14, 23)


def usage(fresh: int, read: int, output: int, **more: Any) -> dict[str, Any]:
    return {"inputTokens": fresh, "cacheReadTokens": read, "outputTokens": output, **more}


def test_h02_a_cache_hit_is_billed_once() -> None:
    counts = usage(100_000, 900_000, 10_000, totalTokens=1_010_000)
    assert pricing.estimate(counts, **PRO, at_ms=MONDAY_PEAK).amount == Decimal("1.44")
    assert pricing.estimate(counts, **PRO, at_ms=MONDAY_NIGHT).amount == Decimal("0.72")
    assert pricing.estimate(counts, **FLASH, at_ms=MONDAY_PEAK).amount == Decimal("0.316")
    assert pricing.estimate(counts, **FLASH, at_ms=MONDAY_NIGHT).amount == Decimal("0.158")


def test_the_rows_say_how_the_amount_came_about() -> None:
    found = pricing.estimate(usage(1, 2, 3), **FLASH, at_ms=MONDAY_PEAK)
    assert [(row.kind, row.tokens, str(row.rate), plain(row.amount)) for row in found.rows] == [
        ("input", 1, "2", "0.000002"),
        ("cacheRead", 2, "0.04", "0.00000008"),
        ("cacheWrite", 0, "2", "0"),
        ("output", 3, "8", "0.000024"),
    ]
    assert found.amount == total(row.amount for row in found.rows)
    assert (found.price_id, found.peak, found.currency, found.exact) == (
        "deepseek-flash-2026-09-10",
        True,
        "CNY",
        True,
    )


@pytest.mark.parametrize(
    "provider,model", [("deepseek-official", "gpt-5"), ("other", "deepseek-flash"), ("deepseek-official", "")]
)
def test_h06_an_unknown_model_or_provider_is_unpriced_never_zero(provider: str, model: str) -> None:
    found = pricing.estimate(usage(1, 2, 3), provider=provider, model=model, at_ms=MONDAY_PEAK)
    assert (found.amount, found.reason, found.exact) == (None, "no price version", False)


def test_h06_a_time_before_the_first_version_is_unpriced() -> None:
    first = beijing(2026, 9, 10)
    assert pricing.estimate(usage(1, 1, 1), **FLASH, at_ms=first).amount is not None
    assert pricing.estimate(usage(1, 1, 1), **FLASH, at_ms=first - 1).reason == "no price version"


@pytest.mark.parametrize(
    "counts",
    [
        None,
        {},
        {"inputTokens": 1},
        {"outputTokens": 1},
        usage(-1, 0, 0),
        usage(1, 0, 0, totalTokens=2),
        {"inputTokens": 1.0, "outputTokens": 1},
        {"inputTokens": True, "outputTokens": 1},
        {"inputTokens": "1", "outputTokens": 1},
        usage(2**53, 0, 0),
        [1, 2],
    ],
)
def test_unusable_counts_are_missing_usage(counts: Any) -> None:
    assert pricing.estimate(counts, **FLASH, at_ms=MONDAY_PEAK).reason == "missing usage"


@pytest.mark.parametrize("at_ms", [None, 0, -1, True, 2**70])
def test_a_request_without_a_time_is_unpriced(at_ms: Any) -> None:
    found = pricing.estimate(usage(1, 1, 1), **FLASH, at_ms=at_ms)
    assert (found.amount, found.reason) == (None, "missing time")


def test_cache_writes_that_the_price_list_does_not_know_are_unsupported() -> None:
    found = pricing.estimate(usage(1, 1, 1, cacheWriteTokens=1), **FLASH, at_ms=MONDAY_PEAK)
    assert (found.amount, found.reason) == (None, "unsupported usage")


def test_contradictory_figures_are_priced_and_marked() -> None:
    found = pricing.estimate(usage(1, 1, 1, exact=False), **FLASH, at_ms=MONDAY_PEAK)
    assert found.amount is not None
    assert (found.reason, found.exact) == ("contradictory usage", False)


def test_a_year_without_announced_holidays_is_priced_and_marked() -> None:
    found = pricing.estimate(usage(1, 1, 1), **FLASH, at_ms=beijing(2031, 6, 2, 10))
    assert found.amount is not None
    assert (found.reason, found.exact, found.peak) == ("no announced holidays for 2031", False, True)
    night = pricing.estimate(usage(1, 1, 1), **FLASH, at_ms=beijing(2031, 6, 2, 20))
    assert (night.reason, night.exact) == (None, True)


def test_the_demo_bills_nothing_and_says_so() -> None:
    found = pricing.estimate(None, provider="demo", model="demo", at_ms=None)
    assert (found.amount, found.reason, found.exact) == (Decimal(0), "demo (nothing is billed)", True)


COUNT = st.integers(0, 10**9)


@given(COUNT, COUNT, COUNT, st.booleans(), st.sampled_from([(PRO, (9, "0.3", 27)), (FLASH, (2, "0.04", 8))]))
def test_an_amount_is_plain_arithmetic(fresh: int, read: int, output: int, peak: bool, price: Any) -> None:
    who, rates = price
    found = pricing.estimate(usage(fresh, read, output), **who, at_ms=MONDAY_PEAK if peak else MONDAY_NIGHT)
    exact = sum(Fraction(rate) * n for rate, n in zip(rates, (fresh, read, output), strict=True)) / 10**6
    assert found.amount is not None
    assert Fraction(found.amount) == (exact if peak else exact / 2)


@given(st.lists(st.decimals(0, 10**12, places=12), max_size=40))
def test_a_total_is_exact_in_any_decimal_context(amounts: list[Decimal]) -> None:
    with decimal.localcontext(decimal.Context(prec=3)):
        summed = total(amounts)
    assert Fraction(summed) == sum(map(Fraction, amounts), Fraction(0))


@given(COUNT, COUNT, COUNT)
def test_counts_that_add_up_are_taken_as_they_are(fresh: int, read: int, output: int) -> None:
    tokens = tokens_of(usage(fresh, read, output, totalTokens=fresh + read + output))
    assert tokens is not None
    assert (tokens.input, tokens.cache_read, tokens.cache_write, tokens.output) == (fresh, read, 0, output)


@given(st.decimals(0, 10**15, places=12))
def test_a_plain_amount_is_the_same_number(amount: Decimal) -> None:
    text = plain(amount)
    assert Decimal(text) == amount
    assert "E" not in text
    assert not ("." in text and text.endswith(("0", ".")))


EDGES = sorted({edge for price in shipped().prices for edge in (price.start, price.end) if edge is not None})


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["deepseek-flash", "deepseek-v4-pro", "deepseek-v4-flash-x", "unknown"]),
            st.sampled_from(EDGES) | st.just(1_796_000_000_000),
            st.integers(-90_000_000, 90_000_000),
        ),
        max_size=30,
    )
)
def test_what_is_remembered_of_prices_changes_none(asked: list[tuple[str, int, int]]) -> None:
    usage = {"inputTokens": 1_000_000, "outputTokens": 1}
    estimator = Estimator()
    for model, edge, off in asked:
        once = estimate(usage, provider="deepseek-official", model=model, at_ms=edge + off)
        assert estimator(usage, "deepseek-official", model, edge + off) == once
