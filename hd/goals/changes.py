"""What may become of a goal, as the data of `goal/change` (pure; WIRE 8.2, 10.3).

A goal is named by a ref `{id, revision}`; each change raises the revision, so that whoever acts on what they saw acts
on nothing else. `now` is in ms.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec.structs import replace

from hd.errors import BadRequest, HdError
from hd.protocol.ids import new_id
from hd.protocol.projections.goal import Goal

DEFAULT_ROUNDS: Final = 256
MAX_ROUNDS: Final = 10_000
MAX_OBJECTIVE: Final = 8_000
ROUND_LIMIT: Final = "round-limit"

Operation = Literal["create", "edit", "pause", "resume", "complete", "block"]
Change = dict[str, Any]


class GoalRefused(HdError):
    """A change that the goal's state does not allow; the dialect has no code of its own for it."""


def create(current: Goal | None, objective: str, max_rounds: int | None, now: int) -> Change:
    """A new goal; refused while there is one that is not complete."""
    if current is not None and current.phase != "complete":
        raise GoalRefused("This session has a goal already. Edit it, or clear it first; it is unchanged.")
    goal = Goal(
        f"goal-{new_id()}", 1, _objective(objective), "active", _rounds(max_rounds or DEFAULT_ROUNDS), 0, now, now
    )
    return _change("create", goal)


def edit(goal: Goal, objective: str | None, max_rounds: int | None, now: int) -> Change:
    changed = replace(
        goal,
        objective=goal.objective if objective is None else _objective(objective),
        max_rounds=goal.max_rounds if max_rounds is None else _rounds(max_rounds),
    )
    return _next("edit", changed, now)


def pause(goal: Goal, now: int) -> Change:
    if goal.phase != "active":
        raise GoalRefused(f"Only an active goal can be paused; this one is {goal.phase}.")
    return _next("pause", replace(goal, phase="paused"), now)


def resume(goal: Goal, now: int) -> Change:
    """Makes a goal active again; also one that is active and was only parked."""
    if goal.phase == "complete":
        raise GoalRefused("This goal is complete. Set a new one instead.")
    if goal.rounds >= goal.max_rounds:
        raise GoalRefused(f"All {goal.max_rounds} rounds of this goal are used. Raise its number of rounds first.")
    return _next("resume", replace(goal, phase="active", blocked=None), now)


def complete(goal: Goal, now: int) -> Change:
    if goal.phase == "complete":
        raise GoalRefused("This goal is complete already.")
    return _next("complete", replace(goal, phase="complete", blocked=None), now)


def block(goal: Goal, code: str, message: str, now: int) -> Change:
    if goal.phase != "active":
        raise GoalRefused(f"Only an active goal can be blocked; this one is {goal.phase}.")
    return _next("block", replace(goal, phase="blocked", blocked={"code": code, "message": message}), now)


def clear(goal: Goal, now: int) -> Change:
    cleared = {"id": goal.id, "revision": goal.revision + 1}
    return {"kind": "goal/change", "version": 1, "operation": "clear", "cleared": cleared, "clearedAt": now}


def checked(goal: Goal | None, ref: Mapping[str, Any]) -> Goal:
    """The goal that `ref` means; `GoalRefused` when it is another one by now."""
    if goal is None:
        raise GoalRefused("stale goal ref: this session has no goal any more.")
    if (ref.get("id"), ref.get("revision")) != (goal.id, goal.revision):
        raise GoalRefused(
            f"stale goal ref “{ref.get('id')}” revision {ref.get('revision')}: the goal is “{goal.id}” revision "
            f"{goal.revision} now. Nothing was changed; read it again."
        )
    return goal


def _objective(text: str) -> str:
    stripped = text.strip()
    if not stripped:
        raise BadRequest("A goal needs an objective: what is to be reached.")
    if len(stripped) > MAX_OBJECTIVE:
        raise BadRequest(f"An objective has at most {MAX_OBJECTIVE} characters; this one has {len(stripped)}.")
    return stripped


def _rounds(number: int) -> int:
    if not 1 <= number <= MAX_ROUNDS:
        raise BadRequest(f"A goal has 1 to {MAX_ROUNDS} rounds, not {number}.")
    return number


def _next(operation: Operation, goal: Goal, now: int) -> Change:
    return _change(operation, replace(goal, revision=goal.revision + 1, updated_at=now))


def _change(operation: Operation, goal: Goal) -> Change:
    return {
        "kind": "goal/change",
        "version": 1,
        "operation": operation,
        "goal": goal.to_wire(),
        "roundsStarted": goal.rounds,
        "createdAt": goal.created_at,
        "updatedAt": goal.updated_at,
    }
