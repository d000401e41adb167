"""The cost of a session as a value that grows with its log."""

from dataclasses import replace
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from hd.billing.bill import total
from hd.billing.cost import COST, HOUR_MS, Cost
from hd.billing.fold import fold
from hd.protocol.events import Event
from pricing import plain
from tests.ledger.test_fold import DRAFTS, ROUTE, log, message


@given(DRAFTS)
def test_the_value_is_the_bill_of_the_whole_log(drafts: list[tuple[str, dict[str, Any]]]) -> None:
    events = log(*drafts)
    value = COST.view(COST.fold(events)) if COST.view else {}
    bill = total(fold(events))
    assert (value["amount"], value["requests"]) == (plain(bill.amount), bill.requests)
    assert (value["unpriced"], value["exact"]) == (bill.unpriced, bill.exact)
    assert sorted(value["reasons"]) == sorted(bill.reasons)
    assert sum(one["requests"] for one in value["models"]) == bill.requests
    msgspec.json.encode(value)


def test_an_event_of_no_concern_gives_the_same_object_back() -> None:
    state = COST.fold(log(ROUTE, message(1, 1, 1)))
    assert COST.apply(state, Event("tool/call", 9, 9, {})) is state
    assert COST.apply(state, Event("llm/retry-started", 9, 9, {"turn": 9, "step": 9})) is state
    assert COST.fold([]) == Cost()


@given(DRAFTS, st.integers(0, 40), st.integers(0, 40))
def test_many_events_at_once_give_the_same_as_one_after_the_other(
    drafts: list[tuple[str, dict[str, Any]]], one: int, other: int
) -> None:
    """However the log is cut, and with a clock that goes back and forth."""
    events = [replace(event, time=event.time + event.seq * 7 % 5 * HOUR_MS) for event in log(*drafts)]
    first, last = sorted((one, other))
    stepwise = Cost()
    for event in events:
        stepwise = stepwise.apply(event)
    in_parts = Cost().grown(events[:first]).grown(events[first:last]).grown(events[last:])
    assert stepwise == in_parts
    assert stepwise.slots() == in_parts.slots()
    assert COST.view is not None
    assert COST.view(stepwise) == COST.view(in_parts)
    assert stepwise.latest_hour() == max((hour for hour, _, _ in stepwise.slots()), default=0)
