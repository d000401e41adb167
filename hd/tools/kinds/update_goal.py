"""update_goal: the goal of the session is reached, or only the person can help on."""

import time
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from hd.errors import HdError
from hd.goals.changes import Change, block, complete
from hd.protocol.events import GOAL_CHANGE
from hd.protocol.projections.goal import Goal, of_wire
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, InvalidArguments, Outcome, Plan, ToolContext, ToolError
from hd.tools.kinds import spec_of

BLOCKED_BY_MODEL = "agent"


class UpdateGoalArguments(Arguments, frozen=True):
    status: Literal["complete", "blocked"]
    reason: Annotated[str, Meta(description="What is needed of the person; with `blocked`.")] | None = None


class UpdateGoal:
    def __init__(self) -> None:
        self.spec = spec_of("update_goal", UpdateGoalArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        parsed = _parsed(arguments)
        return Plan(Access.TALK, f"call the goal {parsed.status}", detail=parsed.reason or "")

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        parsed = _parsed(arguments)
        goal = of_wire(context.value("goal") or {})
        if goal is None:
            raise ToolError("This session has no goal, so there is nothing to update.", code="NO_GOAL")
        try:
            change = _change(goal, parsed, time.time_ns() // 1_000_000)
        except HdError as error:
            raise ToolError(error.message, code="GOAL_REFUSED") from error
        return Outcome(f"The goal is {parsed.status} now.", events=((GOAL_CHANGE, change),))


def _change(goal: Goal, parsed: UpdateGoalArguments, now: int) -> Change:
    if parsed.status == "complete":
        return complete(goal, now)
    return block(goal, BLOCKED_BY_MODEL, parsed.reason or "", now)


def _parsed(arguments: Mapping[str, Any]) -> UpdateGoalArguments:
    parsed = decode(UpdateGoalArguments, arguments)
    if parsed.status == "blocked" and not (parsed.reason or "").strip():
        raise InvalidArguments("With `blocked` say in `reason` what is needed of the person. Nothing was changed.")
    return parsed
