"""What the host of a recording would say to a client that comes back at some point of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hd.protocol.stream import Packer
from tests.support.recordings import Arrival, RecordedStream, Recording

Wire = Mapping[str, Any]

MESSAGES = ("user/message", "assistant/message")


@dataclass
class Log:
    """The whole log of a session, as far as any client of the recording saw it."""

    events: list[Wire] = field(default_factory=list)

    @staticmethod
    def all_of(recording: Recording) -> dict[str, "Log"]:
        found: dict[str, dict[int, Wire]] = {}
        for stream in recording.follows():
            records = found.setdefault(stream.session_id or "", {})
            for event in events_of(stream.items):
                records[event["seq"]] = event
        return {session_id: Log([by_seq[seq] for seq in sorted(by_seq)]) for session_id, by_seq in found.items()}

    def window(self, stream: RecordedStream) -> list[Wire]:
        """What one follower holds at the end."""
        return list(events_of(stream.items))


def events_of(items: Sequence[Any]) -> list[Wire]:
    """The events of the items of a follow stream."""
    found: list[Wire] = []
    for item in items:
        if item["type"] == "snapshot":
            found.extend(record["event"] for record in item["records"])
        elif item["type"] == "event":
            found.append(item["event"])
    return found


def watermark(arrivals: Sequence[Arrival], session_id: str, key: str) -> int:
    """The highest seq as of which a value of `key` was sent."""
    return max((seq for seq, _ in known_values(arrivals)[session_id][key]), default=-1)


Known = dict[str, dict[str, list[tuple[int, Any]]]]


def known_values(arrivals: Sequence[Arrival]) -> Known:
    """By session and key (seq, value) of all values that were sent, on whatever stream, the latest seq last."""
    known: Known = {}

    def add(session_id: str, as_of: int, values: Wire) -> None:
        for key, value in values.items():
            known.setdefault(session_id, {}).setdefault(key, []).append((as_of, value))

    for arrival in arrivals:
        for session_id, block in _blocks(arrival):
            add(session_id, block["asOfSeq"], block["values"])
        if arrival.kind == "item" and arrival.value["type"] == "projection":
            add(arrival.value["sessionId"], arrival.value["seq"], {arrival.value["key"]: arrival.value["value"]})
    for values in known.values():
        for history in values.values():
            history.sort(key=lambda pair: pair[0])
    return known


def _blocks(arrival: Arrival) -> Iterator[tuple[str, Wire]]:
    """The blocks of values that an arrival carries, with their sessions."""
    value = arrival.value
    rows: Sequence[Wire] = value["items"] if arrival.kind == "listed" else ()
    if arrival.kind == "item" and arrival.stream is not None:
        if value["type"] == "snapshot":
            yield arrival.stream.session_id or "", value["projections"]
        elif value["type"] == "baseline" and arrival.stream.endpoint == "session/control":
            yield from value["value"]["projections"].items()
        elif value["type"] == "emit" and value["event"] == "api-session/added":
            rows = value["args"]
    for row in rows:
        if "projections" in row:
            yield row["sessionId"], row["projections"]


class Stage:
    """The host of one client of a recording, as far as `take` has told it.

    Each stream stands where its own items are; they may be ahead of each other, as on the wire.
    """

    def __init__(self, arrivals: Sequence[Arrival]) -> None:
        self._known = known_values(arrivals)
        self._generation = 0
        self._home: Any = None
        self._asks: dict[str, Wire] = {}
        self._rows: dict[str, dict[str, Any]] = {}
        self._follows: dict[int, Follow] = {}
        self._streams: dict[str, RecordedStream] = {}
        self._control: dict[str, dict[str, Any]] = {}
        self._control_at: dict[str, int] = {}
        self._workspaces: dict[str, Wire] = {}
        self._archived: list[str] = []

    def take(self, arrival: Arrival) -> None:
        value = arrival.value
        if arrival.kind == "answered":
            self._asks.pop(value, None)
        elif arrival.kind == "listed":
            self._rows = {row["sessionId"]: dict(row) for row in value["items"]}
        elif arrival.stream is not None:
            self._item(arrival.stream, value)

    def all(self, arrivals: Sequence[Arrival]) -> "Stage":
        for arrival in arrivals:
            self.take(arrival)
        return self

    def returning(self, messages: int | None = None) -> Iterator[Arrival]:
        """What a client that connects now is sent first; a snapshot holds so many messages, or all that there are."""
        self._generation += 1
        if "$events" in self._streams:
            ready = {"type": "ready", "clientId": f"client-{self._generation}", "host": self._home}
            for value in (ready, *self._asks.values()):
                yield self._arrival("$events", value)
        if "session/control" in self._streams:
            blocks = {sid: self._block(sid, as_of) for sid, as_of in self._control_at.items()}
            yield self._arrival(
                "session/control", {"type": "baseline", "value": {**self._control, "projections": blocks}}
            )
        for follow in self._follows.values():
            block = self._block(follow.stream.session_id or "", follow.cursor)
            yield Arrival("", "item", follow.snapshot(block, messages), follow.stream)
        if "workspace/follow" in self._streams:
            value = {"items": [*self._workspaces.values()], "archivedSessionIds": self._archived}
            yield self._arrival("workspace/follow", {"type": "baseline", "value": value})
        yield Arrival("", "listed", {"items": [dict(row) for row in self._rows.values()]})

    @property
    def follows(self) -> list["Follow"]:
        return [*self._follows.values()]

    def _arrival(self, endpoint: str, value: Any) -> Arrival:
        return Arrival("", "item", value, self._streams[endpoint])

    def _block(self, session_id: str, as_of: int) -> Wire:
        """The projections as of one event, out of all that the recording tells of them."""
        values = {}
        for key, known in self._known.get(session_id, {}).items():
            until = [value for seq, value in known if seq <= as_of]
            values |= {key: until[-1]} if until else {}
        return {"asOfSeq": as_of, "values": values}

    def _item(self, stream: RecordedStream, value: Any) -> None:
        self._streams[stream.endpoint] = stream
        if stream.endpoint == "$events":
            self._event(value)
        elif stream.endpoint == "session/control":
            self._controlled(value)
        elif stream.endpoint == "workspace/follow":
            self._workspace(value)
        elif stream.endpoint == "session/follow":
            self._follows.setdefault(id(stream), Follow(stream)).take(value)

    def _event(self, value: Any) -> None:
        kind = value["type"]
        if kind == "ready":
            self._home = value["host"]
        elif kind == "waterfall":
            self._asks[value["eventId"]] = value
        elif kind == "cancel":
            self._asks.pop(value["eventId"], None)
        elif value["event"] == "api-session/added":
            row = {key: part for key, part in value["args"][0].items() if key != "projections"}
            self._rows[row["sessionId"]] = row
        elif value["event"] == "api-session/status":
            row = self._rows.setdefault(value["args"][0], {"sessionId": value["args"][0]})
            row["running"] = value["args"][1]
            row["blank"] = row.get("blank", False) and not row["running"]
        elif value["event"] == "api-session/activity" and value["args"][0] in self._rows:
            self._rows[value["args"][0]]["updatedAt"] = value["args"][1]
        elif value["event"] == "api-session/removed" and value["args"][0] in self._rows:
            self._rows[value["args"][0]]["running"] = False

    def _controlled(self, value: Any) -> None:
        if value["type"] == "baseline":
            self._control = {key: dict(value["value"][key]) for key in ("queues", "jobs") if key in value["value"]}
            self._control_at = {sid: block["asOfSeq"] for sid, block in value["value"]["projections"].items()}
        elif value["type"] == "projection":
            seq = max(value["seq"], self._control_at.get(value["sessionId"], -1))
            self._control_at[value["sessionId"]] = seq
        elif value["type"] == "queue":
            self._control["queues"][value["sessionId"]] = value["items"]
        elif value["type"] == "jobs":
            self._control["jobs"][value["sessionId"]] = value["jobs"]

    def _workspace(self, value: Any) -> None:
        if value["type"] == "baseline":
            self._workspaces = {item["workspaceId"]: item for item in value["value"]["items"]}
            self._archived = value["value"]["archivedSessionIds"]
        elif value["type"] == "upsert":
            workspace = value["workspace"]
            if workspace["workspaceId"] not in self._workspaces:
                self._workspaces = {workspace["workspaceId"]: workspace, **self._workspaces}
            self._workspaces[workspace["workspaceId"]] = workspace
        elif value["type"] == "order":
            self._workspaces = {known: self._workspaces[known] for known in value["workspaceIds"]} | self._workspaces
        elif value["type"] == "remove":
            del self._workspaces[value["workspaceId"]]
        elif value["type"] == "archived":
            self._archived = value["archivedSessionIds"]


class Follow:
    """One follow stream as far as it went; `snapshot` is what the host would begin a new one with."""

    def __init__(self, stream: RecordedStream) -> None:
        self.stream = stream
        self.first: Wire = {}
        self.events: list[Wire] = []
        self.revision = 0
        self.active: dict[str, Any] | None = None
        self.chunks: list[tuple[int, Any]] = []

    @property
    def cursor(self) -> int:
        return int(self.events[-1]["seq"]) if self.events else int(self.first["cursor"])

    def take(self, item: Wire) -> None:
        if item["type"] == "snapshot":
            self.first, self.events = item, [record["event"] for record in item["records"]]
            live = item.get("assistantStream") or {"revision": 0}
            self.revision, self.active = live["revision"], live.get("activeAttempt")
            self.chunks = [] if self.active is None else [*_unpacked(self.active["stream"])]
        elif item["type"] == "event":
            self.events.append(item["event"])
        else:
            self._frame(item["frame"])

    def _frame(self, frame: Wire) -> None:
        self.revision = frame["revision"]
        if frame["type"] == "start":
            self.active, self.chunks = {key: frame[key] for key in ("attemptId", "startedAfterSeq", "turn", "step")}, []
        elif frame["type"] == "chunk":
            self.chunks.append((frame["time"], frame["chunk"]))
        else:
            self.active = None

    def snapshot(self, block: Wire, messages: int | None = None) -> dict[str, Any]:
        page = self.page(self.cursor + 1, messages)
        item = {**self.first, "cursor": self.cursor, **page, "projections": block}
        if "assistantStream" in self.first:
            item["assistantStream"] = {"revision": self.revision}
            if self.active is not None:
                packer = Packer()
                for time, chunk in self.chunks:
                    packer.add(time, chunk)
                active = {**self.active, "nextIndex": len(self.chunks), "stream": packer.rows()}
                item["assistantStream"]["activeAttempt"] = active
        return item

    def page(self, before: int, messages: int | None = None) -> dict[str, Any]:
        """`records` and `hasMore` of what lies below `before`, as a host cuts it (WIRE 7.5)."""
        below = [event for event in self.events if event["seq"] < before]
        start, left = 0, messages
        for place in range(len(below) - 1, -1, -1):
            event = below[place]
            if left is not None and event["type"] in MESSAGES and event.get("surfaceOp") == "append":
                left -= 1
                if left == 0:
                    first = min([event["seq"], *event.get("sourceEventSeqs", ())])
                    start = next(i for i, one in enumerate(below) if one["seq"] >= first)
                    break
        records = [{"type": "event", "event": event} for event in below[start:]]
        return {"records": records, "hasMore": bool(self.first["hasMore"]) or start > 0}


def _unpacked(rows: Sequence[Wire]) -> Iterator[tuple[int, Any]]:
    for row in rows:
        if row["type"] == "chunk":
            yield row["time"], row["chunk"]
            continue
        time, texts = row["time0"], row.get("texts") or row["args"]
        for text, gap in zip(texts, [*row["dt"], 0], strict=True):
            common = {"index": row["index"], "type": row["type"].removesuffix("-chunks") + "-delta"}
            if row["type"] == "tool-call-chunks":
                yield time, {**common, "argumentsDelta": text, **{k: row[k] for k in ("id", "name") if k in row}}
            else:
                yield time, {**common, "text": text}
            time += gap
