"""A command that failed by the sandbox: the person is asked at once whether it is to run again, outside it.

The model cannot ask for this itself: no parameter of a call says that a command should not be held, so that nothing
which a file or a page told the model to write can either.
"""

from dataclasses import replace
from typing import Final

from hd.agent.permission import Grounds, Wish, ask
from hd.permit import reasons
from hd.permit.policy import outside_counts
from hd.permit.presets import PresetName
from hd.permit.rules import Use
from hd.session.live import LiveSession
from hd.tools.base import Access, Outcome, ToolError

_AGAIN: Final = "[This is its second run, outside the sandbox, which the person allowed. The first failed: {blocked}.]"
_REFUSED: Final = (
    "[The person was asked whether it may run outside the sandbox, and did not allow it. Do not look for another way "
    "around the sandbox; go on without it, or say what is missing.]"
)


async def run(session: LiveSession, grounds: Grounds, wish: Wish, mode: PresetName) -> Outcome:
    """Runs a permitted call; a command that the sandbox made fail once more outside, where a person allows that."""
    first = await wish.tool.run(wish.arguments, replace(wish.context, mode=mode))
    blocked = _blocked(first) if wish.plan.access is Access.EXECUTE else None
    preset: PresetName = session.value("preset")
    planning = session.value("plan")
    # Where nobody wants to be asked, or a plan is made, it stays with what the result says.
    if blocked is None or planning or preset == "danger-full-access":
        return first
    use: Use | None = "outside" if outside_counts(preset, planning=planning) else None
    try:
        await ask(session, grounds, wish, reasons.HELD, use, blocked)
    except ToolError:
        return replace(first, text=f"{first.text}\n{_REFUSED}")
    again = await wish.tool.run(wish.arguments, replace(wish.context, mode="danger-full-access"))
    return replace(again, text=f"{_AGAIN.format(blocked=blocked)}\n{again.text}")


def _blocked(outcome: Outcome) -> str | None:
    """What the sandbox kept a command from that failed; None where it did not, or came to its end all the same."""
    meta = outcome.meta or {}
    blocked = (meta.get("sandbox") or {}).get("blocked")
    return str(blocked) if blocked and meta.get("exitCode") != 0 else None
