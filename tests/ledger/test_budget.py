"""When a request is refused because of what the session may cost."""

import json
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.agent.spending import card
from hd.billing.cost import COST, Cost
from hd.ledger.budget import BUDGET, expected_cost, parse, refusal
from hd.protocol.events import Event
from pricing import with_own

ROUTE = ("deepseek-official", "deepseek-flash")
OFF_PEAK = 1_796_000_000_000 - (1_796_000_000_000 % 86_400_000)  # midnight UTC is 08:00 in Shanghai


def spent(*usages: dict[str, int] | None) -> Cost:
    events = [Event("request/context", 0, OFF_PEAK, {"provider": ROUTE[0], "model": ROUTE[1]})]
    for step, usage in enumerate(usages, 1):
        data = {"turn": 1, "step": step, **({"usage": usage} if usage else {})}
        events.append(Event("assistant/message", step, OFF_PEAK, data))
    return COST.fold(events)


USAGE = {"inputTokens": 100_000, "cacheReadTokens": 0, "outputTokens": 10_000}
"""0.1 + 0.04 CNY off-peak."""


def test_h08_the_next_request_is_refused_before_it_could_pass_the_cap() -> None:
    cost = spent(USAGE)
    # Expected: 100,000 from the cache (0.002), 10,000 new (0.01), 10,000 out (0.04).
    assert refusal(cost, Decimal("0.192"), size=110_000, route=ROUTE, now=OFF_PEAK) is None
    found = refusal(cost, Decimal("0.191"), size=110_000, route=ROUTE, now=OFF_PEAK)
    assert found is not None
    assert (found.spent, found.expected) == (Decimal("0.14"), Decimal("0.052"))
    assert "0.14 of 0.191 CNY" in found.sentence()


def test_h08_without_a_cap_nothing_is_refused() -> None:
    assert refusal(spent(*[USAGE] * 50), None, size=10**9, route=ROUTE, now=OFF_PEAK) is None


def test_h06_what_has_no_price_is_named() -> None:
    found = refusal(spent(None, USAGE), Decimal("0.1"), size=1, route=ROUTE, now=OFF_PEAK)
    assert found is not None
    assert "without a known price, not counted: 1." in found.sentence()
    assert found.doubt in card(found, "ask")["detail"].splitlines()
    assert all(card(replace(found, unpriced=0), "ask")["detail"].splitlines())


def test_a_model_without_a_price_is_expected_to_cost_nothing() -> None:
    assert refusal(Cost(), Decimal(0), size=10**6, route=("somebody", "else"), now=OFF_PEAK) is None


@pytest.mark.parametrize(("text", "amount"), [("2.50", "2.50"), (" ¥ 3 ", "3"), ("0", "0")])
def test_amounts_as_people_write_them(text: str, amount: str) -> None:
    assert parse(text) == Decimal(amount)


@given(st.text(max_size=20))
def test_any_other_text_is_one_clear_refusal(text: str) -> None:
    with suppress(ValueError):
        assert 0 <= parse(text) <= 1_000_000


def test_the_last_cap_counts_and_can_be_taken_away() -> None:
    state = BUDGET.fold([Event("budget/set", 0, 0, {"amount": "0.5"}), Event("budget/set", 1, 0, {"amount": "x"})])
    assert state == Decimal("0.5")
    assert BUDGET.apply(state, Event("budget/set", 2, 0, {"amount": None})) is None


OWN = {
    "id": "mine",
    "provider": "house",
    "model": "large",
    "from": "2026-01-01",
    "source": "a contract",
    "timezone": "Asia/Shanghai",
    "weekdays": [1],
    "windows": [[540, 720]],
    "checkedOn": "2026-01-01",
    "peak": {"input": "1000", "cacheRead": "0", "cacheWrite": "0", "output": "0"},
    "offPeak": {"input": "1000", "cacheRead": "0", "cacheWrite": "0", "output": "0"},
}


@pytest.mark.parametrize(("currency", "expected"), [("CNY", Decimal(1)), ("USD", Decimal(0))])
def test_h08_a_request_is_expected_to_cost_by_the_prices_of_its_bill(currency: str, expected: Decimal) -> None:
    tables = with_own("prices.json", json.dumps([{**OWN, "currency": currency}]).encode())
    assert expected_cost(Cost(tables=tables), 1000, ("house", "large"), OFF_PEAK) == expected
