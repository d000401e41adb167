"""The outline of a session: one short line of prompt and answer a turn (WIRE 6.1, `turnOutline`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hd.protocol import events as ev
from hd.protocol.chunked import ChunkedList
from hd.protocol.events import Event
from hd.protocol.messages import text_of
from hd.protocol.projections.base import Projection

SHORT = 160
"""Characters that an outline keeps of a prompt or an answer."""


@dataclass(frozen=True, slots=True)
class Outlined:
    turn: int
    seq: int
    prompt: str = ""
    response: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """`pending` is the latest answer of the open turn; it becomes the response when the turn ends."""

    turns: ChunkedList[Outlined] = field(default_factory=ChunkedList)
    pending: str = ""


def short(text: str) -> str:
    flat = " ".join(text[: SHORT * 4].split())
    return flat if len(flat) <= SHORT else flat[: SHORT - 1] + "…"


def _begun(state: Outline, event: Event) -> Outline:
    turn = Outlined(int(event.data.get("turn", 0)), event.seq)
    return Outline(state.turns.append(turn), "")


def _prompted(state: Outline, event: Event) -> Outline:
    if (event.data.get("source") or {}).get("kind") != "user" or not len(state.turns):
        return state
    last = state.turns[-1]
    if last.prompt:
        return state
    prompt = short(text_of(event.data.get("content") or ()))
    return replace(state, turns=state.turns.replace(len(state.turns) - 1, replace(last, prompt=prompt)))


def _answered(state: Outline, event: Event) -> Outline:
    message: Mapping[str, Any] = event.data.get("message") or {}
    text = short(text_of(message.get("content") or ()))
    return replace(state, pending=text) if text and text != state.pending else state


def _ended(state: Outline, event: Event) -> Outline:
    if not len(state.turns) or not state.pending:
        return state
    last = replace(state.turns[-1], response=state.pending)
    return Outline(state.turns.replace(len(state.turns) - 1, last), "")


def _view(state: Outline) -> list[dict[str, Any]]:
    return [{"turn": t.turn, "seq": t.seq, "prompt": t.prompt, "response": t.response} for t in state.turns]


TURN_OUTLINE = Projection(
    "turnOutline",
    Outline(),
    {
        ev.TURN_START: _begun,
        ev.USER_MESSAGE: _prompted,
        ev.ASSISTANT_MESSAGE: _answered,
        ev.TURN_END: _ended,
    },
    _view,
)
