"""Where a session stands inside its turn. Private: it never crosses the wire.

The agent decides by it, and repair closes by it what a killed daemon left open.
"""

from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.messages import tool_calls_of, tool_result_of
from hd.protocol.projections.base import Projection


class OpenCall(Struct, frozen=True):
    """A call of the model without a result. `seq` is that of its `tool/call`, None while it was not begun."""

    call_id: str
    name: str
    seq: int | None = None


class Turn(Struct, frozen=True):
    """`number` and `step` are the latest ones; `answered` says whether the open step has its assistant message."""

    number: int = 0
    step: int = 0
    running: bool = False
    in_step: bool = False
    answered: bool = False
    calls: tuple[OpenCall, ...] = field(default=())


def _began(state: Turn, event: Event) -> Turn:
    return Turn(number=int(event.data.get("turn", state.number + 1)), running=True)


def _stepped(state: Turn, event: Event) -> Turn:
    return replace(state, step=int(event.data.get("step", state.step + 1)), in_step=True, answered=False)


def _answered(state: Turn, event: Event) -> Turn:
    calls = tuple(
        OpenCall(str(block.get("id", "")), str(block.get("name", "")))
        for block in tool_calls_of((event.data.get("message") or {}).get("content") or ())
    )
    return replace(state, answered=True, calls=calls)


def _called(state: Turn, event: Event) -> Turn:
    call_id: Any = event.data.get("callId")
    begun = OpenCall(str(call_id), str(event.data.get("name", "")), event.seq)
    return replace(state, calls=tuple(begun if call.call_id == call_id else call for call in state.calls))


def _returned(state: Turn, event: Event) -> Turn:
    result = tool_result_of(event.data.get("message") or {})
    if result is None:
        return state
    return replace(state, calls=tuple(call for call in state.calls if call.call_id != result[0]))


def _step_ended(state: Turn, event: Event) -> Turn:
    return replace(state, in_step=False)


def _turn_ended(state: Turn, event: Event) -> Turn:
    return replace(state, running=False, in_step=False, calls=())


TURN = Projection(
    "turn",
    Turn(),
    {
        ev.TURN_START: _began,
        ev.STEP_START: _stepped,
        ev.ASSISTANT_MESSAGE: _answered,
        ev.TOOL_CALL: _called,
        ev.TOOL_RESULT: _returned,
        ev.STEP_END: _step_ended,
        ev.TURN_END: _turn_ended,
    },
)
