"""The process that the tests kill while it copies a log: a line for each slice that is on disk."""

import asyncio
import sys
from pathlib import Path

from hd.session.store import copies
from hd.session.store.base import SessionRow
from hd.session.store.sqlite import SqliteStore


async def main(path: Path) -> None:
    copies.SLICE_S = 0.0  # type: ignore[misc]
    store = await SqliteStore.open(path)

    async def tell() -> None:
        while True:
            await store.flush()
            print("slice", flush=True)

    telling = asyncio.create_task(tell())
    await store.copy_session(SessionRow("session-b", 2), "session-a", store.head("session-a"), [])
    telling.cancel()


asyncio.run(main(Path(sys.argv[1])))
