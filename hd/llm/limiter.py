"""How many requests of one key are on their way at once, and when the next one may go.

A provider counts by key, so all sessions of a key share one limiter: where one is refused for its rate, all wait. The
number of requests at once is found as a network finds its speed: a refusal halves it, each answer that begins adds one,
and without a refusal it is so large that nobody meets it.

`Pace` decides and is pure; `Limiter` keeps the queue and the timer.
"""

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Final

from hd.llm.base import ProviderError, Tell, Waiting, quiet
from hd.llm.retry import FIRST_DELAY_MS, MAX_DELAY_MS, MAX_RETRY_AFTER_MS

MOST_AT_ONCE: Final = 64
SPREAD: Final = 0.1
"""Share of a pause that is added by chance, so that several daemons with one key do not come back together."""
MOST_SPREAD_S: Final = 1.0
GAP_S: Final = 0.1
"""At most so many seconds lie between two that set out while the right number is still looked for."""
LOOK_AGAIN_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Pace:
    """`window` may be on their way at once and `active` are; none sets out before `opens`.

    Times are seconds of a clock that nobody sets. `halved` is when the window was last halved, `refusals` counts those
    since an answer last began.
    """

    window: int = MOST_AT_ONCE
    active: int = 0
    opens: float = 0.0
    halved: float = float("-inf")
    refusals: int = 0

    def wait(self, now: float) -> float | None:
        """Seconds until the next request may set out, 0 for now; None where one has to end first."""
        if now < self.opens:
            return self.opens - now
        return 0.0 if self.active < self.window else None

    def begun(self, now: float, chance: float) -> "Pace":
        """One has set out. `chance` is from [0, 1), here and below."""
        settled = self.window == MOST_AT_ONCE
        opens = self.opens if settled else max(self.opens, now + chance * GAP_S)
        return replace(self, active=self.active + 1, opens=opens)

    def accepted(self) -> "Pace":
        """An answer has begun. It may take minutes, so its end is not waited for."""
        return replace(self, window=min(self.window + 1, MOST_AT_ONCE), refusals=0)

    def ended(self) -> "Pace":
        return replace(self, active=self.active - 1)

    def refused(self, error: ProviderError, began: float, now: float, chance: float) -> "Pace":
        """One that began at `began` was refused. Others of the same burst that are refused too say nothing new."""
        pause = _pause_of(error, self.refusals)
        opens = max(self.opens, now + pause + chance * min(SPREAD * pause, MOST_SPREAD_S)) if pause else self.opens
        if began <= self.halved:
            return replace(self, opens=opens)
        window = max(1, min(self.window, self.active) // 2)
        return replace(self, window=window, opens=opens, halved=now, refusals=self.refusals + 1)


def is_refusal(error: ProviderError) -> bool:
    """Whether a failure is about how much is asked, and not about what."""
    return error.code == "RATE_LIMIT" or (error.code == "SERVER" and bool(error.retry_after_ms))


def _pause_of(error: ProviderError, refusals: int) -> float:
    """Seconds for which all wait. None wait where the provider asks for more than is waited for: each is told so."""
    asked = error.retry_after_ms
    if asked is not None and asked > MAX_RETRY_AFTER_MS:
        return 0.0
    return (asked or min(FIRST_DELAY_MS << min(refusals, 10), MAX_DELAY_MS)) / 1000


class Limiter:
    """The requests of one key: those that wait set out in the order in which they came."""

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self.pace = Pace()
        self._chance = chance
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def idle(self) -> bool:
        """Whether a new one would go on just as this one."""
        return not self._waiting and self.pace == replace(Pace(), opens=self.pace.opens, halved=self.pace.halved)

    @asynccontextmanager
    async def place(self, tell: Tell = quiet) -> AsyncIterator[Callable[[], None]]:
        """A place among those on their way, for as long as the block runs; `tell` hears why it is waited for.

        The block calls what it is given when its answer begins. A `ProviderError` that leaves it is taken into account.
        """
        began = await self._enter(tell)
        try:
            yield self._accept
        except ProviderError as error:
            if is_refusal(error):
                self.pace = self.pace.refused(error, began, _now(), self._chance())
            raise
        finally:
            self._leave()

    def close(self) -> None:
        """Ends all waiting."""
        for turn in self._waiting:
            turn.cancel()
        self._waiting.clear()
        self._pump()

    async def _enter(self, tell: Tell) -> float:
        """Waits for a place and gives the time at which it was got."""
        now = _now()
        if not self._waiting and self.pace.wait(now) == 0:
            self.pace = self.pace.begun(now, self._chance())
            return now
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._pump()
        try:
            await self._turn_comes(turn, tell)
        except BaseException:
            if turn.done() and not turn.cancelled():
                self._leave()
            elif turn in self._waiting:
                self._waiting.remove(turn)
                self._pump()
            raise
        return _now()

    async def _turn_comes(self, turn: asyncio.Future[None], tell: Tell) -> None:
        since = _now()
        while True:
            tell(self._why(since))
            await asyncio.wait((turn,), timeout=LOOK_AGAIN_S)
            if turn.done():
                turn.result()
                tell(None)
                return

    def _why(self, since: float) -> Waiting:
        now = _now()
        left = self.pace.opens - now
        if left > GAP_S:
            return Waiting("limit", now - since, left)
        return Waiting("place", now - since)

    def _accept(self) -> None:
        self.pace = self.pace.accepted()
        self._pump()

    def _leave(self) -> None:
        self.pace = self.pace.ended()
        self._pump()

    def _pump(self) -> None:
        """Lets go who may go, and comes back when the next one may."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._waiting:
            now = _now()
            wait = self.pace.wait(now)
            if wait is None:
                return
            if wait > 0:
                self._timer = asyncio.get_running_loop().call_later(wait, self._pump)
                return
            turn = self._waiting.popleft()
            if not turn.done():
                self.pace = self.pace.begun(now, self._chance())
                turn.set_result(None)


class Limiters:
    """The limiter of each key."""

    def __init__(self) -> None:
        self._by_key: dict[str, Limiter] = {}

    def of(self, key: str) -> Limiter:
        found = self._by_key.get(key)
        if found is None:
            # Keys change seldom; what nobody waits for any more is forgotten then.
            self._by_key = {known: one for known, one in self._by_key.items() if not one.idle}
            found = self._by_key[key] = Limiter()
        return found

    def close(self) -> None:
        for limiter in self._by_key.values():
            limiter.close()


def _now() -> float:
    return asyncio.get_running_loop().time()
