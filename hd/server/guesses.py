"""How often an address may be wrong about a token. Pure: time comes in as an argument, in ms."""

import ipaddress
from typing import Final

LIMIT: Final = 10
WINDOW_MS: Final = 60_000
MAX_PLACES: Final = 1024
"""So many addresses are remembered; one more forgets the one that was wrong least recently."""

NETWORK_BITS: Final = 64
"""Of an IPv6 address these bits count: whoever has one address of such a network has all of them."""


class Guesses:
    """The wrong tokens of the last minute, by address. After `LIMIT` of them an address is not listened to for a while.

    A token has 256 bits and is not found by guessing; this keeps the attempts, and what they cost, few and seen.
    """

    def __init__(self) -> None:
        self._wrong: dict[str, list[int]] = {}

    def pause(self, address: str | None, now_ms: int) -> int:
        """Seconds, rounded up, until a token from `address` is looked at again; 0 when it is now."""
        recent = self._recent(_place(address), now_ms)
        return -(-(recent[0] + WINDOW_MS - now_ms) // 1000) if len(recent) >= LIMIT else 0

    def wrong(self, address: str | None, now_ms: int) -> None:
        """Notes a wrong token."""
        place = _place(address)
        recent = [*self._recent(place, now_ms), now_ms][-LIMIT:]
        self._wrong.pop(place, None)
        if len(self._wrong) >= MAX_PLACES:
            del self._wrong[next(iter(self._wrong))]
        self._wrong[place] = recent

    def _recent(self, place: str, now_ms: int) -> list[int]:
        """What lies in the future was noted before the clock was set back, and would never pass."""
        return [time for time in self._wrong.get(place, ()) if now_ms - WINDOW_MS < time <= now_ms]


def _place(address: str | None) -> str:
    try:
        found = ipaddress.ip_address((address or "").partition("%")[0])
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, NETWORK_BITS), strict=False))
