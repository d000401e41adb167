"""What a person types for a session and has not sent, kept here so that any of their clients can go on with it.

The last writer wins: two people at one draft is one person who changed the machine. A draft is no fact of the session,
so it stands in the store's settings and not in the log.
"""

from collections.abc import AsyncGenerator, Callable
from typing import Any

import msgspec

from hd.session.board import Board
from hd.session.store.base import Store

_NONE = {"text": "", "cursor": 0, "revision": 0, "updatedAt": None, "by": ""}


class Drafts:
    """One draft a session: `{text, cursor, revision, updatedAt, by}`.

    `cursor` counts characters (code points). `revision` grows with every change, also over a restart; `updatedAt` is in
    ms, null where there is no draft. `by` is what the writing client called itself.
    """

    def __init__(self, store: Store, clock: Callable[[], int]) -> None:
        self._store = store
        self._clock = clock
        self._revision = 0
        self._board = Board()

    async def get(self, session_id: str) -> dict[str, Any]:
        """`SessionNotFound` for a session that is not there."""
        await self._store.session(session_id)
        return await self._store.load_setting(_key(session_id)) or dict(_NONE)

    async def set(self, session_id: str, text: str, cursor: int, by: str) -> dict[str, Any]:
        """The draft as it is now kept; an empty text keeps nothing. `StoreFull` leaves the draft before."""
        await self._store.session(session_id)
        now = self._clock()
        kept = await self._store.load_setting(_key(session_id))
        # The time as a floor lets the revisions of a draft grow over restarts without keeping any of an empty one; of
        # one that is kept they grow also where the clock was set back between.
        self._revision = max(self._revision + 1, now, kept["revision"] + 1 if kept else 0)
        draft = {
            "text": text,
            "cursor": min(cursor, len(text)),
            "revision": self._revision,
            "updatedAt": now if text else None,
            "by": by,
        }
        await self._store.save_setting(_key(session_id), draft if text else None)
        # The store takes changes in their order, so the later of two that were written at once is told last.
        self._board.publish(session_id, msgspec.json.encode(draft))
        return draft

    async def follow(self, session_id: str) -> AsyncGenerator[list[bytes], None]:
        """The draft as it is, then after every change; a slow reader finds the latest only."""
        watcher = self._board.watch(session_id)
        try:
            first = await self.get(session_id)
            if watcher.latest is None:
                watcher.latest = msgspec.json.encode(first)
            async for batch in self._board.read(watcher):
                yield batch
        finally:
            self._board.leave(session_id, watcher)

    def close(self) -> None:
        self._board.close()


def _key(session_id: str) -> str:
    return f"draft/{session_id}"
