"""A follower that is as strict as the client that exists already, for tests of what a host sends (CLIENT 1.6).

It is written on its own and shares no code with `htui.mirror`, so that a mistake which both ends of this project make
alike still shows. What it takes no offence at, that client does not either.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SAFE = 2**53 - 1
"""The largest whole number that a JavaScript client keeps exactly."""

PACKED = {"chunkrow/text-chunks": "texts", "chunkrow/reasoning-chunks": "texts", "chunkrow/tool-call-chunks": "args"}
DELTAS = {"text-delta": "text", "reasoning-delta": "text", "tool-call-delta": "argumentsDelta"}


class Broken(AssertionError):
    """What the host sent would make that client drop the connection."""


@dataclass
class Shown:
    """A row as that client would show it. A tool row is `done` once a `tool-result` block named its call."""

    kind: str
    text: str
    seq: int
    done: bool = True
    call_id: str = ""


@dataclass
class StrictFollower:
    """Takes the items of one `session/follow` stream in order; `Broken` at the first one that is not right.

    `rows` are what is shown, `live` the text of the running answer by block, and `values` the projections of the
    snapshot. `dense` also demands that events follow each other without a gap, as the wire promises (WIRE 7.2).
    """

    dense: bool = True
    rows: list[Shown] = field(default_factory=list)
    live: dict[int, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    cursor: int = -1
    has_more: bool = False
    running: bool = False
    streaming: bool = False
    _loaded: bool = False
    _revision: int | None = None
    _attempt: str | None = None
    _index: int = 0
    _settled: bool = False

    def apply(self, item: Any) -> None:
        _expect(isinstance(item, dict), "an item is no object")
        kind = item.get("type")
        if not self._loaded:
            _expect(kind == "snapshot", f"the first item is {kind!r} and no snapshot")
            self._snapshot(item)
        elif kind in ("event", "chunks"):
            self._record(item)
        elif kind == "assistant-stream":
            self._frame(item.get("frame"))
        else:
            raise Broken(f"Unknown session follow frame {kind!r}")

    def apply_all(self, items: Any) -> "StrictFollower":
        for item in items:
            self.apply(item)
        return self

    def _snapshot(self, item: Mapping[str, Any]) -> None:
        _expect(_number(item.get("cursor")), "the snapshot's cursor is no number")
        _expect(isinstance(item.get("hasMore"), bool), "the snapshot's hasMore is no boolean")
        _expect(isinstance(item.get("header"), dict), "the snapshot has no header")
        _expect(isinstance(item["header"].get("isSeeded"), bool), "the header's isSeeded is no boolean")
        records = item.get("records")
        _expect(isinstance(records, list), "the snapshot has no records")
        self._loaded, self.has_more = True, item["hasMore"]
        self.cursor = item["cursor"] - len(records or ())
        for record in records or ():
            self._record(record)
        _expect(self.cursor == item["cursor"], "the records do not end at the cursor")
        block = item.get("projections")
        if block is not None:
            _expect(isinstance(block, dict) and _number(block.get("asOfSeq")), "projections without asOfSeq")
            _expect(block["asOfSeq"] >= -1 and isinstance(block.get("values"), dict), "projections without values")
            self.values = block["values"]
        stream = item.get("assistantStream")
        if stream is not None:
            self._restore(stream)

    def _restore(self, stream: Any) -> None:
        _expect(isinstance(stream, dict) and _number(stream.get("revision")), "assistantStream without a revision")
        self._revision, self.streaming = stream["revision"], True
        active = stream.get("activeAttempt")
        if active is None:
            return
        _expect(isinstance(active.get("attemptId"), str), "activeAttempt without an attemptId")
        _expect(_number(active.get("nextIndex")), "activeAttempt without a nextIndex")
        _expect(isinstance(active.get("stream"), list), "activeAttempt without a stream")
        self._attempt, self._index, self._settled = active["attemptId"], active["nextIndex"], False
        for row in active["stream"]:
            self._packed(row)

    def _packed(self, row: Mapping[str, Any]) -> None:
        kind = row.get("type")
        if kind == "chunk":
            self._chunk(row.get("chunk"))
        elif kind in ("text-chunks", "reasoning-chunks"):
            self._grow(row.get("index"), "".join(row["texts"]))
        elif kind == "tool-call-chunks":
            self._grow(row.get("index"), "".join(row["args"]))
        else:
            raise Broken(f"an unknown packed row {kind!r}")

    def _record(self, record: Any) -> None:
        _expect(isinstance(record, dict) and isinstance(record.get("event"), dict), "a record without an event")
        event = record["event"]
        seq, kind = event.get("seq"), event.get("type")
        _expect(_number(seq) and abs(seq) <= SAFE, f"the seq {seq!r} of an event is no safe whole number")
        _expect(isinstance(kind, str), "an event without a type")
        if record["type"] == "chunks":
            _expect(kind in PACKED, f"a chunks record of the type {kind!r}")
            texts = event["data"][PACKED[kind]]
            _expect(len(event["data"]["dt"]) == len(texts) - 1, "packed rows whose dt does not fit")
        else:
            _expect(record["type"] == "event", f"a record of the type {record['type']!r}")
        if self.dense:
            _expect(seq == self.cursor + 1, f"event {seq} came where {self.cursor + 1} was due")
        self.cursor = seq
        self._event(kind, seq, event)

    def _event(self, kind: str, seq: int, event: Mapping[str, Any]) -> None:
        data = event.get("data")
        _expect(isinstance(data, dict), f"{kind} #{seq} without data")
        assert isinstance(data, dict)
        surface = event.get("surfaceOp")
        op = surface.get("op") if isinstance(surface, dict) else surface
        _expect(op in (None, "append", "replace"), f"{kind} #{seq} with the surfaceOp {surface!r}")
        if kind in ("turn/start", "turn/end"):
            _expect(_number(event.get("time")), f"{kind} #{seq} without a time")
            self.running = kind == "turn/start"
        if kind in ("assistant/message", "assistant/attempt"):
            self._settled = True
            self.live.clear()
        if op == "replace":
            return
        if kind == "user/message":
            human = (data.get("source") or {}).get("kind") == "user"
            self._blocks(data.get("content"), seq, "user" if human else "context")
        elif kind in ("assistant/message", "tool/result"):
            message = data.get("message")
            _expect(isinstance(message, dict), f"{kind} #{seq} without a message")
            assert isinstance(message, dict)
            self._blocks(message.get("content"), seq, "assistant" if kind == "assistant/message" else "tool")

    def _blocks(self, content: Any, seq: int, kind: str) -> None:
        _expect(isinstance(content, list), f"a message without content, #{seq}")
        joined = False
        for block in content:
            tag = block.get("type")
            if tag == "tool-result":
                joined = True
                self._join(block, seq)
            elif tag == "tool-call":
                _expect(isinstance(block.get("arguments"), str), f"a call whose arguments are no text, #{seq}")
                self.rows.append(Shown("tool", str(block["name"]), seq, done=False, call_id=str(block["id"])))
            elif kind != "tool" and tag in ("text", "reasoning"):
                _expect(isinstance(block.get("text"), str), f"a text block without text, #{seq}")
                self.rows.append(Shown(kind if tag == "text" else "reasoning", block["text"], seq))
        if kind == "tool" and not joined:
            self.rows.append(Shown("tool", "tool", seq))  # it stays beside the row of its call, which never ends

    def _join(self, block: Mapping[str, Any], seq: int) -> None:
        call_id = block.get("toolCallId")
        row = next((r for r in reversed(self.rows) if r.kind == "tool" and r.call_id == call_id and not r.done), None)
        if row is None:
            self.rows.append(Shown("tool", "tool", seq, call_id=str(call_id)))
        else:
            row.done = True

    def _frame(self, frame: Any) -> None:
        _expect(isinstance(frame, dict) and _number(frame.get("revision")), "an answer frame without a revision")
        _expect(self.streaming, "an answer frame although the snapshot held no assistantStream")
        revision = frame["revision"]
        _expect(revision == (self._revision or 0) + 1, f"Assistant stream revision gap: {self._revision} → {revision}")
        self._revision = revision
        kind, attempt = frame.get("type"), frame.get("attemptId")
        _expect(isinstance(attempt, str), "an answer frame without an attemptId")
        if kind == "start":
            self._attempt, self._index, self._settled = attempt, 0, False
            self.live.clear()
            return
        _expect(kind in ("chunk", "end"), f"an answer frame of the type {kind!r}")
        _expect(attempt == self._attempt, f"a piece of {attempt}, while {self._attempt} runs")
        _expect(frame.get("index") == self._index, f"the index {frame.get('index')} came where {self._index} was due")
        if kind == "end":
            _expect(isinstance(frame.get("outcome"), dict), "an end without an outcome")
            self._attempt = None
            self.live.clear()
            return
        self._index += 1
        self._chunk(frame.get("chunk"))

    def _chunk(self, chunk: Any) -> None:
        _expect(isinstance(chunk, dict) and isinstance(chunk.get("type"), str), "a chunk without a type")
        name = DELTAS.get(chunk["type"])
        if name is not None:
            _expect(isinstance(chunk.get(name), str), f"a {chunk['type']} without {name}")
            self._grow(chunk.get("index"), chunk[name])

    def _grow(self, index: Any, text: str) -> None:
        _expect(_number(index), "a delta without the index of its block")
        if not self._settled:
            self.live[index] = self.live.get(index, "") + text


def _number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _expect(right: bool, otherwise: str) -> None:
    if not right:
        raise Broken(otherwise)
