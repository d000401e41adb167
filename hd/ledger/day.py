"""A cap on what all sessions of a home may cost in a day of Beijing (case H08).

Two requests that are sent at once could pass it together, so what each is expected to cost is set aside until it is
answered. The cap is a setting; what a person allows beyond it counts for the day and is forgotten with the daemon.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from hd.billing.bill import Bill
from hd.billing.cost import HOUR_MS
from hd.ledger.books import day_of
from hd.ledger.budget import Refusal


@dataclass(slots=True)
class DayCap:
    """`today` gives what was spent at a moment (ms) of the day; `cap` is in CNY, None for no bound."""

    today: Callable[[int], Awaitable[Bill]]
    cap: Decimal | None = None
    _raised: tuple[date, Decimal] | None = None
    _reserved: dict[str, Decimal] = field(default_factory=dict)

    async def refusal(self, session_id: str, expected: Decimal, now: int) -> Refusal | None:
        """Why a request of a session is not sent at `now`; None sets its expected cost aside until `release`."""
        cap = self._cap_of(now)
        if cap is None:
            return None
        before = dict(self._reserved)
        bill = await self.today(now)
        # What was released while the books were read may be billed after what they show, so it still counts here.
        others = sum((kept for other, kept in (before | self._reserved).items() if other != session_id), Decimal(0))
        spent = bill.amount + others
        if spent + expected > cap:
            return Refusal(spent, expected, cap, bill.unpriced, "day")
        self._reserved[session_id] = expected
        return None

    def bound(self, cap: Decimal | None) -> None:
        """Sets the cap, or takes it away."""
        self.cap = cap
        self._raised = None

    def release(self, session_id: str) -> None:
        """The request was answered, or was not sent: from now on its bill counts."""
        self._reserved.pop(session_id, None)

    def allow(self, amount: Decimal, now: int) -> None:
        """A person allowed so much for the day of `now`."""
        self._raised = (day_of(now // HOUR_MS), amount)

    def _cap_of(self, now: int) -> Decimal | None:
        if self.cap is None or self._raised is None or self._raised[0] != day_of(now // HOUR_MS):
            return self.cap
        return max(self.cap, self._raised[1])
