"""Whether a session may spend what its next request is expected to cost, and who may say that it may spend more."""

from typing import Any, Final

from hd.agent.permission import People
from hd.ledger.budget import CURRENCY, Refusal, expected_cost, refusal
from hd.ledger.day import DayCap
from hd.permit.approvals import APPROVAL_REQUEST, by, parse_approval
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.ids import new_id
from hd.session.live import LiveSession
from pricing import plain

TOOL: Final = "budget"
"""What a client shows as the name of what wants to be allowed."""

_WHOSE: Final = {"session": "the budget of this session", "day": "the budget of all sessions for today"}
_WHOSE_ZH: Final = {"session": "本会话的", "day": "今日全部会话的"}


def over_budget(session: LiveSession) -> Refusal | None:
    """Why the session's own cap lets no next request go to the model of the last one; None where it may be sent."""
    size, route = _next(session)
    return refusal(session.value("cost"), session.value("budget"), size=size, route=route, now=session.now())


def _next(session: LiveSession) -> tuple[int, tuple[str, str]]:
    """Tokens of the next request, and its provider and model."""
    chosen = session.value("modelSelection").last_used or {}
    size: int = session.value("contextPressure").projected
    return size, (str(chosen.get("provider")), str(chosen.get("model")))


async def _refusal(session: LiveSession, day: DayCap) -> Refusal | None:
    size, route = _next(session)
    expected = expected_cost(session.value("cost"), size, route, session.now())
    return over_budget(session) or await day.refusal(session.id, expected, session.now())


async def may_go_on(session: LiveSession, people: People, day: DayCap) -> Refusal | None:
    """Asks a person to raise a cap that the next request could pass; why it is not sent where nobody does.

    The turn waits as for every approval: the session needs somebody, in all clients and over a lost connection. A cap
    that was raised or taken away by a command meanwhile counts too. What it may cost is set aside in the day's cap.
    """
    while (refused := await _refusal(session, day)) is not None:
        ask_id = new_id()
        request = card(refused, ask_id)
        session.record(Draft(ev.APPROVAL_ASKED, {"id": ask_id, **request}))
        await session.written(durable=True)
        outcome = await people.ask(session.id, APPROVAL_REQUEST, request)
        approval = parse_approval(outcome.get("value") if outcome["kind"] == "result" else "rejected")
        drafts = [Draft(ev.APPROVAL_DECIDED, {"id": ask_id, "outcome": approval, **by(outcome)})]
        cap, allowed = session.value("budget"), approval == "allowed-once"
        if allowed and refused.scope == "session" and cap is not None:
            drafts.append(Draft(ev.BUDGET_SET, {"amount": plain(max(cap, refused.proposal))}))
        if allowed and refused.scope == "day":
            day.allow(refused.proposal, session.now())
        session.record(*drafts)
        if not allowed:
            return await _refusal(session, day)
    return None


def card(refused: Refusal, ask_id: str) -> dict[str, Any]:
    """What a person is shown: what was spent, what the request may cost, and what allowing it changes."""
    reason = f"the next request could cost more than {_WHOSE[refused.scope]}"
    name = "budget of today" if refused.scope == "day" else "budget"
    rows = (
        f"spent so far     {plain(refused.spent)} {CURRENCY}",
        refused.doubt,
        f"the next request {plain(refused.expected)} {CURRENCY}, as far as can be told",
        f"-{name} {plain(refused.cap)} {CURRENCY}",
        f"+{name} {plain(refused.proposal)} {CURRENCY}",
    )
    return {
        "toolName": TOOL,
        "callId": ask_id,
        "reason": reason,
        "displayReason": {"en": f"{reason.capitalize()}.", "zh": f"下一次请求可能超出{_WHOSE_ZH[refused.scope]}预算。"},
        "summary": f"raise the {name} to {plain(refused.proposal)} {CURRENCY}",
        "detail": "\n".join(filter(None, rows)),
        "paths": [],
    }
