"""What a projection is: a pure fold of the log, with the value that clients see.

Laws (DESIGN 4, each a test for every projection): folding a snapshot's state over the tail gives the same as folding
the whole log; an event that is not the projection's own gives back the very same state object.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from msgspec import Struct, field

from hd.protocol.events import Event

S = TypeVar("S")


class Projection(Struct, Generic[S], frozen=True):
    """A fold. `handlers` are by event type; `view` gives the wire value, without one it never leaves the process.

    `grown` gives the same for many events as the handlers do one by one, where there is a faster way.
    """

    key: str
    initial: S
    handlers: Mapping[str, Callable[[S, Event], S]] = field(default_factory=dict)
    view: Callable[[S], Any] | None = None
    grown: Callable[[S, Iterable[Event]], S] | None = None

    def apply(self, state: S, event: Event) -> S:
        handler = self.handlers.get(event.type)
        return state if handler is None else handler(state, event)

    def fold(self, events: Iterable[Event], state: S | None = None) -> S:
        current = self.initial if state is None else state
        if self.grown is not None:
            return self.grown(current, events)
        for event in events:
            current = self.apply(current, event)
        return current
