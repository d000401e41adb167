"""The outline of a session: one short line of prompt and answer for each of its newest turns (WIRE 6.1, `turnOutline`).

The value stands in every row of a list, in every snapshot and in a frame at every turn, so it is bounded: of a session
of thousands of turns the older ones are found in its pages, not here.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.messages import text_of
from hd.protocol.projections.base import Projection

SHORT = 160
"""Characters that an outline keeps of a prompt or an answer."""

MOST_TURNS = 50
MOST_BYTES = 16_384
"""The size of the wire value; a list of a hundred sessions stays below two megabytes."""


class Outlined(Struct, frozen=True):
    turn: int
    seq: int
    prompt: str = ""
    response: str = ""


class Outline(Struct, frozen=True):
    """`pending` is the latest answer of the open turn; it becomes the response when the turn ends."""

    turns: tuple[Outlined, ...] = ()
    pending: str = ""


def short(text: str) -> str:
    flat = " ".join(text[: SHORT * 4].split())
    return flat if len(flat) <= SHORT else flat[: SHORT - 1] + "…"


def _begun(state: Outline, event: Event) -> Outline:
    turn = Outlined(int(event.data.get("turn", 0)), event.seq)
    return Outline((*state.turns[1 - MOST_TURNS :], turn), "")


def _prompted(state: Outline, event: Event) -> Outline:
    if (event.data.get("source") or {}).get("kind") != "user" or not state.turns:
        return state
    last = state.turns[-1]
    if last.prompt:
        return state
    prompt = short(text_of(event.data.get("content") or ()))
    return replace(state, turns=(*state.turns[:-1], replace(last, prompt=prompt)))


def _answered(state: Outline, event: Event) -> Outline:
    message: Mapping[str, Any] = event.data.get("message") or {}
    text = short(text_of(message.get("content") or ()))
    return replace(state, pending=text) if text and text != state.pending else state


def _ended(state: Outline, event: Event) -> Outline:
    if not state.turns or not state.pending:
        return state
    return Outline((*state.turns[:-1], replace(state.turns[-1], response=state.pending)), "")


def _view(state: Outline) -> list[dict[str, Any]]:
    """The newest turns that fit, the oldest of them first."""
    rows: list[dict[str, Any]] = []
    size = len("[]")
    for turn in reversed(state.turns):
        row = {"turn": turn.turn, "seq": turn.seq, "prompt": turn.prompt, "response": turn.response}
        size += len(msgspec.json.encode(row)) + len(",")
        if size > MOST_BYTES:
            break
        rows.append(row)
    return rows[::-1]


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
