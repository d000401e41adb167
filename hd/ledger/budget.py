"""A cap on what a session may cost: the next request is refused before it is sent (case H08; pure).

What a request will cost is not known before it is answered. Expected is what can be: its input, of which the part that
the last request already sent is taken to be cached, and an answer as long as the last one. Requests without a known
price count nothing, which is said.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from typing import Any, Final, Literal

from hd.billing.cost import Cost
from hd.protocol import events as tags
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection
from pricing import Tokens, estimate, plain, tokens_of

CURRENCY: Final = "CNY"
LARGEST: Final = Decimal(1_000_000)
_CENT: Final = Decimal("0.01")
_ANSWER: Final = 500
"""Tokens of an answer where none was given yet."""


_WHOSE: Final = {"session": "this session", "day": "all sessions of today"}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not sent, in `CURRENCY`: what was spent, what the request is expected to cost, and the cap.

    `scope` says what is capped: this session, or all sessions of a day.
    """

    spent: Decimal
    expected: Decimal
    cap: Decimal
    unpriced: int
    scope: Literal["session", "day"] = "session"

    @property
    def proposal(self) -> Decimal:
        """A cap that would do: twice the one there is, or so much that two such requests fit."""
        return max(2 * self.cap, self.spent + 2 * self.expected).quantize(_CENT, ROUND_CEILING)

    @property
    def doubt(self) -> str:
        """What the sum leaves out; empty when it leaves out nothing."""
        return f"Earlier requests without a known price, not counted: {self.unpriced}." if self.unpriced else ""

    def sentence(self) -> str:
        command = "/budget day AMOUNT" if self.scope == "day" else "/budget AMOUNT"
        doubt = f" {self.doubt}" if self.doubt else ""
        return (
            f"The next request was not sent: {_WHOSE[self.scope]} cost {plain(self.spent)} of {plain(self.cap)} "
            f"{CURRENCY}, and the request is expected to cost {plain(self.expected)}.{doubt} Nothing is lost; raise "
            f"the cap with {command} and send a message to go on."
        )


def refusal(cost: Cost, cap: Decimal | None, *, size: int, route: tuple[str, str], now: int) -> Refusal | None:
    """None when the next request may be sent: one of `size` tokens at `now` (ms) to provider and model."""
    if cap is None:
        return None
    spent, unpriced = _spent(cost)
    expected = expected_cost(cost, size, route, now)
    return Refusal(spent, expected, cap, unpriced) if spent + expected > cap else None


def parse(text: str) -> Decimal:
    """An amount as people write it; ValueError names what is wrong."""
    try:
        amount = Decimal(text.strip().removeprefix("¥").strip())
    except InvalidOperation:
        raise ValueError(f"{text.strip()[:40]!r} is no amount; write it like 2.50.") from None
    if not amount.is_finite() or not 0 <= amount <= LARGEST:
        raise ValueError(f"A budget lies between 0 and {LARGEST:,}.")
    return amount


def _spent(cost: Cost) -> tuple[Decimal, int]:
    bills = [one.bill for one in cost.models().values()]
    return sum((bill.amount for bill in bills), Decimal(0)), sum(bill.unpriced for bill in bills)


def expected_cost(cost: Cost, size: int, route: tuple[str, str], now: int) -> Decimal:
    """What the next request of `size` tokens at `now` (ms) is expected to cost; 0 without a known price in `CURRENCY`.

    By the prices that its bill will be reckoned by, so the home's own count here too.
    """
    attempts = cost.ledger.attempts
    last = tokens_of(attempts[-1].usage) if len(attempts) else None
    before = last or Tokens(0, 0, 0, _ANSWER)
    cached = min(size, before.input + before.cache_read) if last is not None else 0
    usage = {"inputTokens": size - cached, "cacheReadTokens": cached, "outputTokens": before.output}
    price = estimate(usage, provider=route[0], model=route[1], at_ms=now, tables=cost.tables)
    return price.amount if price.amount is not None and price.currency == CURRENCY else Decimal(0)


def _set(state: Decimal | None, event: Event) -> Decimal | None:
    amount = event.data.get("amount")
    try:
        return None if amount is None else parse(str(amount))
    except ValueError:
        return state


def _view(state: Decimal | None) -> Mapping[str, Any] | None:
    return None if state is None else {"amount": plain(state), "currency": CURRENCY}


BUDGET: Final[Projection[Decimal | None]] = Projection("budget", None, {tags.BUDGET_SET: _set}, _view)
