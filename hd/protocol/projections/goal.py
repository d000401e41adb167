"""The goal of a session: what the agent pursues in rounds by itself (WIRE 8.2 `goal/change`, 10.3)."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection


class Goal(Struct, frozen=True):
    """A goal as the log has it; the times are in ms. Whether it is armed is no fact but a state of the daemon."""

    id: str
    revision: int
    objective: str
    phase: str
    max_rounds: int
    rounds: int
    created_at: int
    updated_at: int
    blocked: Mapping[str, Any] | None = None

    def to_wire(self) -> dict[str, Any]:
        """The part that stands under `goal` in events and in the projection."""
        wire: dict[str, Any] = {
            "id": self.id,
            "revision": self.revision,
            "objective": self.objective,
            "phase": self.phase,
            "maxGoalRounds": self.max_rounds,
        }
        if self.blocked is not None:
            wire["blockedReason"] = dict(self.blocked)
        return wire


class Pursued(Struct, frozen=True):
    """`goal` is None where there is none; `in_round` says that the running turn is a round of it."""

    goal: Goal | None = None
    in_round: bool = False


def of_wire(value: Mapping[str, Any]) -> Goal | None:
    """The goal out of a `goal/change` or the projection's value; None where there is none in it."""
    wire = value.get("goal")
    if not isinstance(wire, Mapping):
        return None
    return Goal(
        id=str(wire.get("id")),
        revision=int(wire.get("revision") or 1),
        objective=str(wire.get("objective") or ""),
        phase=str(wire.get("phase") or "active"),
        max_rounds=int(wire.get("maxGoalRounds") or 0),
        rounds=int(value.get("roundsStarted") or 0),
        created_at=int(value.get("createdAt") or 0),
        updated_at=int(value.get("updatedAt") or 0),
        blocked=wire.get("blockedReason"),
    )


def _changed(state: Pursued, event: Event) -> Pursued:
    return replace(state, goal=of_wire(event.data))


def _prompted(state: Pursued, event: Event) -> Pursued:
    source = event.data.get("source") or {}
    if source.get("kind") != "goal" or state.goal is None or source.get("goalId") != state.goal.id:
        return state
    rounds = max(state.goal.rounds, int(source.get("round") or 0))
    return Pursued(replace(state.goal, rounds=rounds), in_round=True)


def _turned(state: Pursued, event: Event) -> Pursued:
    return replace(state, in_round=False) if state.in_round else state


def _view(state: Pursued) -> dict[str, Any] | None:
    goal = state.goal
    if goal is None:
        return None
    return {
        "goal": goal.to_wire(),
        "roundsStarted": goal.rounds,
        "createdAt": goal.created_at,
        "updatedAt": goal.updated_at,
    }


GOAL = Projection(
    "goal",
    Pursued(),
    {ev.GOAL_CHANGE: _changed, ev.USER_MESSAGE: _prompted, ev.TURN_START: _turned, ev.TURN_END: _turned},
    _view,
)
