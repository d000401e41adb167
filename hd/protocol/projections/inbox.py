"""The inbox: what waits for the next turn and for the next step (WIRE 6, 8.2)."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.chunked import ChunkedList
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection

Items = tuple[Mapping[str, Any], ...]


class Inbox(Struct, frozen=True):
    """Messages in order. `next_turn`: one starts a turn; `next_step`: all enter the running turn at its next step."""

    next_turn: Items = ()
    next_step: Items = ()

    def target(self, name: str) -> Items:
        return self.next_step if name == "next-step" else self.next_turn


def _spliced(state: Inbox, event: Event) -> Inbox:
    target = event.data.get("target")
    start, removed = event.data.get("start", 0), event.data.get("removedCount", 0)
    inserted = tuple(event.data.get("inserted") or ())
    if not removed and not inserted:
        return state
    items = state.target(str(target))
    changed = (*items[:start], *inserted, *items[start + removed :])
    return replace(state, next_step=changed) if target == "next-step" else replace(state, next_turn=changed)


def view(state: Inbox) -> dict[str, list[Mapping[str, Any]]]:
    return {"next-turn": list(state.next_turn), "next-step": list(state.next_step)}


INBOX = Projection("inbox", Inbox(), {ev.AGENT_INBOX_SPLICED: _spliced}, view)


def _requested(state: ChunkedList[str], event: Event) -> ChunkedList[str]:
    for message in event.data.get("inserted") or ():
        request_id = (message.get("source") or {}).get("rpcId")
        if isinstance(request_id, str):
            state = state.append(request_id)
    return state


REQUESTS: Projection[ChunkedList[str]] = Projection("requests", ChunkedList(), {ev.AGENT_INBOX_SPLICED: _requested})
"""The ids of all prompts that were ever taken in. Private; it makes a repeated prompt change nothing."""


def queue_items(inbox: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The inbox value in the shape of the `queue` frames that 0.1.5 clients read (WIRE 6)."""
    return [
        *(_queue_item(message, "queued") for message in inbox.get("next-turn") or ()),
        *(_queue_item(message, _placement(message)) for message in inbox.get("next-step") or ()),
    ]


def _placement(message: Mapping[str, Any]) -> str:
    return "steering" if (message.get("source") or {}).get("kind") == "user" else "context"


def _queue_item(message: Mapping[str, Any], placement: str) -> dict[str, Any]:
    item: dict[str, Any] = {
        "id": message.get("id"),
        "placement": placement,
        "message": {"id": message.get("id"), "content": message.get("content")},
    }
    rpc_id = (message.get("source") or {}).get("rpcId")
    if rpc_id is not None:
        item["rpcId"] = rpc_id
    return item
