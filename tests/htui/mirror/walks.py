"""Logs as a daemon writes them, and the items that a follower gets of them."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from hd.protocol import events as ev
from hd.protocol.events import Event

Turns = list[list[int]]
"""For each turn the number of tool calls of each of its steps."""

TURNS: st.SearchStrategy[Turns] = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), max_size=5)


class Log:
    """Grows by `add`; `events` are dense and 10 ms apart."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(self, kind: str, surface: bool = False, **data: Any) -> Event:
        seq = len(self.events)
        event = Event(kind, seq, 1000 + 10 * seq, data, "append" if surface else None)
        self.events.append(event)
        return event


def walk(turns: Turns, nested: bool = False, open_end: bool = False) -> list[Event]:
    """A log of plain turns; `nested` writes results as 0.1.5 does, `open_end` leaves the last turn running."""
    log = Log()
    log.add(ev.PERMISSION_PRESET, preset="workspace-write")
    for number, steps in enumerate(turns, 1):
        log.add(ev.AGENT_INBOX_SPLICED, target="next-turn", start=0, inserted=[])
        log.add(ev.TURN_START, turn=number)
        source = {"kind": "user", "rpcId": f"r{number}"}
        log.add(ev.USER_MESSAGE, True, content=[{"type": "text", "text": f"prompt {number}"}], source=source)
        for step, calls in enumerate(steps, 1):
            _step(log, number, step, calls, nested)
        log.add(ev.TURN_END, turn=number, reason={"kind": "completed" if number % 2 else "aborted"})
        log.add(ev.SESSION_TITLE, title=f"title {number}", source={"kind": "provider"})
    if open_end and turns:
        log.events = log.events[:-2]
    return log.events


def _step(log: Log, turn: int, step: int, calls: int, nested: bool) -> None:
    at: dict[str, Any] = {"turn": turn, "step": step}
    ids = [f"call-{turn}-{step}-{n}" for n in range(calls)]
    log.add(ev.STEP_START, **at)
    content: list[dict[str, Any]] = [
        {"type": "reasoning", "text": "hm"},
        {"type": "text", "text": f"says {turn}.{step}"},
    ]
    content += [{"type": "tool-call", "id": call_id, "name": "grep", "arguments": "{}"} for call_id in ids]
    log.add(ev.ASSISTANT_MESSAGE, True, **at, message={"content": content}, stream=[])
    for call_id in ids:
        log.add(ev.TOOL_CALL, **at, callId=call_id, name="grep", arguments="{}")
    for call_id in reversed(ids):
        log.add(ev.TOOL_RESULT, True, **at, message=result(call_id, f"found by {call_id}", nested))
    log.add(ev.STEP_END, **at)


def result(call_id: str, text: str, nested: bool) -> dict[str, Any]:
    blocks = [{"type": "text", "text": text}]
    if not nested:
        return {"role": "tool", "toolCallId": call_id, "content": blocks, "isError": False}
    block = {"type": "tool-result", "toolCallId": call_id, "content": blocks}
    return {"role": "user", "source": {"kind": "tool", "callId": call_id}, "content": [block]}


def record(event: Event) -> dict[str, Any]:
    return {"type": "event", "event": event.to_wire()}


def snapshot(events: Sequence[Event], cursor: int | None = None, **more: Any) -> dict[str, Any]:
    """The first item of a follow stream whose records are `events`."""
    end = (events[-1].seq if events else -1) if cursor is None else cursor
    return {
        "type": "snapshot",
        "header": {"version": 4, "id": "session-1", "createdAt": 1, "isSeeded": False},
        "cursor": end,
        "records": [record(event) for event in events],
        "hasMore": bool(events) and events[0].seq > 0,
        "projections": {"asOfSeq": end, "values": {"title": "a title"}},
        "assistantStream": {"revision": 0},
        **more,
    }


def page(events: Sequence[Event]) -> dict[str, Any]:
    return {"records": [record(event) for event in events], "hasMore": bool(events) and events[0].seq > 0}


class Answer:
    """The frames of one attempt, numbered as a host numbers them."""

    def __init__(self, after: int, revision: int = 0, name: str = "session-1:1") -> None:
        self.name = name
        self.after = after
        self.revision = revision
        self.index = 0

    def frame(self, kind: str, **more: Any) -> dict[str, Any]:
        self.revision += 1
        frame = {"type": kind, "attemptId": self.name, "revision": self.revision, **more}
        return {"type": "assistant-stream", "frame": frame}

    def start(self) -> dict[str, Any]:
        return self.frame("start", turn=1, step=1, startedAfterSeq=self.after)

    def chunk(self, kind: str, time: int = 0, **chunk: Any) -> dict[str, Any]:
        item = self.frame("chunk", index=self.index, time=time, chunk={"type": kind, **chunk})
        self.index += 1
        return item

    def text(self, text: str, index: int = 0, time: int = 0) -> dict[str, Any]:
        return self.chunk("text-delta", time, index=index, text=text)

    def end(self, **outcome: Any) -> dict[str, Any]:
        return self.frame("end", index=self.index, outcome=outcome or {"kind": "abandoned"})
