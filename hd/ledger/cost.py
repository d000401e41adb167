"""What a session cost so far, as a projection (pure).

All requests but the last are settled: only the last one's record can still be replaced by a better one. So each
event costs the price of one request, however long the session is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hd.ledger.bill import EMPTY, Bill, BillRow
from hd.ledger.fold import Attempt, Ledger
from hd.protocol import events as tags
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection
from pricing import Tokens, estimate, plain, tokens_of

Model = tuple[str, str]
NONE: Final = Tokens(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What one model of one provider was used for; `tokens` are those of the requests that told theirs."""

    bill: Bill = EMPTY
    tokens: Tokens = NONE

    def plus(self, attempt: Attempt) -> "ModelCost":
        told = tokens_of(attempt.usage)
        return ModelCost(self.bill.plus(_priced(attempt)), self.tokens if told is None else _sum(self.tokens, told))

    def to_wire(self) -> dict[str, Any]:
        tokens = self.tokens
        return {
            **_wire(self.bill),
            "input": tokens.input,
            "cacheRead": tokens.cache_read,
            "cacheWrite": tokens.cache_write,
            "output": tokens.output,
        }


@dataclass(frozen=True, slots=True)
class Cost:
    """`settled` is by provider and model and holds every request of the ledger but the last."""

    ledger: Ledger = field(default_factory=Ledger)
    settled: Mapping[Model, ModelCost] = field(default_factory=dict)

    def models(self) -> dict[Model, ModelCost]:
        """Each model with all of its requests, in the order of their first ones."""
        attempts = self.ledger.attempts
        return _with(self.settled, attempts[-1]) if len(attempts) else {}


def _apply(state: Cost, event: Event) -> Cost:
    before, after = state.ledger, state.ledger.apply(event)
    if after is before:
        return state
    if len(after.attempts) > len(before.attempts) and len(before.attempts):
        return Cost(after, _with(state.settled, before.attempts[-1]))
    if not len(after.attempts):
        return Cost(after)
    return replace(state, ledger=after)


def _with(settled: Mapping[Model, ModelCost], attempt: Attempt) -> dict[Model, ModelCost]:
    model = (attempt.provider, attempt.model)
    return {**settled, model: settled.get(model, ModelCost()).plus(attempt)}


def _view(state: Cost) -> dict[str, Any]:
    models = state.models()
    whole = EMPTY
    for one in models.values():
        whole = whole.joined(one.bill)
    listed = [{"provider": p, "model": m, **cost.to_wire()} for (p, m), cost in models.items()]
    return {**_wire(whole), "reasons": list(whole.reasons), "models": listed}


def _wire(bill: Bill) -> dict[str, Any]:
    """Amounts are exact decimals as text: a floating point number would round them."""
    return {
        "amount": plain(bill.amount),
        "currency": bill.currency,
        "requests": bill.requests,
        "unpriced": bill.unpriced,
        "exact": bill.exact,
    }


def _priced(attempt: Attempt) -> BillRow:
    price = estimate(attempt.usage, provider=attempt.provider, model=attempt.model, at_ms=attempt.time)
    return BillRow(attempt, price)


def _sum(one: Tokens, other: Tokens) -> Tokens:
    return Tokens(
        one.input + other.input,
        one.cache_read + other.cache_read,
        one.cache_write + other.cache_write,
        one.output + other.output,
    )


_BILLING: Final = (
    tags.REQUEST_CONTEXT,
    tags.ASSISTANT_MESSAGE,
    tags.ASSISTANT_ATTEMPT,
    tags.LLM_RETRY_STARTED,
    tags.SESSION_END_SEED,
    tags.COMPACTION_SUMMARY,
    tags.COMPACTION_END,
)

COST: Final = Projection("cost", Cost(), dict.fromkeys(_BILLING, _apply), _view)
