"""What it saves to send a message later, in words (pure)."""

from decimal import Context, Decimal
from typing import Final

from hd.billing.cost import Cost
from hd.ledger.budget import Sending, expected_cost
from hd.ledger.caps import CURRENCY
from pricing import Estimate, estimate, plain

_SHOWN: Final = Context(prec=3)
"""An estimate is good for no more digits."""


def saving(cost: Cost, sending: Sending, now: int, at: int) -> str:
    """What a request costs at `at` instead of `now` (both ms), else a million tokens of it; empty where nobody knows.

    What it is expected to cost goes by the last one, so the first request of a session is told by the rates alone.
    """
    then, today = (expected_cost(cost, sending, moment) for moment in (at, now))
    if then and today and cost.standing.last is not None:
        return (
            f"The next request is expected to cost {_shown(then)} {CURRENCY} then instead of {_shown(today)}, "
            f"{_share(then, today)}."
        )
    before, after = (_rates(cost, sending, moment) for moment in (now, at))
    if before.rates is None or after.rates is None:
        return ""
    return (
        f"A million tokens then cost {plain(after.rates.input)} {after.currency} instead of "
        f"{plain(before.rates.input)}, of the answer {plain(after.rates.output)} instead of "
        f"{plain(before.rates.output)}."
    )


def _rates(cost: Cost, sending: Sending, at: int) -> Estimate:
    nothing = {"inputTokens": 0, "outputTokens": 0}
    return estimate(nothing, provider=sending.provider, model=sending.model, at_ms=at, tables=cost.tables)


def _shown(amount: Decimal) -> str:
    return plain(_SHOWN.plus(amount))


def _share(then: Decimal, today: Decimal) -> str:
    percent = round((1 - then / today) * 100)
    return f"{percent} % less" if percent > 0 else "no less"
