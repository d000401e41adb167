"""The projections, and their fold together.

`State` holds one value a projection and applies an event only to those that handle its type; the keys that changed
come back with it, so that a publisher sends nothing that stayed the same.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hd.protocol.events import Event
from hd.protocol.projections.asks import ASKS
from hd.protocol.projections.base import Projection
from hd.protocol.projections.begun import BEGUN
from hd.protocol.projections.breakdown import CONTEXT_BREAKDOWN
from hd.protocol.projections.changes import CHANGES
from hd.protocol.projections.completion import COMPLETION
from hd.protocol.projections.feedback import MESSAGE_FEEDBACK
from hd.protocol.projections.figures import SESSION_STATS, TOKEN_USAGE
from hd.protocol.projections.goal import GOAL
from hd.protocol.projections.inbox import INBOX, REQUESTS
from hd.protocol.projections.jobs import JOBS
from hd.protocol.projections.later import LATER
from hd.protocol.projections.modes import (
    AGENT_PRESET,
    IMAGE_LIMITS,
    PLAN,
    SUBAGENT,
    SUBAGENT_CATALOG,
    SUBAGENT_TIMING,
    WORKING_DIRECTORY,
)
from hd.protocol.projections.outline import TURN_OUTLINE
from hd.protocol.projections.pressure import CONTEXT_PRESSURE
from hd.protocol.projections.questions import USER_QUESTIONS
from hd.protocol.projections.sandbox import SANDBOX
from hd.protocol.projections.small import (
    MODEL_SELECTION,
    PERMISSIONS,
    PRESET,
    SESSION_LIST_METADATA,
    TITLE,
    TODOS,
)
from hd.protocol.projections.transcript import TRANSCRIPT
from hd.protocol.projections.turn import TURN

PUBLIC: tuple[Projection[Any], ...] = (
    TITLE,
    INBOX,
    SESSION_STATS,
    TOKEN_USAGE,
    CONTEXT_PRESSURE,
    MODEL_SELECTION,
    PERMISSIONS,
    TURN_OUTLINE,
    SESSION_LIST_METADATA,
    TODOS,
    COMPLETION,
    CHANGES,
    ASKS,
    USER_QUESTIONS,
    PLAN,
    GOAL,
    SANDBOX,
    JOBS,
    LATER,
    CONTEXT_BREAKDOWN,
    AGENT_PRESET,
    WORKING_DIRECTORY,
    IMAGE_LIMITS,
    SUBAGENT,
    SUBAGENT_CATALOG,
    SUBAGENT_TIMING,
)
"""Those that cross the wire by their key."""

DAEMON: tuple[Projection[Any], ...] = (*PUBLIC, PRESET, TURN, BEGUN, REQUESTS, MESSAGE_FEEDBACK)
"""What a daemon folds of each live session."""

CLIENT: tuple[Projection[Any], ...] = (*PUBLIC, TRANSCRIPT)
"""What a client folds of each session that it follows."""


Handler = Callable[[Any, Event], Any]
Handlers = Mapping[str, Sequence[tuple[str, Handler]]]


@dataclass(frozen=True, slots=True)
class State:
    """The states of a set of projections as of the event `seq` (-1: none yet)."""

    projections: tuple[Projection[Any], ...]
    values: Mapping[str, Any]
    seq: int = -1
    handlers: Handlers = field(default_factory=dict, compare=False, repr=False)
    """By event type, the projections that handle it: of the dozens of them an event is the business of a few."""

    @staticmethod
    def initial(projections: Iterable[Projection[Any]], **given: Any) -> "State":
        """The states before any event; `given` are those that the header of a session knows, by key."""
        chosen = tuple(projections)
        values = {p.key: given.get(p.key, p.initial) for p in chosen}
        handlers: dict[str, list[tuple[str, Handler]]] = {}
        for projection in chosen:
            for kind, handler in projection.handlers.items():
                handlers.setdefault(kind, []).append((projection.key, handler))
        return State(chosen, values, handlers=handlers)

    def apply(self, event: Event) -> tuple["State", tuple[str, ...]]:
        """The state after `event`, and the keys whose value is another object now."""
        changed = {}
        for key, handler in self.handlers.get(event.type, ()):
            old = self.values[key]
            new = handler(old, event)
            if new is not old:
                changed[key] = new
        values = {**self.values, **changed} if changed else self.values
        return State(self.projections, values, event.seq, self.handlers), tuple(changed)

    def fold(self, events: Iterable[Event]) -> "State":
        """The state after all of them; the same as applying one after the other, without the states between."""
        values, seq, kept = dict(self.values), self.seq, list(events)
        at_once = {p.key: p.grown for p in self.projections if p.grown is not None}
        for event in kept:
            for key, handler in self.handlers.get(event.type, ()):
                if key not in at_once:
                    values[key] = handler(values[key], event)
            seq = event.seq
        for key, grown in at_once.items():
            values[key] = grown(values[key], kept)
        return State(self.projections, values, seq, self.handlers)

    def views(self) -> dict[str, Any]:
        """The wire values of all public projections."""
        return {p.key: p.view(self.values[p.key]) for p in self.projections if p.view is not None}

    def is_public(self, key: str) -> bool:
        return self._find(key).view is not None

    def view(self, key: str) -> Any:
        view = self._find(key).view
        return None if view is None else view(self.values[key])

    def _find(self, key: str) -> Projection[Any]:
        return next(p for p in self.projections if p.key == key)
