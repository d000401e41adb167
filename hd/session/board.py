"""Notices: the latest value about each topic, and who watches it.

Unlike a log, only the latest value counts: a watcher that reads slowly finds one notice, never a queue of them.
"""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Watcher:
    """A mailbox for one value; made by `Board.watch`."""

    latest: bytes | None
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class Board:
    """All methods belong to the event loop's thread. Values are JSON."""

    def __init__(self) -> None:
        self._watchers: dict[str, set[Watcher]] = {}
        self._closed = False

    def publish(self, topic: str, value: bytes) -> None:
        for watcher in self._watchers.get(topic, ()):
            watcher.latest = value
            watcher.changed.set()

    def watch(self, topic: str) -> Watcher:
        """From here on nothing is missed; `read` must follow, or `leave`."""
        watcher = Watcher(None)
        self._watchers.setdefault(topic, set()).add(watcher)
        return watcher

    def leave(self, topic: str, watcher: Watcher) -> None:
        watching = self._watchers.get(topic, set())
        watching.discard(watcher)
        if not watching:
            self._watchers.pop(topic, None)

    async def read(self, watcher: Watcher) -> AsyncGenerator[list[bytes], None]:
        """Each value that is the latest when the reader is ready for it, until the board is closed."""
        while not self._closed:
            watcher.changed.clear()
            latest, watcher.latest = watcher.latest, None
            if latest is not None:
                yield [latest]
            else:
                await watcher.changed.wait()

    def close(self) -> None:
        self._closed = True
        for watching in self._watchers.values():
            for watcher in watching:
                watcher.changed.set()
