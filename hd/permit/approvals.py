"""Approvals and questions in the shapes of the wire (WIRE 5.3 and 5.4); pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from hd.errors import InputInvalid
from hd.permit.reasons import Reason
from hd.permit.reveal import reveal
from hd.permit.rules import Rule
from hd.tools.base import Plan

APPROVAL_REQUEST: Final = "approval/request"
QUESTIONS_REQUEST: Final = "user-questions/request"

Approval = Literal["allowed-once", "allowed-always", "rejected", "cancelled", "unavailable"]


def parse_approval(value: object, *, always: bool = False) -> Approval:
    """A client's answer. The dialect knows three bare texts, and `allowed-always` is ours, an answer to a request that
    offered it; anything else allows nothing."""
    match value:
        case "allowed-always" if always:
            return value
        case "allowed-once" | "rejected" | "cancelled":
            return value
        case _:
            return "unavailable"


def approval_request(
    tool_name: str,
    call_id: str,
    plan: Plan,
    reason: Reason,
    always: Rule | None = None,
    blocked: str | None = None,
) -> dict[str, Any]:
    """What a person is shown before a call.

    `toolName`, `callId`, `reason` and `displayReason` are the dialect's; `summary`, `detail` and `paths` are ours and
    hold what the call would do, in full, with nothing hidden in it. So are `always`, the rule that the answer
    `allowed-always` would make, and `blocked`, what the sandbox kept the call from when it ran in it.
    """
    offered = (
        {} if always is None else {"always": {"text": offer(always), "use": always.use, "argv": list(always.argv)}}
    )
    return {
        "toolName": tool_name,
        "callId": call_id,
        "reason": f"{reveal(plan.summary, one_line=True)}: {reason.en}",
        "displayReason": {"en": _sentence(reason.en), "zh": reason.zh},
        "summary": reveal(plan.summary, one_line=True),
        "detail": reveal(plan.detail),
        "paths": [reveal(path, one_line=True) for path in plan.paths],
        **offered,
        **({} if blocked is None else {"blocked": reveal(blocked, one_line=True)}),
    }


def offer(rule: Rule) -> str:
    """What a rule would cover, as a card says it."""
    tied = [reveal(path, one_line=True) for path, _ in rule.ties.contents]
    unchanged = f", as long as {' and '.join(tied)} stay{'s' if len(tied) == 1 else ''} as now" if tied else ""
    free = ", whatever it runs then" if rule.use == "outside" and not tied else ""
    return f"{rule.text}, exactly so, in this workspace, for good{unchanged}{free}"


def by(outcome: Mapping[str, Any]) -> dict[str, Any]:
    """Which client answered, where it was one: so that the others can say that the answer came from elsewhere."""
    return {"by": outcome["by"]} if outcome.get("by") else {}


def parse_answers(value: object, questions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A client's answers as `{"answers": [{id, selected, custom?}]}`: one for each question, in their order.

    A question that the client left out counts as answered with nothing; keys that we do not know are dropped.
    InputInvalid for another shape, for a question that was not asked, for a label that was not offered, and for
    several labels where one was asked for: the model must not be told a choice that nobody had.
    """
    given = value.get("answers") if isinstance(value, Mapping) else None
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        raise InputInvalid("An answer to questions is an object with a list `answers`.")
    by_id: dict[str, dict[str, Any]] = {}
    asked = {str(question["id"]): question for question in questions}
    for answer in given:
        answer_id = answer.get("id") if isinstance(answer, Mapping) else None
        if not isinstance(answer_id, str) or answer_id not in asked or answer_id in by_id:
            raise InputInvalid("Each answer names by `id` one of the questions, and no question twice.")
        by_id[answer_id] = _answer(answer, asked[answer_id])
    return {"answers": [by_id.get(question_id, {"id": question_id, "selected": []}) for question_id in asked]}


def _answer(answer: Mapping[str, Any], question: Mapping[str, Any]) -> dict[str, Any]:
    selected, custom = answer.get("selected") or [], answer.get("custom")
    offered = {option["label"] for option in question.get("options") or ()}
    if not isinstance(selected, list) or not all(isinstance(label, str) and label in offered for label in selected):
        raise InputInvalid(f"`selected` of the answer {question['id']!r} is a list of labels that were offered.")
    if len(selected) > 1 and not question.get("multiSelect"):
        raise InputInvalid(f"The question {question['id']!r} takes one label.")
    if custom is not None and not isinstance(custom, str):
        raise InputInvalid(f"`custom` of the answer {question['id']!r} is a text.")
    parsed = {"id": question["id"], "selected": list(dict.fromkeys(selected))}
    return parsed | {"custom": custom} if custom else parsed


def _sentence(text: str) -> str:
    return f"This call {text}."
