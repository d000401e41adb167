"""One session's log at a host: pages of it, and where it ends."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any, Final, Protocol

from hd.protocol import codes
from htui.errors import ProtocolBroken, RemoteError, Unreachable
from htui.link.following import UNAUTHORIZED, addresses
from htui.link.stream import Stream
from htui.link.threads import beside
from htui.mirror.rows import SessionEntry
from htui.money.reading import End, Reading

REST: Final = 1.0
"""Seconds of rest behind a page at most. It is as long as the page took, so half of the line and of the machine stays
free."""

PATIENCE: Final = 15.0
"""Seconds that a snapshot may take."""

_MOST_PROBES: Final = 100
"""Enough for a list that is 2^50 events behind."""

_NOT_FOUND: Final = (UNAUTHORIZED, codes.SESSION_NOT_FOUND)


class Host(Protocol):
    """`htui.link.link.Link`, as far as logs are read of it."""

    async def call(self, endpoint: str, /, **args: Any) -> Any: ...
    def stream(self, endpoint: str, /, **args: Any) -> Stream: ...


class RemoteLog:
    """Raises `HtuiError` of a call or a stream, `ProtocolBroken` for what is no log."""

    def __init__(self, host: Host, entry: SessionEntry) -> None:
        self._host = host
        self._addresses = list(addresses(entry.session_id, entry))

    async def end(self, sure: int) -> int:
        """The last event, of which `sure` is one."""
        end = End(sure)
        for _ in range(_MOST_PROBES):
            asked = end.probe
            if asked is None:
                return end.sure
            try:
                end = end.found(asked, await self._page({"throughSeq": asked, "maxMessages": 1}))
            except RemoteError as error:
                if error.code != codes.BAD_REQUEST:
                    raise
                end = end.refused(asked)
        raise ProtocolBroken("The host gives pages beyond the end of every log.")

    async def snapshot(self) -> tuple[int, bool]:
        """The last event, and whether the log begins with what a fork inherited."""
        while True:
            request = {"address": self._addresses[0], "maxMessages": 1}
            try:
                async with self._host.stream("session/follow", request=request) as items, asyncio.timeout(PATIENCE):
                    return _told(await anext(items, None))
            except TimeoutError:
                raise Unreachable("The host did not send a session in time.") from None
            except RemoteError as error:
                self._next_address(error)

    async def further(self, now: Reading) -> Reading:
        """A reading with the next page, and a rest behind it. It is taken in beside the event loop: pages are large."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        value = await self._page(now.request())
        now = await beside(partial(now.page, value))
        await asyncio.sleep(min(REST, loop.time() - began))
        return now

    async def _page(self, request: Mapping[str, Any]) -> Any:
        while True:
            try:
                return await self._host.call("session/page", request={"address": self._addresses[0], **request})
            except RemoteError as error:
                self._next_address(error)

    def _next_address(self, error: RemoteError) -> None:
        """Goes on to the next form of the address where that may help."""
        if error.code not in _NOT_FOUND or len(self._addresses) == 1:
            raise error
        self._addresses.pop(0)


def _told(item: Any) -> tuple[int, bool]:
    value = item if isinstance(item, Mapping) else {}
    cursor, header = value.get("cursor"), value.get("header")
    if value.get("type") != "snapshot" or type(cursor) is not int or not isinstance(header, Mapping):
        raise ProtocolBroken("The host began a session with something else than a snapshot.")
    return cursor, header.get("isSeeded") is True
