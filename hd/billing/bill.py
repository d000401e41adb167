"""What the requests of a ledger cost, row by row and together (pure)."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from hd.billing.fold import Attempt, Ledger
from pricing import Estimate, Estimator, PriceTable, plain, plus, tokens_of

MOST_REASONS: Final = 8
UNATTRIBUTABLE: Final = "the end of what this fork inherited is missing, so its own requests cannot be told apart"


class BillRow(Struct, frozen=True):
    """One request and its price."""

    attempt: Attempt
    price: Estimate

    def to_wire(self) -> dict[str, Any]:
        """As in `hd cost --explain --json`: token counts and amount null where they are not known."""
        tokens = tokens_of(self.attempt.usage)
        return {
            "time": self.attempt.time,
            "provider": self.attempt.provider,
            "model": self.attempt.model,
            "input": tokens and tokens.input,
            "cacheRead": tokens and tokens.cache_read,
            "cacheWrite": tokens and tokens.cache_write,
            "output": tokens and tokens.output,
            "priceId": self.price.price_id,
            "peak": self.price.peak,
            "amount": None if self.price.amount is None else plain(self.price.amount),
            "reason": self.price.reason,
        }


class Bill(Struct, frozen=True):
    """The sum of the priced requests of one currency.

    `unpriced` requests are not in `amount`; `exact` is False when there are any or when a price rests on an assumption.
    `reasons` names what there is to say, each once, at most `MOST_REASONS`.
    """

    amount: Decimal
    currency: str
    requests: int
    unpriced: int
    exact: bool
    reasons: tuple[str, ...]

    def joined(self, other: "Bill") -> "Bill":
        """Both bills as one; they are of one currency."""
        return Bill(
            plus(self.amount, other.amount),
            self.currency,
            self.requests + other.requests,
            self.unpriced + other.unpriced,
            self.exact and other.exact,
            _united(self.reasons, other.reasons),
        )


def _united(some: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """Each reason once. Mostly there are none, or none that is new."""
    if not others or some == others:
        return some
    return tuple(dict.fromkeys((*some, *others)))[:MOST_REASONS]


def bill_of(row: BillRow, *, currency: str = "CNY") -> Bill:
    """The bill of one request. A row in another currency counts as unpriced."""
    price, reason = row.price, row.price.reason
    priced = price.amount is not None and price.currency == currency
    if not priced:
        reason = reason or f"billed in {price.currency}"
    said = () if reason is None else (f"{row.attempt.provider}/{row.attempt.model}: {reason}",)
    amount = price.amount if priced and price.amount is not None else Decimal(0)
    return Bill(amount, currency, 1, 0 if priced else 1, price.exact and priced, said)


EMPTY: Final = Bill(Decimal(0), "CNY", 0, 0, True, ())


def rows(ledger: Ledger, tables: PriceTable | None = None) -> list[BillRow]:
    """Every request of the session with its price, in the order of the log."""
    estimator = Estimator(tables)
    return [BillRow(one, estimator(one.usage, one.provider, one.model, one.time)) for one in ledger.attempts]


def total(ledger: Ledger, tables: PriceTable | None = None, *, currency: str = "CNY") -> Bill:
    """The bill of a session. A fork whose inheritance cannot be told apart has no amount of its own: 0, not exact."""
    if not ledger.attributable:
        count = len(ledger.attempts)
        return Bill(Decimal(0), currency, count, count, False, (UNATTRIBUTABLE,))
    return add(rows(ledger, tables), currency=currency)


def add(priced: Iterable[BillRow], *, currency: str = "CNY") -> Bill:
    """The bill of some rows, of one session or of many. A row in another currency counts as unpriced."""
    bill = replace(EMPTY, currency=currency)
    for row in priced:
        bill = bill.joined(bill_of(row, currency=currency))
    return bill
