"""What the agent does next, as a pure function of where it stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hd.protocol.projections.inbox import Inbox

MAX_STEPS = 200
"""Steps of one turn after which it stops and says so."""

MAX_CUT_CALLS = 2
"""Answers in one turn whose tool calls may be cut off by the output limit before the turn stops (case A21)."""


@dataclass(frozen=True, slots=True)
class StepEnd:
    """How a step ended. `error` goes with `failed`."""

    kind: Literal["called", "finished", "cut-text", "cut-calls", "failed"]
    error: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """`count` messages from the front of an inbox."""

    target: Literal["next-turn", "next-step"]
    count: int


@dataclass(frozen=True, slots=True)
class Rest:
    """Nothing to do until a prompt comes."""


@dataclass(frozen=True, slots=True)
class StartTurn:
    claim: Claim


@dataclass(frozen=True, slots=True)
class RunStep:
    claim: Claim | None


@dataclass(frozen=True, slots=True)
class EndTurn:
    reason: Mapping[str, Any]


Move = Rest | StartTurn | RunStep | EndTurn


def between_turns(inbox: Inbox) -> Rest | StartTurn:
    """Steering that waits starts a turn with all of it; otherwise the first queued prompt starts one alone."""
    if inbox.next_step:
        return StartTurn(Claim("next-step", len(inbox.next_step)))
    if inbox.next_turn:
        return StartTurn(Claim("next-turn", 1))
    return Rest()


def within_turn(inbox: Inbox, step: int, end: StepEnd, cut_calls: int) -> RunStep | EndTurn:
    """After step number `step` ended with `end`; `cut_calls` counts this turn's answers with cut calls."""
    if end.kind == "failed":
        return EndTurn({"kind": "error", "error": end.error or {}})
    if end.kind == "cut-calls" and cut_calls > MAX_CUT_CALLS:
        return EndTurn({"kind": "max-tokens"})
    steering = Claim("next-step", len(inbox.next_step)) if inbox.next_step else None
    if end.kind == "finished" and steering is None:
        return EndTurn({"kind": "completed"})
    if end.kind == "cut-text" and steering is None:
        return EndTurn({"kind": "max-tokens"})
    if step >= MAX_STEPS:
        text = f"The turn stopped after {MAX_STEPS} steps. Nothing is lost; send a message to go on."
        return EndTurn({"kind": "error", "error": {"message": text, "code": "STEP_LIMIT"}})
    return RunStep(steering)


def resumption(reason: Mapping[str, Any]) -> bool:
    """Whether the next queued prompt starts by itself after a turn that ended so: a cancel parks the queue."""
    return reason.get("kind") not in ("aborted", "error")


def failure(error: BaseException) -> dict[str, Any]:
    """An error that no leaf of the tree names, as the turn's end; its text could hold anything, so it stays out."""
    text = f"An internal error ended the turn ({type(error).__name__}). What was done so far is kept; the log has more."
    return {"message": text, "code": "INTERNAL"}
