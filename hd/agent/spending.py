"""The card that asks a person whether a cap may be raised (pure)."""

from typing import Any, Final

from hd.ledger.budget import Refusal
from hd.ledger.caps import CURRENCY
from pricing import plain

TOOL: Final = "higher budget"
"""What a client shows as the name of what wants to be allowed."""

_NAME: Final = {"turn": "budget of this turn", "session": "budget", "day": "budget of today"}
_WHOSE: Final = {
    "turn": "the budget of this turn",
    "session": "the budget of this session",
    "day": "the budget of all sessions for today",
}
_WHOSE_ZH: Final = {"turn": "本轮的", "session": "本会话的", "day": "今日全部会话的"}


def card(refused: Refusal, ask_id: str) -> dict[str, Any]:
    """What a person is shown: what was spent, what the request may cost, and what allowing it changes."""
    spent, name = refused.spent, _NAME[refused.spent.scope]
    reason = f"the next request could cost more than {_WHOSE[spent.scope]}"
    rows = (
        f"spent so far     {plain(spent.amount)} {CURRENCY}",
        refused.doubt,
        f"the next request {plain(refused.expected)} {CURRENCY}, as far as can be told",
        f"-{name} {plain(spent.limit)} {CURRENCY}",
        f"+{name} {plain(refused.proposal)} {CURRENCY}",
    )
    return {
        "toolName": TOOL,
        "callId": ask_id,
        "reason": reason,
        "displayReason": {"en": f"{reason.capitalize()}.", "zh": f"下一次请求可能超出{_WHOSE_ZH[spent.scope]}预算。"},
        "summary": f"raise the {name} to {plain(refused.proposal)} {CURRENCY}",
        "detail": "\n".join(filter(None, rows)),
        "paths": [],
    }
