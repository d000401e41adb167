"""What it saves to send something later, in words."""

import json

import pytest

from hd.billing.cost import Cost
from hd.later.saving import saving
from hd.ledger.budget import Sending
from pricing import with_own
from tests.later.monday import time_of
from tests.ledger.test_budget import OWN, USAGE, sending, spent

PEAK, CHEAP = time_of(15), time_of(18)


def test_x6_it_goes_by_what_the_next_request_is_expected_to_cost() -> None:
    said = saving(spent(USAGE), sending(110_000), PEAK, CHEAP)
    assert said == "The next request is expected to cost 0.052 CNY then instead of 0.104, 50 % less."
    assert saving(spent(USAGE), sending(123_456_789), PEAK, CHEAP).startswith(
        "The next request is expected to cost 123 CNY then instead of 247"
    )


def test_x6_the_first_request_is_told_by_the_rates() -> None:
    said = saving(Cost(), sending(0), PEAK, CHEAP)
    assert said == "A million tokens then cost 1 CNY instead of 2, of the answer 4 instead of 8."


@pytest.mark.parametrize("route", [("demo", "demo"), ("nobody", "x")])
def test_x6_nothing_is_said_where_no_price_is_known(route: tuple[str, str]) -> None:
    assert saving(spent(USAGE), Sending(1000, *route), PEAK, CHEAP) == ""


def test_x6_another_currency_is_named() -> None:
    cheaper = {**OWN, "currency": "USD", "windows": [[0, 18 * 60]], "offPeak": {**OWN["offPeak"], "input": "250.5"}}
    cost = Cost(tables=with_own("prices.json", json.dumps([cheaper]).encode()))
    said = saving(cost, Sending(1000, "house", "large"), PEAK, CHEAP)
    assert said == "A million tokens then cost 250.5 USD instead of 1000, of the answer 0 instead of 0."
