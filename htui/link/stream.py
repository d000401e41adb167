"""One logical stream as its reader sees it."""

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any

from htui.errors import HtuiError, Lagging

BOUND = 64 * 1024 * 1024
"""Bytes of frames that may wait for a reader before its stream is given up."""


class Stream:
    """An asynchronous iterator over the items of a stream; closing it tells the host to stop.

    It ends with the host's `end`, and raises `RemoteError` for the host's `error`, `Lagging` when it is read too
    slowly, and what the connection was lost with. Items that came before are read first. Several readers share the
    items: each goes to one of them.
    """

    def __init__(self, stop: Callable[["Stream"], None]) -> None:
        self._stop = stop
        self._items: deque[tuple[Any, int]] = deque()
        self._waiting = 0
        self._over = False
        self._error: HtuiError | None = None
        self._wake: asyncio.Future[None] | None = None

    def __aiter__(self) -> "Stream":
        return self

    async def __anext__(self) -> Any:
        await self._some()
        value, size = self._items.popleft()
        self._waiting -= size
        return value

    async def batch(self) -> list[Any]:
        """All items that are there by now, at least one; StopAsyncIteration at the end, like `__anext__`."""
        await self._some()
        values = [value for value, _ in self._items]
        self._items.clear()
        self._waiting = 0
        return values

    async def aclose(self) -> None:
        self.close()

    def close(self) -> None:
        """Tells the host to stop; a reader that waits sees the end."""
        if not self._over:
            self.finish(None)
            self._stop(self)
        self._items.clear()

    async def __aenter__(self) -> "Stream":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def put(self, value: Any, size: int) -> None:
        """For the connection: an item of `size` bytes came."""
        if self._over:
            return
        self._waiting += size
        if self._waiting > BOUND:
            self.close()
            self._error = Lagging("A stream was read too slowly and was closed; opening it again starts afresh.")
            return
        self._items.append((value, size))
        self._notify()

    def finish(self, error: HtuiError | None) -> None:
        """For the connection: nothing more comes."""
        if not self._over:
            self._over = True
            self._error = error
            self._notify()

    async def _some(self) -> None:
        while not self._items:
            if self._over:
                if self._error is not None:
                    raise self._error
                raise StopAsyncIteration
            if self._wake is None:
                self._wake = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._wake)

    def _notify(self) -> None:
        wake, self._wake = self._wake, None
        if wake is not None:
            wake.set_result(None)
