"""A recording as a host of the future would send it: with events, keys, blocks and frames that nobody knows yet.

Unknown events take numbers in the log, so everything behind them is renumbered, and back again for a comparison.
"""

import random
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from tests.support.recordings import Arrival, RecordedStream

NEW = "x-new"
"""The key that is added everywhere."""

BLOCK = "hologram"
"""The kind of the blocks that are added to messages."""

_SEQS = frozenset({"seq", "startSeq", "endSeq", "cursor", "asOfSeq", "startedAfterSeq"})
_LISTS = frozenset({"sourceEventSeqs", "messageSeqs", "shadowedSeqs"})


class Numbers:
    """Where unknown events stand in one log: behind the events whose old numbers are in `behind`, one each."""

    def __init__(self, chance: random.Random) -> None:
        self.behind = sorted(seq for seq in range(1000) if chance.random() < 0.2)
        self._standing = set(self.behind)
        self._new = [self.new(old) for old in range(1000)]

    def has(self, old: int) -> bool:
        return old in self._standing

    def new(self, old: int) -> int:
        return old + bisect_left(self.behind, old)

    def old(self, new: int) -> int:
        """The number of the last event of the recording that is not behind `new`."""
        return bisect_right(self._new, new) - 1


class Noise:
    """Turns arrivals into noisy ones. `asked` are the ids of the asks of an unknown kind that it added."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._numbers: dict[str, Numbers] = {}
        self._frames: dict[int, Frames] = {}
        self.asked: list[str] = []

    def numbers(self, session_id: str) -> Numbers:
        return self._numbers.setdefault(session_id, Numbers(self._chance))

    def old(self, session_id: str, seq: int) -> int:
        return self.numbers(session_id).old(seq)

    def all(self, arrivals: Sequence[Arrival]) -> Iterator[Arrival]:
        for arrival in arrivals:
            if arrival.kind == "listed":
                rows = [self._numbered(row, row["sessionId"]) for row in arrival.value["items"]]
                yield Arrival(arrival.client, "listed", strange({"items": [*rows, {NEW: 1}, None]}))
            elif arrival.kind == "item" and arrival.stream is not None:
                for value in self._items(arrival.stream, arrival.value):
                    yield Arrival(arrival.client, "item", value, arrival.stream)
            else:
                yield arrival

    def _items(self, stream: RecordedStream, value: Any) -> Iterator[Any]:
        if stream.endpoint == "session/follow":
            yield from self._followed(stream, value)
        elif stream.endpoint == "$events":
            if value["type"] == "emit" and value["event"] == "api-session/added":
                summary = value["args"][0]
                value = {**value, "args": [self._numbered(summary, summary["sessionId"])]}
            yield strange(value)
            yield from self._events()
        elif stream.endpoint == "session/control":
            yield strange(self._controlled(value))
            yield {"type": "weather", "sessionId": value.get("sessionId", NEW), "value": 1, "seq": 2**40}
            if value["type"] == "projection":
                yield {**self._numbered(value, value["sessionId"]), "key": NEW}
        else:
            yield strange(value)
            yield {"type": "weather", "workspaceId": NEW}

    def _events(self) -> Iterator[Any]:
        if self._chance.random() < 0.3:
            yield {"type": "emit", "event": "weather/changed", "args": [{"sunny": True}]}
            yield {"type": "weather"}
            yield {"type": "cancel", "eventId": "nobody-asked"}
        if self._chance.random() < 0.1:
            self.asked.append(f"weather-{len(self.asked)}")
            ask = {"type": "waterfall", "event": "weather/request", "agentId": NEW, "request": {}}
            yield {**ask, "eventId": self.asked[-1]}

    def _controlled(self, value: Any) -> Any:
        if value["type"] == "projection":
            return self._numbered(value, value["sessionId"])
        if value["type"] == "baseline":
            blocks = {sid: self._numbered(block, sid) for sid, block in value["value"]["projections"].items()}
            return {**value, "value": {**value["value"], "projections": blocks}}
        return value

    def _followed(self, stream: RecordedStream, item: Any) -> Iterator[Any]:
        session_id = stream.session_id or ""
        numbers = self.numbers(session_id)
        if item["type"] == "snapshot":
            records = []
            for record in item["records"]:
                records += [*self._event(record, session_id)]
            trailing = [records.pop()] if records and numbers.has(item["cursor"]) else []
            self._frames[id(stream)] = Frames()
            yield {**strange(self._numbered({**item, "records": []}, session_id)), "records": records}
            yield from trailing
        elif item["type"] == "event":
            yield from self._event(item, session_id)
        else:
            numbered = self._numbered(item, session_id)
            yield from self._frames[id(stream)].all(numbered, self._chance)

    def _event(self, record: Any, session_id: str) -> Iterator[Any]:
        """A record with strange keys and blocks, and the unknown event behind it where there is one."""
        numbers = self.numbers(session_id)
        old = record["event"]["seq"]
        record = strange(self._numbered(record, session_id))
        data = record["event"]["data"]
        for content in (data.get("content"), (data.get("message") or {}).get("content")):
            if isinstance(content, list):
                content.append({"type": BLOCK, "depth": 3})
        yield record
        if numbers.has(old):
            event = {"type": "weather/changed", "seq": numbers.new(old) + 1, "time": 1, "data": {"turn": 99, "step": 1}}
            yield {"type": "event", "event": {**event, "ignorable": True} if self._chance.random() < 0.5 else event}

    def _numbered(self, value: Any, session_id: str) -> Any:
        return renumbered(value, self.numbers(session_id).new)


class Frames:
    """Puts chunks of an unknown kind between those of an answer, and counts on behind them."""

    def __init__(self) -> None:
        self._revision = 0
        self._index = 0

    def all(self, item: Any, chance: random.Random) -> Iterator[Any]:
        frame = dict(item["frame"])
        if frame["type"] == "start":
            self._index = 0
        frame["revision"] += self._revision
        if "index" in frame:
            frame["index"] += self._index
        yield strange({**item, "frame": frame})
        if frame["type"] == "chunk" and chance.random() < 0.3:
            self._revision += 1
            self._index += 1
            unknown = chance.choice(
                [
                    {"type": f"{BLOCK}-delta", "index": 90, "depth": 3},
                    {"type": "block-start", "index": 91, "blockType": BLOCK},
                    {"type": "block-end", "index": 91, "block": {"type": BLOCK, "depth": 3}},
                ]
            )
            numbers = {"revision": frame["revision"] + 1, "index": frame["index"] + 1}
            yield {**item, "frame": {**frame, **numbers, "chunk": unknown}}


def renumbered(value: Any, number: Any) -> Any:
    """`value` with every number of an event taken through `number`."""
    if isinstance(value, list):
        return [renumbered(part, number) for part in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for key, part in value.items():
        if key in _SEQS and isinstance(part, int):
            found[key] = number(part)
        elif key in _LISTS and isinstance(part, list):
            found[key] = [number(seq) for seq in part]
        else:
            found[key] = renumbered(part, number)
    return found


def strange(value: Any) -> Any:
    """`value` with an unknown key in every object, also in those whose keys are names of sessions and projections."""
    if isinstance(value, list):
        return [strange(part) for part in value]
    if isinstance(value, dict):
        return {**{key: strange(part) for key, part in value.items()}, NEW: {"deep": [1, None]}}
    return value
