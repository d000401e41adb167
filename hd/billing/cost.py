"""What a session cost so far, as a projection (pure).

All requests but the last are settled: only the last one's record can still be replaced by a better one. So each
event costs the price of one request, and each look at the sum the join of two, however long the session is.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from hd.billing.bill import EMPTY, UNATTRIBUTABLE, Bill, BillRow, bill_of
from hd.billing.fold import Attempt, Ledger
from hd.protocol.billing import TYPES
from hd.protocol.chunked import ChunkedList
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection
from pricing import PriceTable, Tokens, estimate, plain, tokens_of

Model = tuple[str, str]
Slot = tuple[int, str, str]
"""An hour since the epoch, a provider and a model. Whatever is asked for, a day or a model, is a sum of such slots."""

Slots = Mapping[Slot, "ModelCost"]
Models = Mapping[Model, "ModelCost"]
K = TypeVar("K", Slot, Model)

HOUR_MS: Final = 3_600_000
NONE: Final = Tokens(0, 0, 0, 0)


class ModelCost(Struct, frozen=True):
    """What one model of one provider was used for; `tokens` are those of the requests that told theirs."""

    bill: Bill = EMPTY
    tokens: Tokens = NONE

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


class Cost(Struct, frozen=True):
    """`ledger` holds the last request only, `last` its cost; the others are in the slots.

    Those of the latest hour stand apart in `lately`, so that a request in a long session copies a few of them.
    `settled` are the same ones by model, so that nobody adds up the slots to show a session.
    """

    ledger: Ledger = field(default_factory=Ledger)
    last: ModelCost | None = None
    before: Slots = field(default_factory=dict)
    lately: Slots = field(default_factory=dict)
    settled: Models = field(default_factory=dict)
    tables: PriceTable | None = None

    def slots(self) -> dict[Slot, ModelCost]:
        """All requests, in the order of the first one of each slot. None where it is unknown which were inherited."""
        if not self.ledger.attributable:
            return {}
        found = {**self.before}
        _add_to(found, self.lately)
        if self.last is not None:
            _add_to(found, {_slot_of(self.ledger.attempts[-1]): self.last})
        return found

    def models(self) -> Models:
        """Each model with all of its requests, in the order of their first ones."""
        if not self.ledger.attributable:
            return {}
        return (
            self.settled if self.last is None else _with(self.settled, _model_of(self.ledger.attempts[-1]), self.last)
        )

    def bill(self) -> Bill:
        """All of it in one sum."""
        if not self.ledger.attributable:
            return replace(EMPTY, exact=False, reasons=(UNATTRIBUTABLE,))
        return whole_of(self.models())

    def apply(self, event: Event) -> "Cost":
        """With one event more; the same object for an event of no concern."""
        known, after = self.ledger.attempts, self.ledger.apply(event)
        if after is self.ledger:
            return self
        attempts = after.attempts
        if attempts is known:
            return replace(self, ledger=after)
        if not len(attempts):
            return Cost(after, tables=self.tables)
        last = attempts[-1]
        if len(attempts) == len(known) or not len(known):
            return replace(self, ledger=after, last=_cost_of(last, self.tables))
        settled = attempts[-2]
        if settled is known[-1] and self.last is not None:
            return self._settle(settled, self.last, after, _cost_of(last, self.tables))
        return self._settle(settled, _cost_of(settled, self.tables), after, self.last)  # It ran beside the last one.

    def _settle(self, attempt: Attempt, cost: ModelCost, ledger: Ledger, last: ModelCost | None) -> "Cost":
        """With one request more whose record stays as it is, and `last` for the one that may still change."""
        slot, before, lately = _slot_of(attempt), self.before, self.lately
        if lately and slot[0] != next(iter(lately))[0]:
            before, lately = dict(before), {}
            _add_to(before, self.lately)
        return Cost(
            ledger=replace(ledger, attempts=ChunkedList.of([ledger.attempts[-1]])),
            last=last,
            before=before,
            lately=_with(lately, slot, cost),
            settled=_with(self.settled, _model_of(attempt), cost),
            tables=self.tables,
        )


def whole_of(models: Models) -> Bill:
    """The sum of some models."""
    whole = EMPTY
    for one in models.values():
        whole = whole.joined(one.bill)
    return whole


def _slot_of(attempt: Attempt) -> Slot:
    return attempt.time // HOUR_MS, attempt.provider, attempt.model


def _model_of(attempt: Attempt) -> Model:
    return attempt.provider, attempt.model


def _cost_of(attempt: Attempt, tables: PriceTable | None) -> ModelCost:
    """One request, priced."""
    usage = attempt.usage
    price = estimate(usage, provider=attempt.provider, model=attempt.model, at_ms=attempt.time, tables=tables)
    return ModelCost(bill_of(BillRow(attempt, price)), price.tokens or tokens_of(usage) or NONE)


def _with(some: Mapping[K, ModelCost], key: K, cost: ModelCost) -> dict[K, ModelCost]:
    """A copy with one cost more."""
    known = some.get(key)
    return {**some, key: cost if known is None else known.joined(cost)}


def _add_to(found: dict[Slot, ModelCost], others: Slots) -> None:
    for slot, cost in others.items():
        known = found.get(slot)
        found[slot] = cost if known is None else known.joined(cost)


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
