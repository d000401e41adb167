"""The transcript: what people read, as rows in order.

A row is identified by `key`, which never changes, so that a screen can keep its place and a tool row can be updated
where it stands. Text is as it came from outside; whoever shows it makes it safe first.
"""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.chunked import ChunkedList
from hd.protocol.events import Event, Replace
from hd.protocol.messages import shown_of, tool_result_of
from hd.protocol.projections.base import Projection

RowKind = Literal["user", "assistant", "reasoning", "tool", "command", "context", "compaction", "notice"]
ToolStatus = Literal["running", "done", "failed", "cancelled"]


class Row(Struct, frozen=True):
    """One row of the transcript.

    `seq` is the event it came from, `time` that event's time in ms. `name`, `call_id`, `arguments` (JSON text) and
    `status` belong to tool rows, whose `text` is the result once there is one; `request_id` to the prompts of a person.
    A command of the host has the same fields: its `call_id` is that of the command, its `arguments` are what was typed
    behind the name. The `text` of a compaction is the summary, empty where results were only made shorter; its `meta`
    has the `messages` that it stands for, and the tokens `before` and `after` where they are known. `level` is `info`,
    `warning` or `error` on notices. `interrupted` marks an answer that was cut.
    """

    key: str
    kind: RowKind
    seq: int
    turn: int
    time: int
    text: str = ""
    name: str = ""
    call_id: str = ""
    arguments: str = ""
    status: ToolStatus = "done"
    meta: Mapping[str, Any] | None = None
    request_id: str | None = None
    level: str = "info"
    interrupted: bool = False
    finished: int | None = None


class Transcript(Struct, frozen=True):
    """`open_calls` maps the call id of each tool row that has no result yet to its index in `rows`, `open_commands` the
    id of each command that is not done."""

    rows: ChunkedList[Row] = field(default_factory=ChunkedList)
    turn: int = 0
    running: bool = False
    open_calls: Mapping[str, int] = field(default_factory=dict)
    open_commands: Mapping[str, int] = field(default_factory=dict)


def _begun(state: Transcript, event: Event) -> Transcript:
    return replace(state, turn=int(event.data.get("turn", state.turn)), running=True)


def _user(state: Transcript, event: Event) -> Transcript:
    if isinstance(event.surface, Replace):
        return state
    source = event.data.get("source") or {}
    by_person = source.get("kind") == "user"
    row = Row(
        key=f"{event.seq}",
        kind="user" if by_person else "context",
        seq=event.seq,
        turn=state.turn,
        time=event.time,
        text=shown_of(event.data.get("content") or ()),
        name="" if by_person else str(source.get("plugin") or source.get("kind") or "context"),
        request_id=source.get("rpcId") if by_person else None,
    )
    return replace(state, rows=state.rows.append(row))


def _assistant(state: Transcript, event: Event) -> Transcript:
    message: Mapping[str, Any] = event.data.get("message") or {}
    interrupted = bool(event.data.get("interrupted"))
    rows, calls = state.rows, dict(state.open_calls)
    turn = int(event.data.get("turn", state.turn))
    for place, block in enumerate(message.get("content") or ()):
        kind = block.get("type")
        key = f"{event.seq}.{place}"
        common: dict[str, Any] = {"key": key, "seq": event.seq, "turn": turn, "time": event.time}
        if kind == "tool-call":
            call_id = str(block.get("id", ""))
            calls[call_id] = len(rows)
            row = Row(
                kind="tool",
                name=str(block.get("name", "")),
                call_id=call_id,
                arguments=str(block.get("arguments", "")),
                status="running",
                **common,
            )
        elif kind in ("text", "reasoning"):
            row = Row(
                kind="assistant" if kind == "text" else "reasoning",
                text=str(block.get("text", "")),
                interrupted=interrupted,
                **common,
            )
        else:
            row = Row(kind="notice", text=f"unknown block: {kind}", **common)
        rows = rows.append(row)
    return replace(state, rows=rows, turn=turn, open_calls=calls)


def _result(state: Transcript, event: Event) -> Transcript:
    result = tool_result_of(event.data.get("message") or {})
    if result is None:
        return state
    call_id, text, is_error = result
    code = (event.data.get("error") or {}).get("code")
    status: ToolStatus = "cancelled" if code in ("ABORTED", "ASK_ABORTED") else "failed" if is_error else "done"
    meta = event.data.get("meta")
    index = state.open_calls.get(call_id)
    if index is None:
        orphan = Row(
            key=f"{event.seq}",
            kind="tool",
            seq=event.seq,
            turn=state.turn,
            time=event.time,
            text=text,
            name="tool",
            call_id=call_id,
            status=status,
            meta=meta,
            finished=event.time,
        )
        return replace(state, rows=state.rows.append(orphan))
    row = replace(state.rows[index], text=text, status=status, meta=meta, finished=event.time)
    calls = {known: place for known, place in state.open_calls.items() if known != call_id}
    return replace(state, rows=state.rows.replace(index, row), open_calls=calls)


def _commanded(state: Transcript, event: Event) -> Transcript:
    command_id = str(event.data.get("commandId"))
    row = replace(
        _command_row(state, event, command_id),
        name=str(event.data.get("name") or ""),
        arguments=str(event.data.get("args") or "").strip(),
        status="running",
    )
    open_commands = {**state.open_commands, command_id: len(state.rows)}
    return replace(state, rows=state.rows.append(row), open_commands=open_commands)


def _command_done(state: Transcript, event: Event) -> Transcript:
    command_id = str(event.data.get("commandId"))
    index = state.open_commands.get(command_id)
    row = _command_row(state, event, command_id) if index is None else state.rows[index]
    status: ToolStatus = "failed" if event.data.get("kind") == "error" else "done"
    row = replace(row, text=str(event.data.get("text") or ""), status=status, finished=event.time)
    rows = state.rows.append(row) if index is None else state.rows.replace(index, row)
    open_commands = {known: place for known, place in state.open_commands.items() if known != command_id}
    return replace(state, rows=rows, open_commands=open_commands)


def _command_row(state: Transcript, event: Event, command_id: str) -> Row:
    return Row(key=f"{event.seq}", kind="command", seq=event.seq, turn=state.turn, time=event.time, call_id=command_id)


def _retried(state: Transcript, event: Event) -> Transcript:
    failure = event.data.get("failure") or {}
    delay = round(int(event.data.get("delayMs") or 0) / 1000, 1)
    count = f"{event.data.get('retry')} of {event.data.get('maxRetries')}"
    return _notice(
        state, event, f"{failure.get('message', 'The request failed.')} Retry {count} in {delay} s.", "warning"
    )


def _ruled(state: Transcript, event: Event) -> Transcript:
    if event.data.get("change") != "used":
        return state
    rule = event.data.get("rule") or {}
    return _notice(state, event, f"Ran unasked by rule {rule.get('number')}: {rule.get('text')}", "info")


def _decided(state: Transcript, event: Event) -> Transcript:
    rule, refused = event.data.get("rule"), event.data.get("ruleRefused")
    if rule:
        number = rule.get("number")
        text = f"From now on unasked, by rule {number}: {rule.get('text')}. /permission forget {number} takes it back."
        return _notice(state, event, text, "info")
    return _notice(state, event, str(refused), "warning") if refused else state


def _ended(state: Transcript, event: Event) -> Transcript:
    reason = event.data.get("reason") or {}
    state = replace(state, running=False)
    kind = reason.get("kind")
    if kind == "completed":
        return state
    text, level = {
        "aborted": ("Stopped.", "info"),
        "max-tokens": ("The answer was cut off at the model's output limit. Send “continue” to go on.", "warning"),
        "interrupted": ("The turn was interrupted: the daemon stopped while it ran. Nothing was run again.", "warning"),
        "error": (str((reason.get("error") or {}).get("message") or "The turn failed."), "error"),
    }.get(str(kind), (f"The turn ended: {kind}.", "info"))
    return _notice(state, event, text, level)


def _compacted(state: Transcript, event: Event) -> Transcript:
    """What was summed up stays where it is: it is gone for the model, and not for people."""
    data = event.data
    sizes = {"messages": len(data.get("shadowedSeqs") or ()), "before": data.get("tokensBefore")}
    row = Row(
        key=f"{event.seq}",
        kind="compaction",
        seq=event.seq,
        turn=state.turn,
        time=event.time,
        text=shown_of(data.get("summary") or ()),
        meta={**sizes, "after": data.get("tokensAfter")},
    )
    return replace(state, rows=state.rows.append(row))


def _not_compacted(state: Transcript, event: Event) -> Transcript:
    """A compaction that nobody asked for and that failed; a command says so by itself."""
    error = event.data.get("error") or {}
    if not error or event.data.get("again") or event.data.get("sourceCommandId") is not None:
        return state
    return _notice(state, event, str(error.get("message") or "The history could not be summed up."), "warning")


def _notice(state: Transcript, event: Event, text: str, level: str) -> Transcript:
    row = Row(
        key=f"{event.seq}", kind="notice", seq=event.seq, turn=state.turn, time=event.time, text=text, level=level
    )
    return replace(state, rows=state.rows.append(row))


TRANSCRIPT = Projection(
    "transcript",
    Transcript(),
    {
        ev.TURN_START: _begun,
        ev.USER_MESSAGE: _user,
        ev.ASSISTANT_MESSAGE: _assistant,
        ev.TOOL_RESULT: _result,
        ev.COMMAND_RUN: _commanded,
        ev.COMMAND_DONE: _command_done,
        ev.COMPACTION_SUMMARY: _compacted,
        ev.COMPACTION_PRUNE: _compacted,
        ev.COMPACTION_END: _not_compacted,
        ev.LLM_RETRY: _retried,
        ev.PERMISSION_RULE: _ruled,
        ev.APPROVAL_DECIDED: _decided,
        ev.TURN_END: _ended,
    },
)
