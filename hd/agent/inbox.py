"""Changes of the inbox, as drafts (pure). What waits is itself a fold of these (WIRE 8.2, `agent/inbox/spliced`)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hd.agent.decide import Claim
from hd.errors import QueueItemNotFound, SteerUnavailable
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.messages import Message, user_message
from hd.protocol.projections.inbox import Inbox, Items


def prompt_message(
    content: Sequence[Mapping[str, Any]], request_id: str, time_zone: str | None, *, off_peak: bool = False
) -> Message:
    """What a person says. With `off_peak` the turn that it begins waits out peak hours (`hd.agent.off_peak`)."""
    source: dict[str, Any] = {"kind": "user", "rpcId": request_id}
    if time_zone is not None:
        source["clientTimeZone"] = time_zone
    if off_peak:
        source["offPeak"] = True
    return user_message([dict(block) for block in content], source)


def insert(inbox: Inbox, target: str, message: Message) -> Draft:
    start = len(inbox.target(target))
    return Draft(ev.AGENT_INBOX_SPLICED, {"target": target, "start": start, "inserted": [message]})


def claim(inbox: Inbox, wanted: Claim) -> tuple[list[Mapping[str, Any]], Draft]:
    """The claimed messages and the event that takes them out."""
    messages = list(inbox.target(wanted.target)[: wanted.count])
    data: dict[str, Any] = {"target": wanted.target, "start": 0, "removedCount": len(messages), "inserted": []}
    return messages, Draft(ev.AGENT_INBOX_SPLICED, data)


def knows(inbox: Inbox, request_id: str) -> bool:
    """Whether a prompt of this request waits already."""
    waiting = (*inbox.next_turn, *inbox.next_step)
    return any((message.get("source") or {}).get("rpcId") == request_id for message in waiting)


def remove(inbox: Inbox, item_id: str) -> list[Draft]:
    target, place = _find(inbox, item_id)
    return [_taken(target, place, [])]


def edit(inbox: Inbox, item_id: str, content: Sequence[Mapping[str, Any]]) -> list[Draft]:
    """The same message with another text, under the same id; the files that came with it stay."""
    target, place = _find(inbox, item_id)
    before = inbox.target(target)[place]
    files = [block for block in before.get("content") or () if block.get("type") != "text"]
    message = {**before, "content": [dict(block) for block in (*content, *files)]}
    return [_taken(target, place, [message])]


def steer(inbox: Inbox, item_id: str, *, running: bool) -> list[Draft]:
    """Moves a queued message into the running turn; `SteerUnavailable` when none runs or it is no queued one."""
    target, place = _find(inbox, item_id)
    if not running or target != "next-turn":
        raise SteerUnavailable("Only a queued message can be steered, and only while a turn runs; it stays queued.")
    message = dict(inbox.next_turn[place])
    return [_taken(target, place, []), insert(inbox, "next-step", message)]


def _find(inbox: Inbox, item_id: str) -> tuple[str, int]:
    targets: tuple[tuple[str, Items], ...] = (("next-turn", inbox.next_turn), ("next-step", inbox.next_step))
    for target, items in targets:
        for place, message in enumerate(items):
            if message.get("id") == item_id:
                return target, place
    raise QueueItemNotFound("This message no longer waits: it was taken up or removed.", {"itemId": item_id})


def _taken(target: str, place: int, inserted: list[Mapping[str, Any]]) -> Draft:
    data = {"target": target, "start": place, "removedCount": 1, "inserted": inserted, "outcome": "canceled"}
    return Draft(ev.AGENT_INBOX_SPLICED, data)
