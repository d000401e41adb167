"""Messages that a person wants sent when their model costs less (row X6). Our own projection."""

from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection

LAST_MS: Final = 253_402_214_400_000
"""The last day that every calendar has."""


class Held(Struct, frozen=True):
    """A message that is sent at `at` (ms), unless somebody takes it before; it was given at `since`.

    With `pause` its turn waits where it comes into peak hours.
    """

    id: str
    text: str
    at: int
    since: int
    pause: bool = False

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"id": self.id, "text": self.text, "at": self.at, "since": self.since}
        return wire | {"pause": True} if self.pause else wire


Later = tuple[Held, ...]


def _held(state: Later, event: Event) -> Later:
    """One more, or another time for one that is held already."""
    data = event.data
    held_id, at, text = data.get("id"), data.get("at"), data.get("text")
    if not isinstance(held_id, str) or type(at) is not int or not 0 <= at < LAST_MS:
        return state
    if any(one.id == held_id for one in state):
        return tuple(replace(one, at=at) if one.id == held_id else one for one in state)
    if not isinstance(text, str):
        return state
    return (*state, Held(held_id, text, at, event.time, data.get("pause") is True))


def _taken(state: Later, event: Event) -> Later:
    kept = tuple(one for one in state if one.id != event.data.get("id"))
    return state if len(kept) == len(state) else kept


LATER: Final[Projection[Later]] = Projection(
    "later",
    (),
    {ev.LATER_HELD: _held, ev.LATER_TAKEN: _taken},
    lambda state: [one.to_wire() for one in state],
)
