"""Pages of a session's log that are read beside what its mirror holds, and let go again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hd.protocol import codes
from hd.protocol.events import Event
from htui.errors import ProtocolBroken, RemoteError
from htui.link.following import UNAUTHORIZED, WINDOW, addresses
from htui.mirror.records import events_of
from htui.screens.desk import Desk

_NOT_FOUND: Final = (UNAUTHORIZED, codes.SESSION_NOT_FOUND)


@dataclass(frozen=True, slots=True)
class Page:
    """Events in order; `more` says that there are earlier ones."""

    events: Sequence[Event]
    more: bool


class Pages:
    """Reads the log of a session up to `last`, the seq of the event that was the newest at first."""

    def __init__(self, desk: Desk, session_id: str, last: int) -> None:
        self.last = last
        self._desk = desk
        self._addresses = list(addresses(session_id, desk.link.host.session(session_id)))

    async def below(self, seq: int, messages: int = WINDOW) -> Page:
        """The page that ends in front of the event `seq`; `HtuiError`."""
        while True:
            try:
                return self._page(await self._read(self._addresses[0], seq, messages), seq)
            except RemoteError as error:
                if error.code not in _NOT_FOUND or len(self._addresses) == 1:
                    raise
                self._addresses.pop(0)

    async def _read(self, address: Mapping[str, Any], seq: int, messages: int) -> Any:
        request = {"address": address, "throughSeq": self.last, "beforeSeq": seq, "maxMessages": messages}
        return await self._desk.link.call("session/page", request=request)

    @staticmethod
    def _page(value: Any, seq: int) -> Page:
        events = events_of(value.get("records") if isinstance(value, Mapping) else None)
        if events and events[-1].seq != seq - 1:
            raise ProtocolBroken(f"The host sent a page up to {events[-1].seq} where {seq - 1} was due.")
        return Page(events, bool(events) and value.get("hasMore") is True)
