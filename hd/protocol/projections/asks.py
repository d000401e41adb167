"""What waits for a person: open approvals and questions of a session. Our own projection (`asks`)."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection


class Ask(Struct, frozen=True):
    """`id` is the id of the asked event, `since` its time in ms, `body` the data of the event without the id."""

    id: str
    kind: str
    since: int
    body: Mapping[str, Any]


Asks = tuple[Ask, ...]


def _asked(kind: str) -> Any:
    def apply(state: Asks, event: Event) -> Asks:
        body = {key: value for key, value in event.data.items() if key != "id"}
        return (*state, Ask(str(event.data.get("id")), kind, event.time, body))

    return apply


def _decided(state: Asks, event: Event) -> Asks:
    kept = tuple(ask for ask in state if ask.id != event.data.get("id"))
    return state if len(kept) == len(state) else kept


def _turn_ended(state: Asks, event: Event) -> Asks:
    return () if state else state


ASKS: Projection[Asks] = Projection(
    "asks",
    (),
    {
        ev.APPROVAL_ASKED: _asked("approval"),
        ev.APPROVAL_DECIDED: _decided,
        ev.QUESTION_ASKED: _asked("question"),
        ev.QUESTION_DECIDED: _decided,
        ev.TURN_END: _turn_ended,
    },
    lambda state: [{"id": a.id, "kind": a.kind, "since": a.since, **a.body} for a in state],
)
