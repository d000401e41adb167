"""What a session does right now, as a fold of its log; the running attempt then says it more exactly."""

from collections.abc import Mapping

from hd.protocol import events as ev
from hd.protocol.chunked import ChunkedList
from hd.protocol.events import Event
from hd.protocol.projections.transcript import Row, Transcript
from htui.mirror.changes import IDLE, Phase, PhaseKind

_WAITING = frozenset({ev.TURN_START, ev.STEP_START, ev.LLM_RETRY_STARTED, ev.ASSISTANT_MESSAGE, ev.STEP_END})

_WAITS: Mapping[str, PhaseKind] = {"limit": "limit", "place": "place", "queue": "queue", "peak": "peak"}


def after(phase: Phase, event: Event, transcript: Transcript) -> Phase:
    """The phase after `event`; `transcript` is the one that holds the event already."""
    if event.type in _WAITING:
        return Phase("wait", "", event.time)
    if event.type == ev.TURN_END:
        return IDLE
    if event.type in (ev.COMPACTION_START, ev.COMPACTION_END) and transcript.running:
        return Phase("compact" if event.type == ev.COMPACTION_START else "wait", "", event.time)
    if event.type == ev.LLM_RETRY:
        return _retry(event)
    if event.type == ev.LLM_WAITING:
        return _waiting(event)
    if event.type == ev.TOOL_CALL:
        return Phase("tool", str(event.data.get("name", "")), event.time)
    if event.type == ev.TOOL_RESULT:
        return _open_call(transcript.rows, transcript) or Phase("wait", "", event.time)
    return phase


def _retry(event: Event) -> Phase:
    failure = event.data.get("failure")
    is_asked = isinstance(failure, Mapping) and bool(failure.get("providerRetryAfterMs"))
    delay = _whole(event, "delayMs")
    return Phase("limit" if is_asked else "retry", "", event.time, None if delay is None else event.time + delay)


def _waiting(event: Event) -> Phase:
    kind = _WAITS.get(str(event.data.get("reason")))
    if kind is None:
        return Phase("wait", "", event.time)
    since = _whole(event, "sinceMs")
    return Phase(kind, "", event.time if since is None else since, _whole(event, "untilMs"))


def _whole(event: Event, key: str) -> int | None:
    value = event.data.get(key)
    return value if type(value) is int else None


def _open_call(rows: ChunkedList[Row], transcript: Transcript) -> Phase | None:
    """Another call of the same turn that still runs: calls may run side by side."""
    for index in sorted(transcript.open_calls.values(), reverse=True):
        row = rows[index]
        if row.turn == transcript.turn:
            return Phase("tool", row.name, row.time)
    return None
