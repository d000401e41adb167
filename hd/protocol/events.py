"""The event: the one unit of a session's log (WIRE 7.3).

An event is what was recorded; a `Draft` is what somebody wants recorded, still without number and time. The names of
the tags are constants here so that a misspelt tag is an import error and not a lost fact.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from typing_extensions import TypedDict

AGENT_INBOX_SPLICED: Final = "agent/inbox/spliced"
TURN_START: Final = "turn/start"
TURN_END: Final = "turn/end"
STEP_START: Final = "step/start"
STEP_END: Final = "step/end"
SYSTEM_MESSAGE: Final = "system/message"
USER_MESSAGE: Final = "user/message"
ASSISTANT_MESSAGE: Final = "assistant/message"
ASSISTANT_ATTEMPT: Final = "assistant/attempt"
LLM_RETRY: Final = "llm/retry"
LLM_RETRY_STARTED: Final = "llm/retry-started"
REQUEST_HEADER: Final = "request/header"
REQUEST_CONTEXT: Final = "request/context"
TOOL_CALL: Final = "tool/call"
TOOL_RESULT: Final = "tool/result"
APPROVAL_ASKED: Final = "approval/asked"
APPROVAL_DECIDED: Final = "approval/decided"
APPROVAL_POLICY: Final = "approval/policy"
SANDBOX_MODE: Final = "sandbox/mode"
PERMISSION_PRESET: Final = "permission/preset"
TODO_WRITE: Final = "todo/write"
MODEL_SELECTION: Final = "model/selection"
SESSION_TITLE: Final = "session/title"
SESSION_TITLE_LLM_REQUEST: Final = "session/title-llm-request"
SESSION_END_SEED: Final = "session/end-seed"
DELIVERABLES_PRESENTED: Final = "deliverables/presented"
PLAN_MODE: Final = "plan/mode"
GOAL_CHANGE: Final = "goal/change"
COMMAND_RUN: Final = "command/run"
COMMAND_DONE: Final = "command/done"
COMPACTION_START: Final = "compaction/start"
COMPACTION_SUMMARY: Final = "compaction/summary"
COMPACTION_PRUNE: Final = "compaction/prune"
COMPACTION_END: Final = "compaction/end"
FEEDBACK_RECORD: Final = "feedback/record"
JOB_REGISTERED: Final = "job/registered"
JOB_SETTLED: Final = "job/settled"
AGENT_PRESET_SELECTED: Final = "agent-preset/selected"
# Ours, not of the official harness; recorded as ignorable.
QUESTION_ASKED: Final = "question/asked"
QUESTION_DECIDED: Final = "question/decided"
MESSAGE_FEEDBACK: Final = "message-feedback/change"
SUMMARY_WRITE: Final = "summary/write"
PROBLEMS_READ: Final = "problems/read"
TASK_COMPLETE: Final = "task/complete"
PROCESS_PAGE: Final = "process/page"
PROCESS_LEFT: Final = "process/left"
PROCESS_KEPT: Final = "process/kept"
UNDO_CHANGED: Final = "undo/changed"
UNDO_DONE: Final = "undo/done"
UNDO_ACCEPTED: Final = "undo/accepted"
BUDGET_SET: Final = "budget/set"
PERMISSION_RULE: Final = "permission/rule"
SANDBOX_HOLD: Final = "sandbox/hold"
LLM_WAITING: Final = "llm/waiting"
SESSION_TITLE_LLM_USAGE: Final = "session/title-llm-usage"
LATER_HELD: Final = "later/held"
LATER_TAKEN: Final = "later/taken"

OWN_EVENTS: Final = frozenset(
    {
        *(QUESTION_ASKED, QUESTION_DECIDED, MESSAGE_FEEDBACK, SUMMARY_WRITE, PROBLEMS_READ, TASK_COMPLETE),
        *(UNDO_CHANGED, UNDO_DONE, UNDO_ACCEPTED, PROCESS_PAGE, PROCESS_LEFT, PROCESS_KEPT),
        *(BUDGET_SET, PERMISSION_RULE, SANDBOX_HOLD, LLM_WAITING, SESSION_TITLE_LLM_USAGE),
        *(LATER_HELD, LATER_TAKEN),
    }
)


@dataclass(frozen=True, slots=True)
class Replace:
    """A message that stands for all messages logged from `start` to `end` (both inclusive, both seqs)."""

    start: int
    end: int


Surface = Literal["append"] | Replace
"""How an event changes the list of messages the model sees; None on events that are no part of the conversation."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before the live session numbered it."""

    type: str
    data: Mapping[str, Any]
    surface: Surface | None = None
    sources: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """A recorded fact. `seq` starts at 0 and is dense within a session; `time` is in ms since the epoch (UTC).

    `damaged` says that a part of its data could not be read and is left out here (`hd.protocol.forms`).
    """

    type: str
    seq: int
    time: int
    data: Mapping[str, Any]
    surface: Surface | None = None
    sources: tuple[int, ...] = ()
    ignorable: bool = False
    damaged: bool = False

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"type": self.type, "seq": self.seq, "time": self.time, "data": self.data}
        if isinstance(self.surface, Replace):
            wire["surfaceOp"] = {"op": "replace", "startSeq": self.surface.start, "endSeq": self.surface.end}
        elif self.surface is not None:
            wire["surfaceOp"] = self.surface
        if self.sources:
            wire["sourceEventSeqs"] = list(self.sources)
        if self.ignorable:
            wire["ignorable"] = True
        return wire

    @staticmethod
    def from_wire(wire: Mapping[str, Any]) -> "Event":
        """Reads an event of 0.1.5 to 0.2 hosts; ValueError when it has no usable `type` or `seq`.

        Anything else that cannot be read takes its empty value: the event is kept, and with a `surfaceOp` that is not
        known it is no part of the conversation.
        """
        kind, seq = wire.get("type"), wire.get("seq")
        if not isinstance(kind, str) or not isinstance(seq, int) or isinstance(seq, bool):
            raise ValueError("an event needs a text `type` and a whole number `seq`")
        data, time, sources = wire.get("data"), wire.get("time"), wire.get("sourceEventSeqs")
        return Event(
            type=kind,
            seq=seq,
            time=int(time) if isinstance(time, int | float) else 0,
            data=data if isinstance(data, Mapping) else {},
            surface=_surface(wire.get("surfaceOp")),
            sources=tuple(sources) if isinstance(sources, list | tuple) else (),
            ignorable=bool(wire.get("ignorable")),
        )


def _surface(op: object) -> Surface | None:
    if op == "append":
        return "append"
    if isinstance(op, Mapping):
        if op.get("op") == "append":
            return "append"
        start = op.get("startSeq", op.get("start"))
        end = op.get("endSeq", op.get("end"))
        if op.get("op") == "replace" and isinstance(start, int) and isinstance(end, int):
            return Replace(start, end)
    return None


class InboxSpliced(TypedDict, total=False):
    """`agent/inbox/spliced`: an array splice on one inbox; `outcome` only when a person took the items out."""

    target: Literal["next-turn", "next-step"]
    start: int
    removedCount: int
    inserted: list[dict[str, Any]]
    outcome: Literal["canceled"]


class Waiting(TypedDict, total=False):
    """`llm/waiting`: why the request of a step is not answered yet; `reason` is None when it waits no more.

    `limit`: the provider asked to wait, until `untilMs`. `place`: too many requests of its key are on their way.
    `queue`: it waits its turn at the provider. `peak`: it is not sent before it costs less, at `untilMs`, and `step` is
    the one before it. Both moments are in ms since the epoch.
    """

    turn: int
    step: int
    reason: Literal["limit", "place", "queue", "peak"] | None
    sinceMs: int
    untilMs: int


class Held(TypedDict, total=False):
    """`later/held`: a message that is sent when its model costs less, at `at` (ms); or another time for a known `id`.

    With `pause` its turn sends nothing at peak hours either.
    """

    id: str
    text: str
    at: int
    pause: bool


class Taken(TypedDict, total=False):
    """`later/taken`: a message is held no more."""

    id: str
    how: Literal["sent", "removed"]


class TurnReason(TypedDict, total=False):
    """Why a turn ended. `reason` goes with `aborted`, `error` with `error`."""

    kind: Literal["completed", "aborted", "max-tokens", "error", "interrupted"]
    reason: dict[str, str]
    error: dict[str, Any]


class Usage(TypedDict, total=False):
    """Tokens of one model request. `inputTokens` excludes those read from the cache; `totalTokens` is the sum.

    `exact` is there and false where the provider contradicted itself.
    """

    inputTokens: int
    outputTokens: int
    cacheReadTokens: int
    cacheWriteTokens: int
    reasoningTokens: int
    totalTokens: int
    exact: bool


class Selection(TypedDict, total=False):
    """Which model: provider and model are always there, the effort where the model thinks."""

    provider: str
    model: str
    reasoningEffort: str
