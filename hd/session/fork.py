"""Where a fork's log is cut off its parent's, and what comes behind the cut (pure)."""

from collections.abc import Sequence

import msgspec

from hd.errors import HdError
from hd.protocol import events as ev
from hd.protocol.events import Draft, Event
from hd.protocol.projections.inbox import Inbox
from hd.protocol.projections.later import Later
from hd.session.store.base import StoredEvent


class ForkUnavailable(HdError):
    """There is no whole turn at the place where a fork was asked for."""

    code = "session/fork-unavailable"


class Mark(msgspec.Struct, frozen=True):
    """The start or end of a turn, as far as a fork needs to know it."""

    type: str
    seq: int


def cut(marks: Sequence[Mark], head: int, at_seq: int | None, session_id: str) -> int:
    """The last seq that a fork inherits.

    It ends with a whole turn, the first whose end is at or behind `at_seq` (None: the last whole one), and takes along
    what was logged behind that turn, such as a title or another model, up to the next one. `marks` are the starts and
    ends of turns, `head` is the last seq of the log.
    """
    if at_seq is not None and at_seq > head:
        raise _unavailable(f"The log ends at {head}, before {at_seq}.", session_id)
    ends = [mark.seq for mark in marks if mark.type == ev.TURN_END]
    if not ends:
        raise _unavailable("No turn of this session has ended yet.", session_id)
    starts = [mark.seq for mark in marks if mark.type == ev.TURN_START]
    chosen = ends[-1] if at_seq is None else next((end for end in ends if end >= at_seq), None)
    if chosen is None:
        if any(start > ends[-1] and start <= (at_seq or 0) for start in starts):
            raise _unavailable("The turn at this place has not ended yet.", session_id)
        chosen = ends[-1]
    return min((start - 1 for start in starts if start > chosen), default=head)


def _unavailable(text: str, session_id: str) -> ForkUnavailable:
    return ForkUnavailable(f"{text} A fork needs a whole turn to begin with.", {"sessionId": session_id})


def end_of_seed(through: int, now: int) -> StoredEvent:
    """The event that stands behind the inherited ones; all before it was paid for in the parent."""
    return StoredEvent.of(Event(ev.SESSION_END_SEED, through + 1, now, {"inherited": True}))


def emptied(inbox: Inbox, held: Later) -> list[Draft]:
    """What takes inherited prompts out of the inbox, and those held for later: they wait in the parent, and must not
    run twice."""
    waiting = (("next-turn", inbox.next_turn), ("next-step", inbox.next_step))
    taken = [Draft(ev.LATER_TAKEN, {"id": one.id, "how": "removed"}) for one in held]
    return taken + [
        Draft(
            ev.AGENT_INBOX_SPLICED,
            {"target": target, "start": 0, "removedCount": len(items), "inserted": [], "outcome": "canceled"},
        )
        for target, items in waiting
        if items
    ]
