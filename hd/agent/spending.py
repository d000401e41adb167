"""Whether a session may spend what its next request is expected to cost, and who may say that it may spend more."""

from typing import Any, Final

from hd.agent.permission import People
from hd.ledger.budget import CURRENCY, Refusal, refusal
from hd.permit.approvals import APPROVAL_REQUEST, by, parse_approval
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.ids import new_id
from hd.session.live import LiveSession
from pricing import plain

TOOL: Final = "budget"
"""What a client shows as the name of what wants to be allowed."""


def over_budget(session: LiveSession) -> Refusal | None:
    """Why the next request to the model of the last one is not sent; None where it may be."""
    chosen = session.value("modelSelection").last_used or {}
    size = session.value("contextPressure").projected
    route = (str(chosen.get("provider")), str(chosen.get("model")))
    return refusal(session.value("cost"), session.value("budget"), size=size, route=route, now=session.now())


async def may_go_on(session: LiveSession, people: People) -> Refusal | None:
    """Asks a person to raise the cap where the next request could pass it; why it is not sent where nobody does.

    The turn waits as for every approval: the session needs somebody, in all clients and over a lost connection. A cap
    that was raised or taken away by a command meanwhile counts too.
    """
    while (refused := over_budget(session)) is not None:
        ask_id = new_id()
        request = _request(refused, ask_id)
        session.record(Draft(ev.APPROVAL_ASKED, {"id": ask_id, **request}))
        await session.written(durable=True)
        outcome = await people.ask(session.id, APPROVAL_REQUEST, request)
        approval = parse_approval(outcome.get("value") if outcome["kind"] == "result" else "rejected")
        drafts = [Draft(ev.APPROVAL_DECIDED, {"id": ask_id, "outcome": approval, **by(outcome)})]
        cap = session.value("budget")
        if approval == "allowed-once" and cap is not None:
            drafts.append(Draft(ev.BUDGET_SET, {"amount": plain(max(cap, refused.proposal))}))
        session.record(*drafts)
        if approval != "allowed-once":
            return over_budget(session)
    return None


def _request(refused: Refusal, ask_id: str) -> dict[str, Any]:
    """What a person is shown: what was spent, what the request may cost, and what allowing it changes."""
    reason = "the next request could cost more than the budget of this session"
    detail = (
        f"spent so far     {plain(refused.spent)} {CURRENCY}\n"
        f"the next request {plain(refused.expected)} {CURRENCY}, as far as can be told\n"
        f"-budget {plain(refused.cap)} {CURRENCY}\n"
        f"+budget {plain(refused.proposal)} {CURRENCY}"
    )
    return {
        "toolName": TOOL,
        "callId": ask_id,
        "reason": reason,
        "displayReason": {"en": f"{reason.capitalize()}.", "zh": "下一次请求可能超出本会话的预算。"},
        "summary": f"raise the budget to {plain(refused.proposal)} {CURRENCY}",
        "detail": detail,
        "paths": [],
    }
