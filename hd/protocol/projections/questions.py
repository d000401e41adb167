"""Questions to the person, open and answered, by the call that asked them (WIRE 14, `userQuestions`)."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection

SHOWN = 50
"""How many settled questions are shown; open ones always are."""


class Open(Struct, frozen=True):
    """`id` is that of the event, `call_id` that of the tool call."""

    id: str
    call_id: str
    questions: tuple[Mapping[str, Any], ...]


class Questions(Struct, frozen=True):
    active: tuple[Open, ...] = ()
    settled: tuple[Mapping[str, Any], ...] = ()


def _asked(state: Questions, event: Event) -> Questions:
    asked = Open(str(event.data.get("id")), str(event.data.get("callId")), tuple(event.data.get("questions") or ()))
    return replace(state, active=(*state.active, asked))


def _decided(state: Questions, event: Event) -> Questions:
    settled = state.settled
    mine = [one for one in state.active if one.id == event.data.get("id")]
    if not mine:
        return state
    answers = event.data.get("answers")
    if event.data.get("outcome") == "answered" and answers is not None:
        settled = (*settled[1 - SHOWN :], {"callId": mine[0].call_id, "answers": answers})
    return Questions(tuple(one for one in state.active if one not in mine), settled)


def _turn_ended(state: Questions, event: Event) -> Questions:
    return replace(state, active=()) if state.active else state


USER_QUESTIONS = Projection(
    "userQuestions",
    Questions(),
    {ev.QUESTION_ASKED: _asked, ev.QUESTION_DECIDED: _decided, ev.TURN_END: _turn_ended},
    lambda state: {
        "active": [{"callId": one.call_id, "questions": list(one.questions), "state": "open"} for one in state.active],
        "settled": list(state.settled),
    },
)
