"""What all sessions of a home cost: by day, week and month of Beijing, by model and by hour (pure but for its growing).

The same fold that prices one session prices them all (`hd.billing.cost`) from the parts of the logs that are billed by.
Nothing is stored: the books are made anew from the logs, so a corrected price table counts for the past at once.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from hd.billing.bill import EMPTY, Bill, rows
from hd.billing.bill import total as total_of
from hd.billing.cost import HOUR_MS, Cost
from hd.billing.fold import Standing, fold
from hd.billing.summary import BEIJING_H, day_of, periods, summary_of
from hd.protocol.billing import Records
from hd.protocol.events import Event
from pricing import PriceTable, plain

_DAY_H: Final = 24


class Books:
    """The costs of all sessions, grown by what was recorded since. `seen` says how far each session was read."""

    def __init__(self, tables: PriceTable | None = None) -> None:
        self.seen: dict[str, int] = {}
        self._tables = tables
        self._costs: dict[str, Cost] = {}
        self._latest: dict[str, int] = {}
        """The hour of each session's latest request, so that a look at a day passes over those of other days."""

    def grow(self, new: Iterable[Records]) -> None:
        """Adds what was recorded since."""
        for records in new:
            known = self._costs.get(records.session_id)
            cost = known or Cost(Standing(seeded=records.is_seeded), tables=self._tables)
            grown = self._costs[records.session_id] = cost.grown(_events(records.bodies))
            self._latest[records.session_id] = grown.latest_hour()
            self.seen[records.session_id] = records.seen

    def sessions(self) -> list[tuple[str, Bill]]:
        """Every session that asked a model, the dearest first."""
        bills = [(session_id, cost.bill()) for session_id, cost in self._costs.items()]
        return sorted((one for one in bills if one[1].requests or one[1].reasons), key=lambda one: -one[1].amount)

    def of(self, session_ids: Iterable[str]) -> Bill:
        """What these sessions cost together."""
        whole = EMPTY
        for session_id in session_ids:
            if session_id in self._costs:
                whole = whole.joined(self._costs[session_id].bill())
        return whole

    def today(self, now_ms: int) -> Bill:
        """What the day of `now_ms` cost so far."""
        period, whole = periods(now_ms)["today"], EMPTY
        recent = [session_id for session_id, hour in self._latest.items() if hour >= now_ms // HOUR_MS - _DAY_H]
        for session_id in recent:
            for (hour, _, _), one in self._costs[session_id].slots().items():
                if period.holds(day_of(hour)):
                    whole = whole.joined(one.bill)
        return whole

    def summary(self, now_ms: int) -> dict[str, Any]:
        """The answer of `money/summary`: each period with its models, the hours of today, the latest days."""
        return summary_of(self._costs.values(), now_ms)


def explain(records: Records, tables: PriceTable | None = None) -> dict[str, Any]:
    """Every request of a session with its price, from all its parts; the amounts add up to `total`.

    Without rows where a fork's own requests cannot be told apart; `reasons` says it.
    """
    ledger = fold(_events(records.bodies), seeded=records.is_seeded)
    priced = rows(ledger, tables) if ledger.attributable else []
    bill = total_of(ledger, tables)
    return {
        "sessionId": records.session_id,
        "currency": bill.currency,
        "total": plain(bill.amount),
        "unpriced": bill.unpriced,
        "exact": bill.exact,
        "reasons": list(bill.reasons),
        "rows": [row.to_wire() for row in priced],
    }


def moment(at_ms: int) -> str:
    """A time as people in Beijing write it, for tables."""
    return (datetime.fromtimestamp(at_ms / 1000, UTC) + timedelta(hours=BEIJING_H)).strftime("%Y-%m-%d %H:%M:%S")


def _events(bodies: Iterable[bytes]) -> Iterable[Event]:
    return (Event.from_wire(msgspec.json.decode(body)) for body in bodies)
