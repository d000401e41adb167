"""Whether a cap lets the next request go, before it is sent (case H08; pure).

What a request will cost is not known before it is answered. Expected is what can be: its input, of which the part that
the last request to the same model already sent is taken to be cached, unless a summary or another change replaced it,
and an answer as long as the last one. Requests without a known price count nothing, which is said.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Final, Literal

from hd.billing.cost import Cost
from hd.ledger.caps import CURRENCY
from pricing import Estimate, PriceTable, Tokens, estimate, plain, tokens_of

Scope = Literal["turn", "session", "day"]

_CENT: Final = Decimal("0.01")
_ANSWER: Final = 500
"""Tokens of an answer where none was given yet."""

_WHOSE: Final = {"turn": "this turn", "session": "this session", "day": "all sessions of today"}


@dataclass(frozen=True, slots=True)
class Sending:
    """A request that is about to be sent, of `size` tokens.

    `goes_on` says that it begins with what the last one to its model sent. `answer` is the longest answer it asks for,
    where that is bounded.
    """

    size: int
    provider: str
    model: str
    goes_on: bool = True
    answer: int | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """What a cap of `limit` has to hold: `amount`, of which some is only expected, and requests without a price.

    `owner` is the session whose turn or whole is meant; empty for a day.
    """

    scope: Scope
    owner: str
    limit: Decimal
    amount: Decimal
    unpriced: int = 0

    @property
    def room(self) -> Decimal:
        return self.limit - self.amount


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not sent that is `expected` to cost so much, in `CURRENCY`."""

    spent: Spent
    expected: Decimal

    @property
    def bound(self) -> tuple[Scope, str, Decimal]:
        """Which cap it is, and how high."""
        return self.spent.scope, self.spent.owner, self.spent.limit

    @property
    def proposal(self) -> Decimal:
        """A cap that would do: twice the one there is, or so much that two such requests fit."""
        return whole_cents(max(2 * self.spent.limit, self.spent.amount + 2 * self.expected))

    @property
    def doubt(self) -> str:
        """What the sum leaves out; empty when it leaves out nothing."""
        unpriced = self.spent.unpriced
        return f"Earlier requests without a known price, not counted: {unpriced}." if unpriced else ""

    def sentence(self) -> str:
        spent, doubt = self.spent, f" {self.doubt}" if self.doubt else ""
        return (
            f"The next request was not sent: {_WHOSE[spent.scope]} cost {plain(spent.amount)} of {plain(spent.limit)} "
            f"{CURRENCY}, and the request is expected to cost {plain(self.expected)}.{doubt} Nothing is lost; "
            "/allow AMOUNT lets it spend so much more, and a message goes on."
        )


def refusal(caps: Iterable[Spent], expected: Decimal) -> Refusal | None:
    """None when a request that is expected to cost so much may be sent, else the first cap that it could pass."""
    return next((Refusal(spent, expected) for spent in caps if expected > spent.room), None)


def whole_cents(amount: Decimal) -> Decimal:
    """No less than `amount`."""
    return amount.quantize(_CENT, ROUND_CEILING)


def expected_cost(cost: Cost, sending: Sending, now: int) -> Decimal:
    """What a request at `now` (ms) is expected to cost a session; 0 without a known price in `CURRENCY`.

    By the prices that its bill will be reckoned by, so the home's own count here too.
    """
    last = cost.standing.last
    before = (last and tokens_of(last.usage)) or Tokens(0, 0, 0, _ANSWER)
    answer = before.output if sending.answer is None else sending.answer
    same = last is not None and (last.provider, last.model) == (sending.provider, sending.model)
    cached = min(sending.size, before.input + before.cache_read) if same and sending.goes_on else 0
    usage = {"inputTokens": sending.size - cached, "cacheReadTokens": cached, "outputTokens": answer}
    price = estimate(usage, provider=sending.provider, model=sending.model, at_ms=now, tables=cost.tables)
    return _amount(price) or Decimal(0)


def no_price(provider: str, model: str, now: int, tables: PriceTable | None) -> str:
    """Why no cap can hold what a model costs; empty where one can."""
    nothing = {"inputTokens": 0, "cacheReadTokens": 0, "outputTokens": 0}
    price = estimate(nothing, provider=provider, model=model, at_ms=now, tables=tables)
    if _amount(price) is not None:
        return ""
    known = "has no known price" if price.amount is None else f"is billed in {price.currency}"
    return f"{model} {known}, so what it costs is not counted."


def _amount(price: Estimate) -> Decimal | None:
    return price.amount if price.currency == CURRENCY else None
