"""Who decided what was asked: a fold of the asked and decided events of a log (WIRE 5.3, and our own of questions)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from hd.protocol import events as ev
from hd.protocol.events import Event
from htui.mirror.rows import PendingAsk, text

KEPT = 16
"""Decisions that are remembered; more than that nobody waits for."""

_ASKED: Mapping[str, Literal["approval", "question"]] = {ev.APPROVAL_ASKED: "approval", ev.QUESTION_ASKED: "question"}
_DECIDED = frozenset({ev.APPROVAL_DECIDED, ev.QUESTION_DECIDED})


@dataclass(frozen=True, slots=True)
class Decision:
    """`outcome` is the host's word, `allowed-always` where a rule was made, empty while nobody decided; `by` the id of
    the client, empty where that is not told; `body` holds the data of the event that asked, `answers` those of
    questions."""

    kind: Literal["approval", "question"]
    body: Mapping[str, Any]
    outcome: str = ""
    by: str = ""
    answers: tuple[Mapping[str, Any], ...] = ()
    seq: int = -1

    def settles(self, ask: PendingAsk) -> bool:
        """Whether it is about this ask. A question is known by its words, for its request names no call."""
        if self.kind != ask.kind:
            return False
        name = "callId" if self.kind == "approval" else "questions"
        return self.body.get(name) is not None and self.body.get(name) == ask.request.get(name)


@dataclass(frozen=True, slots=True)
class Decisions:
    """`open` are the asks without a decision by their id, `made` the latest decisions, oldest first."""

    open: Mapping[str, Decision] = field(default_factory=dict)
    made: tuple[Decision, ...] = ()

    def apply(self, event: Event) -> "Decisions":
        kind, ask_id = _ASKED.get(event.type), text(event.data.get("id"))
        if kind is not None:
            return Decisions({**self.open, ask_id: Decision(kind, event.data)}, self.made)
        if event.type == ev.TURN_END and self.open:
            return Decisions({}, self.made)
        asked = self.open.get(ask_id) if event.type in _DECIDED else None
        if asked is None:
            return self
        answers = event.data.get("answers")
        made = Decision(
            asked.kind,
            asked.body,
            "allowed-always" if event.data.get("rule") else text(event.data.get("outcome")),
            text(event.data.get("by")),
            tuple(a for a in answers if isinstance(a, Mapping)) if isinstance(answers, list) else (),
            event.seq,
        )
        rest = {known: decision for known, decision in self.open.items() if known != ask_id}
        return Decisions(rest, (*self.made, made)[-KEPT:])
