"""What a session cost so far, as a projection (pure).

All requests but the last are settled: only the last one's record can still be replaced by a better one. So each
event costs the price of one request, and each look at the sum the join of a few, however long the session is.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from hd.billing.bill import EMPTY, UNATTRIBUTABLE, Bill, BillRow, bill_of
from hd.billing.fold import Attempt, Standing
from hd.protocol.billing import TYPES
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection
from pricing import Estimate, Estimator, PriceTable, Tokens, plain, plus, tokens_of

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


NOTHING: Final = ModelCost()


class Cost(Struct, frozen=True):
    """`last` is the cost of the last request; the others are in the slots.

    Those of the latest hour stand apart in `lately`, so that a request in a long session copies a few of them. `closed`
    are those of `before` by model, so that nobody adds up the slots to show a session; `newest` is the latest hour
    there.
    """

    standing: Standing = field(default_factory=Standing)
    last: ModelCost | None = None
    before: Slots = field(default_factory=dict)
    lately: Slots = field(default_factory=dict)
    closed: Models = field(default_factory=dict)
    newest: int = 0
    tables: PriceTable | None = None

    def slots(self) -> dict[Slot, ModelCost]:
        """All requests, in the order of the first one of each slot. None where it is unknown which were inherited."""
        if not self.standing.attributable:
            return {}
        found = {**self.before}
        for slot, one in self._late():
            _add_to(found, slot, one)
        return found

    def models(self) -> Models:
        """Each model with all of its requests, in the order of their first ones."""
        if not self.standing.attributable:
            return {}
        found = {**self.closed}
        for (_, provider, model), one in self._late():
            _add_to(found, (provider, model), one)
        return found

    def bill(self) -> Bill:
        """All of it in one sum."""
        if not self.standing.attributable:
            return replace(EMPTY, exact=False, reasons=(UNATTRIBUTABLE,))
        return whole_of(self.models())

    def latest_hour(self) -> int:
        """The latest hour since the epoch in which a request ended; 0 without one."""
        return max((self.newest, *(slot[0] for slot, _ in self._late())))

    def _late(self) -> list[tuple[Slot, ModelCost]]:
        """What is not in `before`."""
        last = self.standing.last
        return [*self.lately.items(), *([(_slot_of(last), self.last)] if last is not None and self.last else [])]

    def apply(self, event: Event) -> "Cost":
        """With one event more; the same object for an event of no concern."""
        return self.grown((event,))

    def grown(self, events: Iterable[Event]) -> "Cost":
        """With the events that follow; the same as applying one after the other."""
        growing = _Growing(self)
        growing.take(events)
        return growing.cost()


class _Growing:
    """A cost while it grows: sums in place, in a session of a hundred thousand requests as for one."""

    def __init__(self, cost: Cost) -> None:
        self._cost = cost
        self._standing = cost.standing
        self._estimator = Estimator(cost.tables)
        self._before: dict[Slot, ModelCost] | None = None
        """None as long as it is that of `cost`; so is `_closed`."""
        self._closed: dict[Model, ModelCost] = {}
        self._newest = cost.newest
        self._lately = {slot: _Sum(one) for slot, one in cost.lately.items()}
        self._hour = next((hour for hour, _, _ in cost.lately), 0)

    def take(self, events: Iterable[Event]) -> None:
        for event in events:
            standing = self._standing.read(event)
            if standing is self._standing:
                continue
            self._standing = standing
            if standing.settled is not None:
                self._settle(standing.settled)
            elif standing.last is None:
                self._before, self._closed, self._lately, self._newest = {}, {}, {}, 0

    def _settle(self, attempt: Attempt) -> None:
        slot = (attempt.time // HOUR_MS, attempt.provider, attempt.model)
        known = self._lately.get(slot)
        if known is None:
            if slot[0] != self._hour:
                self._close()
                self._hour = slot[0]
            known = self._lately[slot] = _Sum(NOTHING)
        known.add(attempt, self._estimator(attempt.usage, attempt.provider, attempt.model, attempt.time))

    def _close(self) -> None:
        """Another hour begins; a clock that was set may come back to one."""
        if not self._lately:
            return
        if self._before is None:
            self._before, self._closed = {**self._cost.before}, {**self._cost.closed}
        for slot, one in self._lately.items():
            hour, provider, model = slot
            cost = one.cost()
            _add_to(self._before, slot, cost)
            _add_to(self._closed, (provider, model), cost)
            self._newest = max(self._newest, hour)
        self._lately = {}

    def cost(self) -> Cost:
        before, standing = self._cost, self._standing
        if standing is before.standing:
            return before
        return Cost(
            standing=standing,
            last=before.last if standing.last is before.standing.last else self._of_last(),
            before=before.before if self._before is None else self._before,
            lately={slot: one.cost() for slot, one in self._lately.items()},
            closed=before.closed if self._before is None else self._closed,
            newest=self._newest,
            tables=before.tables,
        )

    def _of_last(self) -> ModelCost | None:
        last = self._standing.last
        if last is None:
            return None
        only = _Sum(NOTHING)
        only.add(last, self._estimator(last.usage, last.provider, last.model, last.time))
        return only.cost()


class _Sum:
    """What some requests cost, grown in place. `odd` is the bill of those about which there is something to say."""

    __slots__ = ("amount", "cache_read", "cache_write", "fresh", "odd", "output", "requests")

    def __init__(self, cost: ModelCost) -> None:
        self.odd = cost.bill
        self.amount = Decimal(0)
        self.requests = 0
        self.fresh, self.cache_read, self.cache_write, self.output = cost.tokens

    def add(self, attempt: Attempt, price: Estimate) -> None:
        tokens = price.tokens or tokens_of(attempt.usage) or NONE
        self.fresh += tokens[0]
        self.cache_read += tokens[1]
        self.cache_write += tokens[2]
        self.output += tokens[3]
        certain = price.exact and price.reason is None and price.currency == EMPTY.currency
        if price.amount is None or not certain:
            self.odd = self.odd.joined(bill_of(BillRow(attempt, price)))
        else:
            self.amount = plus(self.amount, price.amount)
            self.requests += 1

    def cost(self) -> ModelCost:
        plain_ones = Bill(self.amount, EMPTY.currency, self.requests, 0, True, ())
        tokens = Tokens(self.fresh, self.cache_read, self.cache_write, self.output)
        return ModelCost(self.odd.joined(plain_ones), tokens)


def whole_of(models: Models) -> Bill:
    """The sum of some models."""
    whole = EMPTY
    for one in models.values():
        whole = whole.joined(one.bill)
    return whole


def _slot_of(attempt: Attempt) -> Slot:
    return attempt.time // HOUR_MS, attempt.provider, attempt.model


def _add_to(found: dict[K, ModelCost], key: K, cost: ModelCost) -> None:
    known = found.get(key)
    found[key] = cost if known is None else known.joined(cost)


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
    return Projection("cost", Cost(tables=tables), dict.fromkeys(TYPES, Cost.apply), _view, Cost.grown)


COST: Final = cost_projection()
