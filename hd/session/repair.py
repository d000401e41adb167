"""What a killed daemon left open is closed (pure).

Nothing is run again. Each open call gets an answer that says so, what was received of an answer is kept, what waited
for a person is void, and the turn ends as interrupted; commands and compactions end as failed. Prompts that wait in the
inbox stay there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.messages import assistant_message, tool_message
from hd.protocol.projections import State
from hd.protocol.projections.asks import Asks
from hd.protocol.projections.begun import Begun
from hd.protocol.projections.jobs import open_jobs, outlives_turn
from hd.protocol.projections.turn import OpenCall, Turn
from hd.protocol.stream import blocks_of


@dataclass(frozen=True, slots=True)
class Closing:
    """Why a turn is closed from outside its own course, and what its open calls are told."""

    reason: Mapping[str, Any]
    begun: str
    not_begun: str


INTERRUPTED = Closing(
    {"kind": "interrupted"},
    "Error: the daemon stopped while this call ran. It was not run again; whether it took effect is unknown, so look "
    "before you repeat it.",
    "Error: the daemon stopped before this call began. It was not run.",
)
STOPPED = Closing(
    {"kind": "aborted", "reason": {"kind": "user"}},
    "Error: the person stopped the turn while this call ran; it may have taken effect in part.",
    "Error: the person stopped the turn before this call began. It was not run.",
)


ABORTED: Final = {"name": "AbortError", "code": "ABORTED"}
ASK_ABORTED: Final = {"name": "UserQuestionError", "code": "ASK_ABORTED"}
"""How a call ends that was stopped, and one that waited for a person's answers (WIRE 5.4, 13)."""


def failed(error: Mapping[str, Any]) -> Closing:
    """The closing of a turn that a defect ended."""
    text = "Error: the turn failed before this call was answered; it may have taken effect."
    return Closing({"kind": "error", "error": dict(error)}, text, text)


def close(state: State, closing: Closing) -> list[Draft]:
    """The events that end an open turn, whatever is open in it; none when no turn is open.

    What waits for a person is void, each call without a result gets one, and step and turn end. Terminals, and what a
    person keeps, go on.
    """
    turn: Turn = state.values["turn"]
    if not turn.running:
        return []
    asks: Asks = state.values["asks"]
    asking = {ask.body.get("callId") for ask in asks if ask.kind == "question"}
    of_turn = [job for job in open_jobs(state.values["jobs"]) if not outlives_turn(job)]
    drafts = [*void_asks(asks), *lost_jobs(of_turn)]
    for call in turn.calls:
        text = closing.not_begun if call.seq is None else closing.begun
        drafts.append(_unanswered(call, turn, text, ASK_ABORTED if call.call_id in asking else ABORTED))
    if turn.in_step:
        drafts.append(Draft(ev.STEP_END, {"turn": turn.number, "step": turn.step}))
    drafts.append(Draft(ev.TURN_END, {"turn": turn.number, "reason": dict(closing.reason)}))
    return drafts


def _unanswered(call: OpenCall, turn: Turn, text: str, error: Mapping[str, str]) -> Draft:
    message = tool_message(call.call_id, text, is_error=True)
    data = {"turn": turn.number, "step": turn.step, "message": message, "error": dict(error)}
    return Draft(ev.TOOL_RESULT, data, "append", () if call.seq is None else (call.seq,))


def void_asks(asks: Asks) -> list[Draft]:
    """The ends of approvals and questions that nobody will answer any more."""
    return [
        Draft(ev.APPROVAL_DECIDED if ask.kind == "approval" else ev.QUESTION_DECIDED, _void(ask.id)) for ask in asks
    ]


def lost_jobs(jobs: Iterable[Mapping[str, Any]]) -> list[Draft]:
    """The ends of jobs that ended with their daemon or their turn: nobody saw how."""
    end = {"status": "killed", "cause": "kill", "producerReported": False, "detail": "the daemon stopped"}
    return [Draft(ev.JOB_SETTLED, {**_registered(job), **end}) for job in jobs]


def _registered(job: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value for key, value in job.items() if key not in {"status", "number", "pages", "left", "kept", "detail"}
    }


def _void(ask_id: str) -> dict[str, Any]:
    return {"id": ask_id, "outcome": "unavailable"}


def cut_short(begun: Begun) -> list[Draft]:
    """The ends of compactions and commands that ended with their daemon; a compaction before the command it is of."""
    drafts = [
        Draft(ev.COMPACTION_END, {**_place(compaction), "error": {"message": "the daemon stopped"}})
        for compaction in begun.compactions.values()
    ]
    for command_id, name in begun.commands.items():
        text = f"The daemon stopped while /{name} ran. It was not run again; look before you repeat it."
        drafts.append(Draft(ev.COMMAND_DONE, {"commandId": command_id, "kind": "error", "text": text}))
    return drafts


def _place(compaction: Mapping[str, Any]) -> dict[str, Any]:
    return {key: compaction[key] for key in ("compactionId", "sourceCommandId", "turn") if key in compaction}


def needs_repair(state: State) -> bool:
    """Whether the log of a session that nobody works with says that somebody does."""
    turn: Turn = state.values["turn"]
    begun: Begun = state.values["begun"]
    return bool(turn.running or open_jobs(state.values["jobs"]) or begun.commands or begun.compactions)


def repair(state: State, partial: object, provider: str, model: str) -> list[Draft]:
    """The events that close what was interrupted and end the jobs of a dead daemon; none for a log that is closed.

    `partial` is what was kept of the answer in progress: `{turn, step, stream}` with the packed stream. What cannot be
    read of it is lost, and keeps nothing from being closed.
    """
    turn: Turn = state.values["turn"]
    drafts = cut_short(state.values["begun"])
    if not turn.running:
        return drafts + lost_jobs(open_jobs(state.values["jobs"]))
    if turn.in_step and not turn.answered and isinstance(partial, Mapping) and _belongs(partial, turn):
        drafts += interrupted_answer(partial.get("stream") or (), turn.number, turn.step, provider, model)
    others = [job for job in open_jobs(state.values["jobs"]) if outlives_turn(job)]
    return drafts + lost_jobs(others) + close(state, INTERRUPTED)


def kept_partial(body: bytes | None) -> object:
    """What was kept of an answer in progress; None where there is nothing that can be read."""
    try:
        return msgspec.json.decode(body or b"null")
    except msgspec.DecodeError:
        return None


def _belongs(partial: Mapping[str, Any], turn: Turn) -> bool:
    return partial.get("turn") == turn.number and partial.get("step") == turn.step


def interrupted_answer(
    stream: Sequence[Mapping[str, Any]], turn: int, step: int, provider: str, model: str
) -> list[Draft]:
    """The message that keeps what was received of an answer; a tool call in it is dropped, for it must never run.

    None where nothing was received, or what was kept cannot be read.
    """
    blocks = [block for block in blocks_of(stream) or () if block["type"] != "tool-call"]
    if not blocks:
        return []
    data = {
        "turn": turn,
        "step": step,
        "message": assistant_message(blocks, provider, model),
        "stream": list(stream),
        "interrupted": True,
    }
    return [Draft(ev.ASSISTANT_MESSAGE, data, "append")]
