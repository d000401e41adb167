"""The process that the tests kill: appends without end and prints the seq that the store has acknowledged."""

import asyncio
import sys
from pathlib import Path

from hd.session.store.sqlite import SqliteStore
from tests.session.store.make import message


async def main(path: Path) -> None:
    store = await SqliteStore.open(path)
    seq = store.head("session-a") + 1
    while True:
        for _ in range(1 + seq % 7):
            store.append("session-a", [message(seq)])
            seq += 1
        await store.flush(durable=seq % 3 == 0)
        print(seq - 1, flush=True)


asyncio.run(main(Path(sys.argv[1])))
