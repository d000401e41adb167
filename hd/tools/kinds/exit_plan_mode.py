"""exit_plan_mode: puts a plan to the person; their yes ends plan mode (WIRE 5.4)."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from msgspec import Meta

from hd.protocol.events import PLAN_MODE
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, InvalidArguments, Outcome, Plan, ToolContext, ToolError
from hd.tools.kinds import spec_of

APPROVE: Final = "Approve"
KEEP_PLANNING: Final = "Keep planning"
_QUESTION_ID = "plan-review"


class ExitPlanModeArguments(Arguments, frozen=True):
    plan: Annotated[str, Meta(min_length=1, description="The whole plan in Markdown, beginning with a `#` heading.")]


class ExitPlanMode:
    def __init__(self) -> None:
        self.spec = spec_of("exit_plan_mode", ExitPlanModeArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        return Plan(Access.TALK, "present a plan", detail=_parsed(arguments))

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        plan = _parsed(arguments)
        if not (context.value("plan") or {}).get("active"):
            raise ToolError(
                "The session is not in plan mode, so nothing holds you back: do the work.", code="NOT_PLANNING"
            )
        answers = await context.ask([review(plan, context.call_id)])
        answer = answers["answers"][0]
        if APPROVE in answer["selected"]:
            text = "The plan is approved and plan mode is over. Carry the plan out from your next step on."
            return Outcome(text, events=((PLAN_MODE, {"active": False}),))
        said = f" They said: {answer['custom']}" if answer.get("custom") else ""
        return Outcome(f"The person wants you to keep planning; plan mode goes on.{said}")


def review(plan: str, call_id: str) -> dict[str, Any]:
    """The question that clients know as the review of a plan."""
    return {
        "id": _QUESTION_ID,
        "header": "Plan review",
        "question": "Carry out this plan? That ends plan mode.",
        "detail": plan,
        "options": [
            {"label": APPROVE, "description": "Plan mode ends, and the agent starts with the work."},
            {"label": KEEP_PLANNING, "description": "Plan mode goes on; say what should be different."},
        ],
        "intent": {"kind": "plan-review", "approve": APPROVE, "callId": call_id},
    }


def _parsed(arguments: Mapping[str, Any]) -> str:
    plan = decode(ExitPlanModeArguments, arguments).plan.strip()
    if not plan.startswith("#"):
        raise InvalidArguments("A plan begins with a `#` heading. Nothing was asked; call it again with all of it.")
    return plan
