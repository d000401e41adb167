"""What waits for a person on a host, as `$events` tells it (WIRE 5.2)."""

from collections.abc import Mapping
from typing import Any

from htui.mirror.rows import PendingAsk, pending_ask, text


class Asks:
    """Approvals and questions, oldest first; grows and shrinks in place."""

    def __init__(self) -> None:
        self._asks: dict[str, PendingAsk] = {}
        self._unconfirmed: frozenset[str] = frozenset()

    def all(self) -> tuple[PendingAsk, ...]:
        return tuple(self._asks.values())

    def begin(self) -> None:
        """A new connection: what is held stays until `confirm`, so that a half-written answer is not thrown away."""
        self._unconfirmed = frozenset(self._asks)

    def confirm(self) -> bool:
        """The host had the time to send again what still waits: the rest is settled. True when there was any."""
        gone, self._unconfirmed = self._unconfirmed, frozenset()
        self._asks = {event_id: ask for event_id, ask in self._asks.items() if event_id not in gone}
        return bool(gone)

    def add(self, item: Mapping[str, Any], now: int) -> bool:
        """Takes a request of the host, which keeps its age when it is known; False when nobody here can answer it."""
        event_id = text(item.get("eventId"))
        held = self._asks.get(event_id)
        ask = pending_ask(item, now if held is None else held.since)
        if ask is None:
            return False
        self._unconfirmed -= {event_id}
        self._asks[event_id] = ask
        return True

    def settle(self, event_id: str) -> bool:
        """An ask was answered here or elsewhere, or withdrawn; False when it was none."""
        self._unconfirmed -= {event_id}
        return self._asks.pop(event_id, None) is not None
