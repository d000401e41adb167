"""The sessions in memory: who holds one, and which of them may be dropped.

A session is held by whoever works with it across a wait: a request, a follower, an agent's turn. Only what nobody holds
is ever dropped, and the look and the drop are one step of the loop; so nobody can meet a session that is not in memory
any more, whatever arrives meanwhile.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

IDLE_S: Final = 600.0
"""Seconds after which a session that nobody holds is dropped."""

MOST_IDLE: Final = 64
MOST_IDLE_BYTES: Final = 64 << 20
"""More sessions than this, or logs of more bytes in all, do not wait in memory for those who may come back."""


class Holds:
    """Who holds one session. `since` is when the last one let go, in seconds of a clock that nobody sets."""

    def __init__(self, ticks: Callable[[], float]) -> None:
        self.count = 0
        self.since = ticks()
        self.ended = False
        self._ticks = ticks

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps the session in memory while the block lasts."""
        self.take()
        try:
            yield
        finally:
            self.let_go()

    def take(self) -> None:
        if self.ended:
            raise RuntimeError("this session was dropped from memory; ask the registry for it again")
        self.count += 1

    def let_go(self) -> None:
        self.count -= 1
        self.since = self._ticks()

    def end(self) -> None:
        """The session is dropped: nobody can hold it any more."""
        assert not self.count
        self.ended = True


class Tenant(Protocol):
    """Who keeps something of a session beside it for as long as it is in memory."""

    def rests(self, session_id: str) -> bool:
        """Whether nothing of it would be missed that a load does not bring back."""
        ...

    def leave(self, session_id: str) -> None:
        """Drops it. Nobody holds the session."""
        ...


@dataclass(frozen=True, slots=True)
class Resting:
    """A session that nobody holds: since when, in seconds, and the size of its log in bytes."""

    id: str
    since: float
    weight: int


def overdue(
    resting: Iterable[Resting],
    now: float,
    *,
    idle_s: float = IDLE_S,
    most: int = MOST_IDLE,
    most_bytes: int = MOST_IDLE_BYTES,
) -> list[str]:
    """Which of them are to be dropped: those that rest too long, and the least recently used beyond the bounds (pure).

    However large its log, the last used one stays until its time is over: its client is the likeliest to come back.
    """
    dropped: list[str] = []
    kept = kept_bytes = 0
    for one in sorted(resting, key=lambda one: (-one.since, one.id)):
        fits = not kept or (kept < most and kept_bytes + one.weight <= most_bytes)
        if fits and now - one.since < idle_s:
            kept += 1
            kept_bytes += one.weight
        else:
            dropped.append(one.id)
    return dropped
