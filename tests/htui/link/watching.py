"""A link under test, and waiting for what it tells."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from htui.link.address import Address
from htui.link.cookies import CookieFolder
from htui.link.link import Change, Link, LinkChanged
from htui.link.login import Auth
from tests.support.replay_host import TOKEN, FakeHost

SESSION = "session-1"


class Watch:
    """Collects the changes of a link and waits for what they make true."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._came = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self.link: Link

    def __call__(self, change: Change) -> None:
        self.changes.append(change)
        task = asyncio.create_task(self._tell())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self) -> None:
        async with self._came:
            self._came.notify_all()

    async def until(self, condition: Callable[[], Any]) -> None:
        async with asyncio.timeout(10), self._came:
            await self._came.wait_for(condition)

    async def phase(self, phase: str) -> None:
        await self.until(lambda: self.link.status.phase == phase)

    def phases(self) -> list[str]:
        return [change.status.phase for change in self.changes if isinstance(change, LinkChanged)]


@asynccontextmanager
async def running(link: Link) -> AsyncIterator[Link]:
    """`link` while it runs."""
    task = asyncio.create_task(link.run())
    try:
        yield link
    finally:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


@asynccontextmanager
async def linked(host: FakeHost, tmp_path: Path, token: str | None = TOKEN) -> AsyncIterator[tuple[Link, Watch]]:
    """A link to `host` while it runs, and what it tells."""
    watch = Watch()
    auth = Auth(CookieFolder(tmp_path / "auth"))
    watch.link = Link(Address(host.url, token), auth, watch, chance=lambda: 0.5)
    async with running(watch.link):
        yield watch.link, watch


def snapshot(cursor: int = -1, records: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "type": "snapshot",
        "header": {"id": SESSION, "createdAt": 1},
        "cursor": cursor,
        "records": records or [],
        "hasMore": False,
        "projections": {"asOfSeq": cursor, "values": {}},
        "assistantStream": {"revision": 0},
        **more,
    }


def event(seq: int, kind: str, data: dict[str, Any]) -> dict[str, Any]:
    return {"type": "event", "event": {"type": kind, "seq": seq, "time": 1000 + seq, "data": data}}
