"""What the requests of a session cost, reckoned here where the host tells no cost: by the fold of the daemon.

It counts what was sent of the log, and what lies below that where it was read beside it (`htui.money`). While older
pages are missing, the sum says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from hd.protocol.billing import TYPES, trimmed
from hd.protocol.events import Event

if TYPE_CHECKING:
    from hd.billing.cost import Cost
    from pricing import PriceTable

EARLIER: Final = "what came before the pages that are loaded here is not counted; /cost reads it"


class Known(Protocol):
    """What was read of a log beside its mirror: the cost of all events up to `seen`."""

    @property
    def seen(self) -> int: ...
    @property
    def cost(self) -> "Cost": ...


class Spent:
    """The records that are billed by, oldest first, as far as they were sent.

    They are small, so they stay when the mirror lets older rows go; a page that comes again is passed over.
    """

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._first_seq = 0
        self._whole = False
        """Whether nothing lies below `_first_seq`."""
        self._cost: Cost | None = None
        """None when it must be folded anew."""
        self._base: Known | None = None
        """What `_cost` was folded on."""
        self._tables: PriceTable | None = None

    def append(self, event: Event) -> None:
        """Takes the next event of the log."""
        if event.type in TYPES:
            self._events.append(trimmed(event))
            if self._cost is not None:
                self._cost = self._cost.apply(self._events[-1])

    def prepend(self, events: Sequence[Event], *, has_more: bool) -> None:
        """Takes a page that joins what is held; `has_more` says that something lies below it."""
        if events and events[0].seq >= self._first_seq:
            return
        self._events[:0] = _billed(event for event in events if event.seq < self._first_seq)
        self._first_seq = events[0].seq if events else self._first_seq
        self._whole = not has_more
        self._cost = None

    def load(self, events: Iterable[Event], first_seq: int, *, has_more: bool) -> None:
        """Takes a snapshot of what lies from `first_seq` on, in place of all that is held."""
        self._events, self._first_seq, self._whole = _billed(events), first_seq, not has_more
        self._cost = None

    def reload(self, events: Iterable[Event], first_seq: int) -> None:
        """Takes a snapshot that joins what is held below `first_seq`, which stays."""
        self._events = [*(event for event in self._events if event.seq < first_seq), *_billed(events)]
        self._cost = None

    def value(
        self, *, seeded: bool, known: Known | None = None, tables: "PriceTable | None" = None
    ) -> Mapping[str, Any]:
        """In the form of the daemon's `cost`. `seeded`: the log is a fork's, whose inherited requests are free.

        `known` counts for what was not sent, where it joins. By `tables`, or by the shipped prices.
        """
        from hd.billing.cost import COST, Cost  # the prices take time to load, and most hosts tell the cost
        from hd.billing.fold import Standing

        base = known if known is not None and not self._whole and known.seen >= self._first_seq - 1 else None
        if self._cost is None or base is not self._base or tables is not self._tables:
            self._base, self._tables = base, tables
            # A part of a fork in which the end of the inheritance is missing lies behind it.
            begin = Cost(Standing(seeded=seeded and self._whole), tables=tables) if base is None else base.cost
            above = -1 if base is None else base.seen
            self._cost = COST.fold((event for event in self._events if event.seq > above), begin)
        value: dict[str, Any] = COST.view(self._cost) if COST.view is not None else {}
        if self._whole or base is not None:
            return value
        return {**value, "exact": False, "reasons": [EARLIER, *value["reasons"]]}


def _billed(events: Iterable[Event]) -> list[Event]:
    return [trimmed(event) for event in events if event.type in TYPES]
