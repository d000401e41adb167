"""What a session cost so far, as a projection (pure).

All requests but the last are settled: only the last one's record can still be replaced by a better one. So each
event costs the price of one request, however long the session is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hd.ledger.bill import EMPTY, UNATTRIBUTABLE, Bill, BillRow
from hd.ledger.fold import Attempt, Ledger
from hd.protocol.billing import TYPES
from hd.protocol.chunked import ChunkedList
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection
from pricing import PriceTable, Tokens, estimate, plain, tokens_of

Model = tuple[str, str]
Slot = tuple[int, str, str]
"""An hour since the epoch, a provider and a model. Whatever is asked for, a day or a model, is a sum of such slots."""

Slots = Mapping[Slot, "ModelCost"]

HOUR_MS: Final = 3_600_000
NONE: Final = Tokens(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What one model of one provider was used for; `tokens` are those of the requests that told theirs."""

    bill: Bill = EMPTY
    tokens: Tokens = NONE

    def plus(self, attempt: Attempt, tables: PriceTable | None) -> "ModelCost":
        told = tokens_of(attempt.usage)
        tokens = self.tokens if told is None else _sum(self.tokens, told)
        return ModelCost(self.bill.plus(_priced(attempt, tables)), tokens)

    def joined(self, other: "ModelCost") -> "ModelCost":
        return ModelCost(self.bill.joined(other.bill), _sum(self.tokens, other.tokens))

    def to_wire(self) -> dict[str, Any]:
        tokens = self.tokens
        return {
            **bill_to_wire(self.bill),
            "input": tokens.input,
            "cacheRead": tokens.cache_read,
            "cacheWrite": tokens.cache_write,
            "output": tokens.output,
        }


@dataclass(frozen=True, slots=True)
class Cost:
    """`ledger` holds the last request only; the others are in the slots.

    Those of the latest hour stand apart in `lately`, so that a request in a long session copies a few of them.
    """

    ledger: Ledger = field(default_factory=Ledger)
    before: Slots = field(default_factory=dict)
    lately: Slots = field(default_factory=dict)
    tables: PriceTable | None = None

    def slots(self) -> dict[Slot, ModelCost]:
        """All requests, in the order of the first one of each slot. None where it is unknown which were inherited."""
        if not self.ledger.attributable:
            return {}
        attempts = self.ledger.attempts
        found = _joined(self.before, self.lately)
        return _joined(found, self._slot_of(attempts[-1])) if len(attempts) else found

    def models(self) -> dict[Model, ModelCost]:
        """Each model with all of its requests, in the order of their first ones."""
        found: dict[Model, ModelCost] = {}
        for (_, provider, model), cost in self.slots().items():
            found[provider, model] = found.get((provider, model), ModelCost()).joined(cost)
        return found

    def bill(self) -> Bill:
        """All of it in one sum."""
        if not self.ledger.attributable:
            return replace(EMPTY, exact=False, reasons=(UNATTRIBUTABLE,))
        whole = EMPTY
        for one in self.slots().values():
            whole = whole.joined(one.bill)
        return whole

    def apply(self, event: Event) -> "Cost":
        """With one event more; the same object for an event of no concern."""
        attempts, after = self.ledger.attempts, self.ledger.apply(event)
        if after is self.ledger:
            return self
        if not len(after.attempts):
            return Cost(after, tables=self.tables)
        if len(after.attempts) == len(attempts) or not len(attempts):
            return replace(self, ledger=after)
        last = replace(after, attempts=ChunkedList.of([after.attempts[-1]]))
        settled = self._slot_of(after.attempts[-2])
        if _hours(self.lately) == _hours(settled):
            return replace(self, ledger=last, lately=_joined(self.lately, settled))
        return replace(self, ledger=last, before=_joined(self.before, self.lately), lately=settled)

    def _slot_of(self, attempt: Attempt) -> Slots:
        slot = (attempt.time // HOUR_MS, attempt.provider, attempt.model)
        return {slot: ModelCost().plus(attempt, self.tables)}


def _hours(slots: Slots) -> set[int]:
    return {hour for hour, _, _ in slots}


def _joined(some: Slots, others: Slots) -> dict[Slot, ModelCost]:
    found = dict(some)
    for slot, cost in others.items():
        known = found.get(slot)
        found[slot] = cost if known is None else known.joined(cost)
    return found


def bill_to_wire(bill: Bill) -> dict[str, Any]:
    """Amounts are exact decimals as text: a floating point number would round them."""
    return {
        "amount": plain(bill.amount),
        "currency": bill.currency,
        "requests": bill.requests,
        "unpriced": bill.unpriced,
        "exact": bill.exact,
    }


def _view(state: Cost) -> dict[str, Any]:
    whole = state.bill()
    listed = [{"provider": p, "model": m, **cost.to_wire()} for (p, m), cost in state.models().items()]
    return {**bill_to_wire(whole), "reasons": list(whole.reasons), "models": listed}


def _priced(attempt: Attempt, tables: PriceTable | None) -> BillRow:
    price = estimate(attempt.usage, provider=attempt.provider, model=attempt.model, at_ms=attempt.time, tables=tables)
    return BillRow(attempt, price)


def _sum(one: Tokens, other: Tokens) -> Tokens:
    return Tokens(
        one.input + other.input,
        one.cache_read + other.cache_read,
        one.cache_write + other.cache_write,
        one.output + other.output,
    )


def cost_projection(tables: PriceTable | None = None) -> Projection[Cost]:
    """By these prices, or by the shipped ones."""
    return Projection("cost", Cost(tables=tables), dict.fromkeys(TYPES, Cost.apply), _view)


COST: Final = cost_projection()
