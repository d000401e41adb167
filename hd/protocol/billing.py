"""Which events of a log say what its model requests used, and the part of each that says it. Pure.

The rest of such an event, the answer and how it came, is most of its bytes. So whoever adds up many sessions keeps and
reads these parts only; the ledger gives the same for a log and for the parts of it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from hd.protocol import events as tags
from hd.protocol.events import Event

TYPES: Final = (
    tags.REQUEST_CONTEXT,
    tags.ASSISTANT_MESSAGE,
    tags.ASSISTANT_ATTEMPT,
    tags.LLM_RETRY_STARTED,
    tags.SESSION_END_SEED,
    tags.COMPACTION_SUMMARY,
    tags.COMPACTION_END,
    tags.SESSION_TITLE_LLM_USAGE,
)

_KEPT: Final = ("turn", "step", "provider", "model", "inherited")


@dataclass(frozen=True, slots=True)
class Records:
    """The next parts of a session to be billed by, in the order of its log; `seen` is the place of the last one."""

    session_id: str
    is_seeded: bool
    bodies: list[bytes]
    seen: int


def usage_of(data: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The usage of a record: its own, else the last that its stream carries."""
    usage = data.get("usage")
    if isinstance(usage, (dict, Mapping)):  # A plain one is told at once, and there are many.
        return usage
    return next((found for found in _usages_backwards(data.get("stream")) if isinstance(found, Mapping)), None)


def _usages_backwards(stream: object) -> Iterator[object]:
    for row in reversed(stream) if isinstance(stream, list | tuple) else ():
        chunk = row.get("chunk") if isinstance(row, Mapping) and row.get("type") == "chunk" else row
        if isinstance(chunk, Mapping) and chunk.get("type") == "usage":
            yield chunk.get("usage")


def part(kind: str, body: bytes) -> bytes | None:
    """The event of that type and JSON without what nobody bills by; None for an event that is no such record."""
    if kind not in TYPES:
        return None
    try:
        event = Event.from_wire(msgspec.json.decode(body))
    except (ValueError, RecursionError, AttributeError):
        return None
    kept = trimmed(event)
    return msgspec.json.encode({"type": kept.type, "seq": kept.seq, "time": kept.time, "data": kept.data})


def trimmed(event: Event) -> Event:
    """A record without what nobody bills by."""
    data = {key: event.data[key] for key in _KEPT if key in event.data}
    if (usage := usage_of(event.data)) is not None:
        data["usage"] = usage
    message = event.data.get("message")
    source = message.get("source") if isinstance(message, Mapping) else None
    if isinstance(source, Mapping):
        data["message"] = {"source": {key: source[key] for key in ("provider", "model") if key in source}}
    return Event(event.type, event.seq, event.time, data)
