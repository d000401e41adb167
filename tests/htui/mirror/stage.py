"""What the host of a recording would say to a client that comes back at some point of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.recordings import Arrival, RecordedStream, Recording

Wire = Mapping[str, Any]


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
    return max((seq for seq, _ in valued(arrivals, session_id, key)), default=-1)


def valued(arrivals: Sequence[Arrival], session_id: str, key: str) -> list[tuple[int, Any]]:
    """(seq, value) of all values of `key` that were sent, on whatever stream."""
    found = []
    for arrival in arrivals:
        for block in blocks(arrival, session_id):
            if key in block["values"]:
                found.append((block["asOfSeq"], block["values"][key]))
        value = arrival.value
        if arrival.kind == "item" and value["type"] == "projection":
            found += [(value["seq"], value["value"])] if (value["sessionId"], value["key"]) == (session_id, key) else []
    return found


def blocks(arrival: Arrival, session_id: str) -> list[Wire]:
    """The blocks of values of a session that an arrival carries."""
    value = arrival.value
    if arrival.kind == "listed":
        return [row["projections"] for row in value["items"] if row["sessionId"] == session_id and "projections" in row]
    if arrival.kind != "item":
        return []
    assert arrival.stream is not None
    if value["type"] == "snapshot" and arrival.stream.session_id == session_id:
        return [value["projections"]]
    if value["type"] == "baseline" and arrival.stream.endpoint == "session/control":
        block = value["value"]["projections"].get(session_id)
        return [] if block is None else [block]
    if (
        value["type"] == "emit"
        and value["event"] == "api-session/added"
        and value["args"][0]["sessionId"] == session_id
    ):
        return [value["args"][0]["projections"]] if "projections" in value["args"][0] else []
    return []
