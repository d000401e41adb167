"""When a request is refused because of what the session may cost."""

import json
from contextlib import suppress
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.agent.spending import card
from hd.billing.cost import COST, Cost
from hd.ledger.budget import Sending, Spent, expected_cost, no_price, refusal
from hd.ledger.caps import BUDGET, Caps, DayCap, parse
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


def sending(size: int, **more: Any) -> Sending:
    return Sending(size, *ROUTE, **more)


def capped(cost: Cost, limit: str) -> Spent:
    bill = cost.bill()
    return Spent("session", "s", Decimal(limit), bill.amount, bill.unpriced)


def test_h08_the_next_request_is_refused_before_it_could_pass_the_cap() -> None:
    cost = spent(USAGE)
    # Expected: 100,000 from the cache (0.002), 10,000 new (0.01), 10,000 out (0.04).
    expected = expected_cost(cost, sending(110_000), OFF_PEAK)
    assert expected == Decimal("0.052")
    assert refusal([capped(cost, "0.192")], expected) is None
    found = refusal([capped(cost, "0.191")], expected)
    assert found is not None
    assert "this session cost 0.14 of 0.191 CNY" in found.sentence()
    assert "/allow AMOUNT" in found.sentence()
    assert found.proposal == Decimal("0.39")


def test_h08_the_first_cap_that_it_could_pass_is_named() -> None:
    near, far = Spent("turn", "s", Decimal(1), Decimal("0.9")), Spent("day", "", Decimal(2), Decimal("1.9"))
    for expected, scope in (("0.05", None), ("0.1", None), ("0.2", "turn")):
        found = refusal([near, far], Decimal(expected))
        assert (found and found.spent.scope) == scope
    assert refusal([], Decimal(10**9)) is None


def test_a_request_that_stands_alone_has_nothing_cached_and_a_bounded_answer() -> None:
    alone = expected_cost(spent(USAGE), sending(1_000_000, goes_on=False, answer=1_000), OFF_PEAK)
    assert alone == Decimal(1) + Decimal("0.004")


def test_h08_what_another_model_or_a_changed_history_sent_is_not_taken_to_be_cached() -> None:
    cost, whole = spent(USAGE), Decimal("0.11") + Decimal("0.04")
    assert expected_cost(cost, sending(110_000, goes_on=False), OFF_PEAK) == whole
    other = expected_cost(cost, Sending(110_000, ROUTE[0], "deepseek-v4-flash-x"), OFF_PEAK)
    assert other == whole


def test_h06_what_has_no_price_is_named() -> None:
    found = refusal([capped(spent(None, USAGE), "0.1")], Decimal(1))
    assert found is not None
    assert "without a known price, not counted: 1." in found.sentence()
    assert found.doubt in card(found, "ask")["detail"].splitlines()
    without = replace(found, spent=replace(found.spent, unpriced=0))
    assert all(card(without, "ask")["detail"].splitlines())


def test_a_model_without_a_price_is_expected_to_cost_nothing() -> None:
    assert expected_cost(Cost(), Sending(10**6, "somebody", "else"), OFF_PEAK) == 0
    assert "has no known price" in no_price("somebody", "else", OFF_PEAK, None)
    assert no_price(*ROUTE, OFF_PEAK, None) == ""


@pytest.mark.parametrize(
    ("text", "amount"), [("2.50", "2.50"), (" ¥ 3 ", "3"), ("3 CNY", "3"), ("0", "0"), ("-0", "0"), ("1e-12", "1e-12")]
)
def test_amounts_as_people_write_them(text: str, amount: str) -> None:
    assert (parse(text), str(parse(text))[:1] != "-") == (Decimal(amount), True)


@pytest.mark.parametrize("text", ["1e-13", "1e-20000000", "1e-9999999999", f"0.{'0' * 13}1", "1e7", "Infinity", "nan"])
def test_an_amount_that_takes_no_place(text: str) -> None:
    with pytest.raises(ValueError, match=r"decimal places|lies between"):
        parse(text)


@given(st.text(max_size=20))
def test_any_other_text_is_one_clear_refusal(text: str) -> None:
    with suppress(ValueError):
        assert 0 <= parse(text) <= 1_000_000


def test_the_last_cap_counts_and_can_be_taken_away() -> None:
    def told(*datas: dict[str, Any]) -> Caps:
        return BUDGET.fold([Event("budget/set", seq, 0, data) for seq, data in enumerate(datas)])

    assert told({"amount": "0.5"}, {"amount": "x"}, {"amount": "1", "scope": "odd"}) == Caps(session=Decimal("0.5"))
    assert told({"amount": "0.5"}, {"amount": None}) == Caps()
    both = told({"amount": "0.5"}, {"amount": "0.1", "scope": "turn"}, {"amount": "2", "scope": "turn", "turn": 3})
    assert [both.session, both.of_turn(2), both.of_turn(3)] == [Decimal("0.5"), Decimal("0.1"), Decimal(2)]
    lowered = BUDGET.apply(both, Event("budget/set", 9, 0, {"amount": "0", "scope": "turn"}))
    assert lowered.of_turn(3) == 0
    assert told({"amount": "7529940"}).session == 7529940
    assert BUDGET.view is not None
    assert BUDGET.view(both) == {"amount": "0.5", "turn": "0.1", "currency": "CNY"}
    assert BUDGET.view(told({"amount": "2", "scope": "turn", "turn": 3})) is None


def test_what_is_allowed_for_a_day_counts_for_that_day_only() -> None:
    day = DayCap(Decimal(1), (date(2026, 9, 28), Decimal(3)))
    assert [day.of(date(2026, 9, d)) for d in (27, 28, 29)] == [1, 3, 1]
    assert DayCap(None, (date(2026, 9, 28), Decimal(3))).of(date(2026, 9, 28)) is None
    assert DayCap(Decimal(5), (date(2026, 9, 28), Decimal(3))).of(date(2026, 9, 28)) == 5


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
    assert expected_cost(Cost(tables=tables), Sending(1000, "house", "large"), OFF_PEAK) == expected
    assert ("billed in USD" in no_price("house", "large", OFF_PEAK, tables)) == (currency == "USD")
