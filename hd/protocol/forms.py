"""The forms of the events' data, as far as anybody reads it, and how an event is read by them.

A log outlives the programs that wrote it, and one field of a wrong type must not close it for good. So every fold takes
it for granted that what these forms name has the type they say, because `read` leaves out what has not. The log itself
is never changed, and what is in no form is not looked at.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Required

from msgspec import Meta
from typing_extensions import TypedDict

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.messages import text_block
from hd.protocol.sound import UNSOUND, sound

Object = dict[str, Any]
Number = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
"""Whole numbers that every client can hold exactly; sums of them over a log stay such numbers in practice."""


class Block(TypedDict, total=False):
    type: Required[str]
    text: str
    id: str
    name: str
    arguments: str
    attachment: Object
    toolCallId: str
    content: "list[Block]"
    isError: bool


class Section(TypedDict, total=False):
    name: Required[str]
    text: Required[str]


class Source(TypedDict, total=False):
    kind: str
    plugin: str
    rpcId: str
    callId: str
    goalId: str
    round: Count
    sections: list[Section]
    chunks: list[str]


class Message(TypedDict, total=False):
    id: str
    role: str
    source: Source
    content: list[Block]
    toolCallId: str
    isError: bool


class Failure(TypedDict, total=False):
    name: str
    message: str
    code: str


class Reason(TypedDict, total=False):
    kind: str
    error: Failure


class Usage(TypedDict, total=False):
    inputTokens: Count
    outputTokens: Count
    cacheReadTokens: Count
    cacheWriteTokens: Count
    reasoningTokens: Count
    totalTokens: Count
    exact: bool


class StreamRow(TypedDict, total=False):
    type: str
    time0: Count
    texts: list[str]


class Spoken(TypedDict, total=False):
    """An event that carries a message, or the record of a request."""

    turn: Count
    step: Count
    message: Message
    usage: Usage
    stream: list[StreamRow]
    error: Failure
    meta: Object


class Spliced(TypedDict, total=False):
    target: str
    start: Count
    removedCount: Count
    inserted: list[Message]


class Place(TypedDict, total=False):
    turn: Count
    step: Count
    reason: Reason


class Retry(TypedDict, total=False):
    turn: Count
    step: Count
    retry: Count
    maxRetries: Count
    delayMs: Annotated[float, Meta(ge=0, le=2**53 - 1)]
    failure: Failure
    reason: str | None
    sinceMs: Count
    untilMs: Count


class Selection(TypedDict, total=False):
    provider: Required[Annotated[str, Meta(min_length=1)]]
    model: Required[Annotated[str, Meta(min_length=1)]]
    reasoningEffort: str
    maxTokens: Annotated[int, Meta(ge=1, le=2**53 - 1)]


class Tool(TypedDict):
    name: Annotated[str, Meta(pattern=r"\A[a-zA-Z0-9_-]{1,64}\Z")]
    description: str
    parameters: Object


class Header(TypedDict, total=False):
    config: Selection
    tools: list[Tool]


class Requested(TypedDict, total=False):
    header: Header


class Context(TypedDict, total=False):
    provider: str
    model: str
    contextWindow: Count


class Called(TypedDict, total=False):
    callId: str
    name: str
    arguments: str


class Asked(TypedDict, total=False):
    id: str
    callId: str
    toolName: str
    questions: list[Object]


class Rule(TypedDict, total=False):
    number: Count
    text: str


class Ruled(TypedDict, total=False):
    change: str
    rule: Rule


class Decided(TypedDict, total=False):
    id: str
    outcome: str
    by: str
    answers: list[Object]
    rule: Rule
    ruleRefused: str


class Preset(TypedDict, total=False):
    preset: str
    agentPreset: str


class Todo(TypedDict, total=False):
    id: str
    text: str
    content: str
    status: str


class Todos(TypedDict, total=False):
    todos: list[Todo]


class Titled(TypedDict, total=False):
    title: str
    source: Source


class Rated(TypedDict, total=False):
    messageId: str
    item: Object | None


class Goal(TypedDict, total=False):
    id: str
    revision: Count
    objective: str
    phase: str
    maxGoalRounds: Count
    blockedReason: Object | None


class GoalChanged(TypedDict, total=False):
    goal: Goal | None
    roundsStarted: Count
    createdAt: Count
    updatedAt: Count


class Command(TypedDict, total=False):
    commandId: str
    name: str
    args: str
    kind: str
    text: str


class Shortened(TypedDict):
    seq: Count
    text: str


class Compaction(TypedDict, total=False):
    compactionId: str
    sourceCommandId: str | None
    summary: list[Block]
    shadowedSeqs: list[Count]
    shadowedTokenCount: Count
    tokensBefore: Count
    tokensAfter: Count
    again: bool
    results: list[Shortened]
    usage: Usage
    error: Failure


class Job(TypedDict, total=False):
    jobId: str
    kind: str
    label: str
    status: str
    detail: str
    number: Count
    startedAt: Count
    finishedAt: Count
    pages: list[str]
    url: str


class Node(TypedDict, total=False):
    kind: str
    mode: Number
    blob: str
    size: Count


class Changed(TypedDict, total=False):
    path: Required[str]
    before: Node | None
    after: Node | None
    added: Count | None
    removed: Count | None


class Refused(TypedDict, total=False):
    path: str
    reason: str


class Undo(TypedDict, total=False):
    turn: Count
    changes: list[Changed]
    uncovered: str
    by: str
    operation: str
    files: list[str]
    refused: list[Refused]


FORMS: Final[Mapping[str, Any]] = {
    ev.AGENT_INBOX_SPLICED: Spliced,
    **dict.fromkeys((ev.TURN_START, ev.TURN_END, ev.STEP_START, ev.STEP_END), Place),
    ev.USER_MESSAGE: Message,
    **dict.fromkeys((ev.SYSTEM_MESSAGE, ev.ASSISTANT_MESSAGE, ev.ASSISTANT_ATTEMPT, ev.TOOL_RESULT), Spoken),
    **dict.fromkeys((ev.LLM_RETRY, ev.LLM_RETRY_STARTED, ev.LLM_WAITING), Retry),
    ev.SESSION_TITLE_LLM_USAGE: Spoken,
    ev.REQUEST_HEADER: Requested,
    ev.REQUEST_CONTEXT: Context,
    ev.TOOL_CALL: Called,
    **dict.fromkeys((ev.APPROVAL_ASKED, ev.QUESTION_ASKED), Asked),
    **dict.fromkeys((ev.APPROVAL_DECIDED, ev.QUESTION_DECIDED), Decided),
    ev.PERMISSION_RULE: Ruled,
    **dict.fromkeys((ev.PERMISSION_PRESET, ev.AGENT_PRESET_SELECTED), Preset),
    ev.TODO_WRITE: Todos,
    ev.MODEL_SELECTION: Selection,
    ev.SESSION_TITLE: Titled,
    ev.MESSAGE_FEEDBACK: Rated,
    ev.GOAL_CHANGE: GoalChanged,
    **dict.fromkeys((ev.COMMAND_RUN, ev.COMMAND_DONE), Command),
    **dict.fromkeys((ev.COMPACTION_START, ev.COMPACTION_SUMMARY, ev.COMPACTION_PRUNE, ev.COMPACTION_END), Compaction),
    **dict.fromkeys((ev.JOB_REGISTERED, ev.JOB_SETTLED, ev.PROCESS_PAGE, ev.PROCESS_LEFT, ev.PROCESS_KEPT), Job),
    **dict.fromkeys((ev.UNDO_CHANGED, ev.UNDO_DONE, ev.UNDO_ACCEPTED), Undo),
}
"""By the type of the event. What is not here is read by nobody, or with care by the one who reads it."""


def read(wire: Mapping[str, Any]) -> Event:
    """The event of the wire with data that has its form; `damaged` says that something of it was left out.

    ValueError when it has no usable `type` or `seq`: then nobody can say what it is or where it stands.
    """
    event = Event.from_wire(wire)
    form = FORMS.get(event.type)
    if form is None or (kept := sound(event.data, form)) is event.data:
        return event
    kept = sound(_with_blocks(event.data), form)
    return replace(event, data={} if kept is UNSOUND else kept, damaged=True)


def _with_blocks(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same with text where it should be in blocks put into one: it is what somebody said."""
    message = data.get("message")
    if isinstance(message, Mapping):
        return {**data, "message": _with_blocks(message)}
    content = data.get("content")
    return {**data, "content": [text_block(content)]} if isinstance(content, str) else data
