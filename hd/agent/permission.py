"""Whether one call may run: by the session's preset, by a person's rules, or by their word (WIRE 5.3)."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

from hd.permit import reading
from hd.permit.approvals import APPROVAL_REQUEST, Approval, approval_request, by, parse_approval
from hd.permit.look import DiskLook
from hd.permit.policy import Ask, Deny, decide, mode_of, outside_counts, rules_count
from hd.permit.presets import PresetName
from hd.permit.reasons import Reason
from hd.permit.rulebook import Rulebook
from hd.permit.rules import Rule, RuleRefused, Use
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.ids import new_id
from hd.session.live import LiveSession
from hd.tools.base import Access, Plan, Tool, ToolContext, ToolError

_USES: Final[Mapping[Access, Use]] = {Access.EXECUTE: "command", Access.TERMINAL: "terminal"}
_REFUSED: Final[Mapping[Approval, str]] = {
    "rejected": "The person denied this call. Do not look for another way to do it; ask or go on with something else.",
    "cancelled": "The person closed the request without allowing the call. It was not run.",
    "unavailable": "The answer to the request for approval could not be used, so the call was not run.",
}


class People(Protocol):
    """Whoever can be asked: gives the winning outcome of an ask (WIRE 5.2)."""

    async def ask(
        self, session_id: str, event: str, request: dict[str, Any], *, call_id: str | None = None
    ) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Wish:
    """A call of the model that would do what `plan` says."""

    call_id: str
    tool: Tool
    arguments: Mapping[str, Any]
    plan: Plan
    context: ToolContext


@dataclass(frozen=True, slots=True)
class Grounds:
    """What is decided by besides the preset: whoever can be asked, a person's rules, and whether the sandbox would hold
    a command of a session that may touch so much."""

    people: People
    rules: Rulebook
    holds: Callable[[LiveSession, PresetName], bool]


async def permit(session: LiveSession, grounds: Grounds, wish: Wish) -> PresetName:
    """Returns, when the call may run, what its command may touch; a `ToolError` tells the model why it may not."""
    plan, context = wish.plan, wish.context
    preset: PresetName = session.value("preset")
    planning = session.value("plan")
    doubt = partial(reading.doubt, look=DiskLook(context.files))
    verdict = await asyncio.to_thread(decide, preset, plan, context.workspace, planning=planning, doubt=doubt)
    if isinstance(verdict, Deny):
        text = f"This call {verdict.reason.en}. It was not run."
        raise ToolError(text, name="PermissionError", code="DENIED")
    asked = isinstance(verdict, Ask)
    if isinstance(verdict, Ask):
        use = _USES.get(plan.access) if rules_count(preset, planning=planning) else None
        if use is None or not await _covered(session, grounds.rules, wish, use):
            await ask(session, grounds, wish, verdict.reason, use)
            await _require_same(wish)
    hold = session.value("sandbox")
    mode = mode_of(preset, plan, context.workspace, allowed=asked, planning=planning, hold=hold)
    if plan.access is Access.EXECUTE and outside_counts(preset, planning=planning) and grounds.holds(session, mode):
        return "danger-full-access" if await _covered(session, grounds.rules, wish, "outside") else mode
    return mode


async def _covered(session: LiveSession, rules: Rulebook, wish: Wish, use: Use) -> bool:
    """Whether a person's rules allow it; the log then says which."""
    used = await rules.covering(wish.plan.detail, use, wish.context.files)
    if used:
        drafts = [{"change": "used", "rule": rule.named(), "callId": wish.call_id} for rule in used]
        session.record(*(Draft(ev.PERMISSION_RULE, data) for data in drafts))
    return bool(used)


async def ask(
    session: LiveSession, grounds: Grounds, wish: Wish, reason: Reason, use: Use | None, blocked: str | None = None
) -> None:
    """Returns when a person allowed the call, as it was shown; the rule for `use` that they may want is kept first.

    `blocked` is what the sandbox kept it from in a run before. A `ToolError` says that nobody allowed it.
    """
    offered = None if use is None else await grounds.rules.offer(wish.plan.detail, use, wish.context.files)
    ask_id = new_id()
    request = approval_request(wish.tool.spec.name, wish.call_id, wish.plan, reason, offered, blocked)
    session.record(Draft(ev.APPROVAL_ASKED, {"id": ask_id, **request}))
    await session.written(durable=True)
    outcome = await grounds.people.ask(session.id, APPROVAL_REQUEST, request)
    value = outcome.get("value") if outcome["kind"] == "result" else "rejected"
    approval = parse_approval(value, always=offered is not None)
    made: dict[str, Any] = {}
    if approval == "allowed-always" and offered is not None:
        made = await _kept(grounds.rules, offered, wish, session.id)
    # To the dialect a rule is a yes to this call; what it is besides stands beside it.
    told = "allowed-once" if approval == "allowed-always" else approval
    session.record(Draft(ev.APPROVAL_DECIDED, {"id": ask_id, "outcome": told, **by(outcome), **made}))
    if told != "allowed-once":
        raise ToolError(_REFUSED[told], name="ApprovalError", code="DENIED")


async def _kept(rules: Rulebook, offered: Rule, wish: Wish, session_id: str) -> dict[str, Any]:
    """The rule as kept, or why it was not: the call is allowed all the same, this once."""
    try:
        return {"rule": (await rules.keep(offered, wish.context.files.root, session_id)).named()}
    except RuleRefused as error:
        return {"ruleRefused": error.message}


async def _require_same(wish: Wish) -> None:
    """A `ToolError` where the call would by now do something else than what a person was shown and allowed."""
    if await asyncio.to_thread(wish.tool.plan, wish.arguments, wish.context) != wish.plan:
        raise ToolError(
            "The person allowed this call, but what it would act on was changed after that was shown, so it was not "
            "run. Look at it again, and make the call anew if it is still right; the person is then asked anew.",
            name="ApprovalError",
            code="STALE",
        )
