"""The goal of a session and its plan mode, in words: pure (WIRE 8 `goal` and `plan`, 10.3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from htui.present.safe import one_line

PLANNING = "plan mode: the agent only reads · /plan off leaves it"


@dataclass(frozen=True, slots=True)
class Goal:
    """`activation` is `armed` while rounds start by themselves, `disarmed`, or empty where the host did not tell."""

    id: str
    objective: str
    phase: str
    round: int
    rounds: int
    activation: str = ""
    reason: str = ""

    @property
    def parked(self) -> bool:
        """True for a goal that is not over and waits for somebody to resume it."""
        return self.phase == "active" and self.activation == "disarmed"


def goal_of(value: object, activation: str = "") -> Goal | None:
    """The `goal` projection; None where there is no goal."""
    outer = value if isinstance(value, Mapping) else {}
    goal = outer.get("goal")
    if not isinstance(goal, Mapping):
        return None
    blocked = goal.get("blockedReason")
    return Goal(
        id=str(goal.get("id") or ""),
        objective=one_line(str(goal.get("objective") or ""), 400),
        phase=one_line(str(goal.get("phase") or "active"), 20),
        round=_whole(outer.get("roundsStarted")),
        rounds=_whole(goal.get("maxGoalRounds")),
        activation=activation,
        reason=one_line(str(blocked.get("message") or ""), 300) if isinstance(blocked, Mapping) else "",
    )


def goal_figure(goal: Goal | None) -> str:
    """The goal for the status bar, empty where there is none."""
    if goal is None:
        return ""
    if goal.parked:
        return "goal waits"
    words = {"active": f"goal {goal.round}/{goal.rounds}", "complete": "goal done"}
    return words.get(goal.phase, f"goal {goal.phase}")


def goal_facts(goal: Goal | None) -> list[tuple[str, str]]:
    """The goal for `/status`: names and values."""
    if goal is None:
        return []
    count = f"round {goal.round} of {goal.rounds}"
    said = {
        "active": f"running · {count}",
        "paused": f"paused · {count} · /goal resume goes on",
        "blocked": f"blocked · {count} · {goal.reason or 'no reason was told'} · /goal resume goes on",
        "complete": f"done after {goal.round} of {goal.rounds} rounds · /goal clear forgets it",
    }.get(goal.phase, f"{goal.phase} · {count}")
    if goal.parked:
        said = f"waits · {count} · /goal resume goes on"
    return [("goal", goal.objective), ("", said)]


def planning(value: object) -> str:
    """Plan mode for the status bar, empty where it is off; a change that still waits is marked."""
    plan: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    active, pending = plan.get("active") is True, plan.get("pending") is True
    return "plan…" if pending else "plan" if active else ""


def _whole(value: object) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0
