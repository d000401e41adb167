"""What may become of a goal, phase by phase."""

from collections.abc import Callable

import pytest

from hd.errors import BadRequest
from hd.goals import changes
from hd.goals.changes import Change, GoalRefused
from hd.protocol.projections.goal import Goal, of_wire

PHASES = ("active", "paused", "blocked", "complete")


def goal(phase: str = "active", *, rounds: int = 1, limit: int = 3) -> Goal:
    blocked = {"code": "agent", "message": "stuck"} if phase == "blocked" else None
    return Goal("goal-1", 4, "the moon", phase, limit, rounds, 10, 20, blocked)


def after(change: Change) -> Goal:
    made = of_wire(change)
    assert made is not None
    return made


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(
    ("change", "allowed", "becomes"),
    [
        (changes.pause, {"active"}, "paused"),
        (changes.resume, {"active", "paused", "blocked"}, "active"),
        (changes.complete, {"active", "paused", "blocked"}, "complete"),
        (lambda one, now: changes.block(one, "agent", "why", now), {"active"}, "blocked"),
        (lambda one, now: changes.edit(one, "the sun", 9, now), set(PHASES), None),
    ],
    ids=["pause", "resume", "complete", "block", "edit"],
)
def test_each_change_is_for_certain_phases(
    change: Callable[[Goal, int], Change], allowed: set[str], becomes: str | None, phase: str
) -> None:
    before = goal(phase)
    if phase not in allowed:
        with pytest.raises(GoalRefused):
            change(before, 30)
        return
    made = after(change(before, 30))
    assert (made.id, made.revision, made.rounds, made.created_at, made.updated_at) == ("goal-1", 5, 1, 10, 30)
    assert made.phase == (becomes or phase)
    assert (made.blocked is not None) is (made.phase == "blocked")


def test_a_goal_without_rounds_left_is_not_resumed() -> None:
    with pytest.raises(GoalRefused, match="3 rounds"):
        changes.resume(goal("blocked", rounds=3), 30)
    assert after(changes.resume(goal("blocked", rounds=2), 30)).phase == "active"


@pytest.mark.parametrize("phase", [None, *PHASES])
def test_a_new_goal_comes_where_there_is_none_or_one_that_is_reached(phase: str | None) -> None:
    current = None if phase is None else goal(phase)
    if phase in (None, "complete"):
        made = after(changes.create(current, " the sun ", None, 30))
        assert (made.objective, made.revision, made.max_rounds, made.rounds) == ("the sun", 1, 256, 0)
    else:
        with pytest.raises(GoalRefused):
            changes.create(current, "the sun", None, 30)


@pytest.mark.parametrize("objective", ["", " \n", "x" * 8001])
def test_an_objective_has_something_in_it_and_an_end(objective: str) -> None:
    with pytest.raises(BadRequest):
        changes.create(None, objective, None, 30)
    with pytest.raises(BadRequest):
        changes.edit(goal(), objective, None, 30)


@pytest.mark.parametrize(
    "ref", [{}, {"id": "goal-1"}, {"id": "goal-1", "revision": 3}, {"id": "goal-2", "revision": 4}]
)
def test_a_ref_names_one_revision_of_one_goal(ref: dict[str, object]) -> None:
    with pytest.raises(GoalRefused, match="stale goal ref"):
        changes.checked(goal(), ref)
    with pytest.raises(GoalRefused, match="stale goal ref"):
        changes.checked(None, ref)
    assert changes.checked(goal(), {"id": "goal-1", "revision": 4}) == goal()


def test_a_cleared_goal_leaves_its_ref() -> None:
    change = changes.clear(goal(), 30)
    assert (change["cleared"], change["clearedAt"]) == ({"id": "goal-1", "revision": 5}, 30)
    assert of_wire(change) is None
