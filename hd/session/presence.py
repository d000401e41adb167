"""Who looks at which session: nothing that is kept, so it is neither in the log nor in the store."""

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from hd.session.board import Board

_TOPIC = "presence"


@dataclass(slots=True)
class _Here:
    since: int
    streams: int = 0


class Presence:
    """`{sessionId: [{clientId, since}]}`, the one who came first at the front; sessions that nobody follows are absent.

    `clientId` is the one that the client's first `$events` stream on the same connection is given; `since` is in ms.
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._here: dict[str, dict[str, _Here]] = {}
        self._board = Board()

    @contextmanager
    def following(self, session_id: str, client_id: str) -> Iterator[None]:
        """Counts a client in while the block lasts; several streams of it count as one."""
        here = self._here.setdefault(session_id, {}).setdefault(client_id, _Here(self._clock()))
        here.streams += 1
        if here.streams == 1:
            self._publish()
        try:
            yield
        finally:
            here.streams -= 1
            if not here.streams:
                del self._here[session_id][client_id]
                if not self._here[session_id]:
                    del self._here[session_id]
                self._publish()

    def view(self) -> dict[str, Any]:
        return {
            session_id: [{"clientId": client_id, "since": here.since} for client_id, here in clients.items()]
            for session_id, clients in self._here.items()
        }

    async def follow(self) -> AsyncGenerator[list[bytes], None]:
        """The whole of it, then again after every change."""
        watcher = self._board.watch(_TOPIC)
        watcher.latest = msgspec.json.encode({"sessions": self.view()})
        try:
            async for batch in self._board.read(watcher):
                yield batch
        finally:
            self._board.leave(_TOPIC, watcher)

    def close(self) -> None:
        self._board.close()

    def _publish(self) -> None:
        self._board.publish(_TOPIC, msgspec.json.encode({"sessions": self.view()}))
