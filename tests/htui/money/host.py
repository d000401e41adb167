"""A host in memory that tells no cost: its logs, its list that may lag, its pages, and what was read of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hd.billing.cost import Cost
from hd.billing.fold import Standing
from hd.billing.summary import summary_of
from hd.protocol import codes
from hd.protocol.events import Event
from htui.errors import RemoteError
from htui.link.changes import LinkStatus
from htui.link.following import UNAUTHORIZED
from htui.link.stream import Stream
from htui.mirror import HostMirror
from pricing import PriceTable

EVENTS_A_MESSAGE = 4


@dataclass
class Kept:
    """A session: `lag` events are missing in what its row tells, `broken` says that it cannot be read."""

    events: list[Event]
    updated_at: int
    seeded: bool = False
    row: dict[str, Any] = field(default_factory=dict)
    lag: int = 0
    loaded: bool = False
    broken: bool = False

    @property
    def as_of(self) -> int:
        return max(-1, len(self.events) - 1 - (0 if self.loaded else self.lag))

    def listed(self, session_id: str) -> dict[str, Any]:
        block = {"kind": "sequenced" if self.loaded else "cached", "asOfSeq": self.as_of, "values": {}}
        return {"sessionId": session_id, "updatedAt": self.updated_at, "projections": block, **self.row}


class LogsHost:
    """As `htui.link.link.Link`. `pages` are the answers of `session/page`, each as (session, first and last event)."""

    def __init__(self, sessions: Mapping[str, Kept]) -> None:
        self.sessions = dict(sessions)
        self.host = HostMirror()
        self.status = LinkStatus("online")
        self.pages: list[tuple[str, int, int]] = []
        self.followed: list[str] = []
        self.on_page: Callable[[str], None] = lambda session_id: None

    async def call(self, endpoint: str, /, **args: Any) -> Any:
        return self.answer(endpoint, **args)

    def answer(self, endpoint: str, /, **args: Any) -> Any:
        if endpoint == "session/list":
            return {"items": [kept.listed(known) for known, kept in self.sessions.items()]}
        assert endpoint == "session/page"
        return self._page(args["request"])

    def stream(self, endpoint: str, /, **args: Any) -> Stream:
        assert endpoint == "session/follow"
        stream = Stream(lambda _: None)
        try:
            session_id, kept = self._addressed(args["request"]["address"])
        except RemoteError as error:
            stream.finish(error)
            return stream
        self.followed.append(session_id)
        last = kept.events[-1:]
        header = {"id": session_id, "createdAt": 1, "isSeeded": kept.seeded}
        item = {"type": "snapshot", "header": header, "cursor": len(kept.events) - 1, "records": _records(last)}
        stream.put({**item, "hasMore": len(kept.events) > 1}, 0)
        return stream

    def whole(self, tables: PriceTable | None, now: int) -> dict[str, Any]:
        """What all of it costs, by the fold of the whole logs."""
        costs = []
        for kept in self.sessions.values():
            cost = Cost(Standing(seeded=kept.seeded), tables=tables)
            for event in kept.events:
                cost = cost.apply(event)
            costs.append(cost)
        return summary_of(costs, now)

    def _addressed(self, address: Mapping[str, Any]) -> tuple[str, Kept]:
        session_id = address.get("childSessionId") or address["sessionId"]
        kept = self.sessions[session_id]
        self.on_page(session_id)
        if kept.broken:
            raise RemoteError(codes.INTERNAL, "the log is damaged")
        mode = kept.row.get("mode")
        if (mode is not None) != (address["kind"] == "subagent") or (mode and address["mode"] != mode):
            raise RemoteError(UNAUTHORIZED if mode else codes.SESSION_NOT_FOUND, "another address is wanted")
        return session_id, kept

    def _page(self, request: Mapping[str, Any]) -> dict[str, Any]:
        session_id, kept = self._addressed(request["address"])
        through, before = request["throughSeq"], request.get("beforeSeq")
        if not 0 <= through < len(kept.events):
            raise RemoteError(codes.BAD_REQUEST, "beyond the log")
        last = through if before is None else min(through, before - 1)
        first = max(0, last + 1 - request["maxMessages"] * EVENTS_A_MESSAGE)
        self.pages.append((session_id, first, last))
        return {"records": _records(kept.events[first : last + 1]), "hasMore": first > 0}


def _records(events: Sequence[Event]) -> list[dict[str, Any]]:
    return [{"type": "event", "event": event.to_wire()} for event in events]
