"""Following a session that may not be in memory.

Whoever opens a long session sees its end at once: the snapshot is read from disk, where the projections of a session
that rests are kept, and the log is folded behind it (WIRE 7.2: a cold session is shown from disk, then promoted).
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import msgspec

from hd.session.hub import Follower
from hd.session.live import DEFAULT_PAGE, Header, snapshot
from hd.session.registry import Registry


async def follow(
    registry: Registry, session_id: str, *, messages: int = DEFAULT_PAGE, stream: bool = False
) -> AsyncGenerator[list[bytes], None]:
    """As `LiveSession.follow`, of any session; `SessionNotFound`. The session is in memory from the second item on."""
    if session_id not in registry.live:
        follower = Follower(stream=stream)
        # In one step of the loop: whatever is recorded from here on, by whoever loads the session first, comes after
        # the cursor and reaches the follower.
        registry.hub.attach(session_id, follower)
        try:
            shown = await _from_disk(registry, session_id, messages)
            if shown is not None:
                if stream:
                    shown["assistantStream"] = {"revision": 0}
                yield [msgspec.json.encode(shown)]
                async with registry.hold(session_id):
                    async for batch in follower.batches():
                        yield batch
                return
        finally:
            registry.hub.detach(session_id, follower)
    async with registry.hold(session_id) as session, aclosing(session.follow(messages=messages, stream=stream)) as live:
        async for batch in live:
            yield batch


async def _from_disk(registry: Registry, session_id: str, messages: int) -> dict[str, Any] | None:
    """The snapshot at the end of a cold log; None where the kept projections are not those of that end.

    They are behind after a kill, and of another make after an upgrade. Begins without giving up its turn of the loop.
    """
    cursor = registry.store.head(session_id)
    row = await registry.store.session(session_id)
    if row.as_of_seq != cursor or row.projections is None:
        return None
    values = msgspec.json.decode(row.projections)
    if values.keys() != registry.public_keys:
        return None
    return await snapshot(registry.store, Header.of(row), cursor, values, messages)
