"""What is known of one session's requests: how far its log was read, and the fold of that."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from hd.billing.cost import Cost
from hd.billing.fold import Standing
from hd.protocol.events import Event
from htui.money.looks import Mark
from pricing import PriceTable


class Account(Struct, frozen=True):
    """All events up to `seen`, priced; `mark` is of before they were read. `seeded`: some were inherited by a fork."""

    seeded: bool
    seen: int
    cost: Cost
    mark: Mark

    def grown(self, events: Iterable[Event], seen: int) -> "Account":
        """With the records up to the event `seen`; those that were counted are passed over."""
        cost = self.cost.grown(event for event in events if event.seq > self.seen)
        return replace(self, cost=cost, seen=max(seen, self.seen))


def opened(*, seeded: bool, tables: PriceTable) -> Account:
    """Of a log of which nothing was read."""
    return Account(seeded, -1, Cost(Standing(seeded=seeded), tables=tables), Mark())
