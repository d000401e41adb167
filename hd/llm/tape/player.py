"""A provider that answers from a recording: the real one, with what was recorded in the place of the network."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from itertools import count, repeat
from typing import Any, Final

import msgspec

from hd.llm.base import Chunk, ProviderError, Request, Tell, quiet
from hd.llm.carrier import Head, Tap
from hd.llm.deepseek import DeepSeek
from hd.llm.failure import transport
from hd.llm.tape.form import NO_HEAD, Attempt
from hd.llm.tape.veil import Veil

SHOWN: Final = 60
"""Characters of what differs."""


class Played:
    """The body of a recorded answer, a piece at a time. With `timed`, each comes as late as it did."""

    def __init__(self, attempt: Attempt, *, timed: bool, stopped: Callable[[], None]) -> None:
        self.head = Head(attempt.status, dict(attempt.headers))
        self._attempt = attempt
        self._left = list(attempt.pieces)
        self._timed = timed
        self._stopped = stopped
        self._clock = asyncio.get_running_loop().time
        self._began = self._clock()

    async def take(self) -> bytes:
        if self._left:
            piece = self._left.pop(0)
            if self._timed:
                await asyncio.sleep(max(0.0, self._began + piece.at / 1000 - self._clock()))
            return piece.data
        if self._attempt.end == "broke":
            told = self._attempt.outcome
            raise (
                ProviderError(told.message, code="TRANSPORT") if told.failure == "TRANSPORT" else transport("it broke")
            )
        if self._attempt.end == "left" and self._attempt.outcome.stopped:
            # Somebody stopped this turn while the provider was still to be heard.
            self._stopped()
            await asyncio.get_running_loop().create_future()
        if self._attempt.end == "left" and self._attempt.outcome.failure == "TIMEOUT":
            raise TimeoutError
        return b""

    async def body(self, limit: int) -> bytes:
        parts = []
        while limit > 0 and (piece := await self.take()):
            parts.append(piece[:limit])
            limit -= len(piece)
        return b"".join(parts)

    async def settle(self, seconds: float) -> None:
        """Nothing has to be kept open."""


class Player:
    """In the place of a carrier: the attempts in their order, whatever is asked; `differs` is told what was asked else.

    `stopped` hears that the recorded turn was stopped by somebody at this point. Without `timed`, nobody is made to
    wait: neither for a piece nor for as long as the provider had asked for.
    """

    def __init__(
        self,
        attempts: Sequence[Attempt],
        veil: Veil,
        *,
        contents: bool,
        timed: bool = False,
        differs: Callable[[Attempt, str], None] = lambda attempt, text: None,
        stopped: Callable[[], None] = lambda: None,
    ) -> None:
        self._attempts = list(attempts)
        self._all = len(attempts)
        self._veil = veil
        self._contents = contents
        self.timed = timed
        self._differs = differs
        self._stopped = stopped

    @property
    def left(self) -> int:
        return len(self._attempts)

    async def warm(self) -> None:
        """Nothing has to be loaded."""

    async def aclose(self) -> None:
        """Nothing is open."""

    @asynccontextmanager
    async def open(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None = None,
        head_s: float,
        tap: Tap | None = None,
    ) -> AsyncIterator[Played]:
        if method != "POST" or body is None:
            raise transport("a recording lists no models")
        if not self._attempts:
            raise ProviderError(
                f"The recording is at its end: all of its {self._all} answers were played.", code="INVALID_REQUEST"
            )
        attempt = self._attempts.pop(0)
        asked = self._veil.request(msgspec.json.decode(body), contents=self._contents)
        if (found := difference(attempt, asked)) is not None:
            self._differs(attempt, found)
        if attempt.status == NO_HEAD:
            outcome = attempt.outcome
            if outcome.stopped:
                self._stopped()
                await asyncio.get_running_loop().create_future()
            raise ProviderError(outcome.message or "There was no answer.", code=outcome.failure or "TRANSPORT")
        yield Played(attempt, timed=self.timed, stopped=self._stopped)


class Replay(DeepSeek):
    """The provider `replay`. It costs nothing, and no price is known for it.

    Unless the player keeps the time, nobody waits as long as the provider had asked for.
    """

    id = "replay"
    name = "Replay"
    title_model: str | None = None

    def __init__(self, player: Player, model: str) -> None:
        # All requests of a key wait for what one of them was told, so here each has a key of its own.
        numbers = count() if not player.timed else repeat(0)
        super().__init__("", lambda: f"replay-{next(numbers)}", transport=player)
        self.default_model = model
        self._timed = player.timed

    async def stream(self, request: Request, tell: Tell = quiet) -> AsyncGenerator[list[Chunk], None]:
        try:
            async with aclosing(super().stream(request, tell)) as batches:
                async for batch in batches:
                    yield batch
        except ProviderError as problem:
            if not self._timed:
                problem.retry_after_ms = None
            raise


def difference(attempt: Attempt, asked: Mapping[str, Any]) -> str | None:
    """Where a request first differs from the recorded one, in words; None where it does not."""
    for name in ("model", "tools"):
        if asked.get(name) != attempt.request.get(name):
            return f"its {name} differ" if name == "tools" else f"the model is {asked.get(name)}"
    messages = asked.get("messages") or ()
    for number, (old, new) in enumerate(zip(attempt.messages, messages, strict=False), 1):
        if old != new:
            return f"message {number} ({new.get('role')}) {_apart(old, new)}"
    if len(messages) != len(attempt.messages):
        return f"it has {len(messages)} messages, the recorded one {len(attempt.messages)}"
    rest = {name for name in {*asked, *attempt.request} - {"messages"} if asked.get(name) != attempt.request.get(name)}
    return f"other parameters: {', '.join(sorted(rest))}" if rest else None


def _apart(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """What is other in a message: the first field that is, from where it is."""
    name = next(name for name in (*new, *old) if old.get(name) != new.get(name))
    was, now = (_text(message.get(name)) for message in (old, new))
    place = next((n for n, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), min(len(was), len(now)))
    here = slice(place, place + SHOWN)
    return f"says in {name}, from character {place} on, {now[here]!r} instead of {was[here]!r}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
