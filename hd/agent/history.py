"""History: what the model is sent, as a fold of the log (laws 1, 2 and 6).

`HISTORY` collects the messages as they were logged; `messages` makes them fit for a provider: every tool call answered
once and directly behind its message, names that a tool can have, arguments that are JSON objects, unique ids. It never
looks ahead, so what it gives for a log stays a prefix of what it gives for any longer one.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import msgspec

from hd.prompt.context import SOURCE_KIND
from hd.protocol import events as ev
from hd.protocol.chunked import ChunkedList
from hd.protocol.events import Event, Replace
from hd.protocol.messages import Message, tool_message, tool_result_of
from hd.protocol.projections.base import Projection

COMPACTED = "compact-checkpoint"
"""The kind of the message that stands for a summed-up part of the history."""

MISSING_RESULT = "Error: this call has no recorded result."

MAX_NAME: Final = 64
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Entry:
    seq: int
    message: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class History:
    """`entries` in order of the log; `header` is the latest `request/header`, `context` the latest `request/context`.

    `sections` are those of the latest runtime context, so that only what changed is told again. `prompts` is all that
    a person ever said here, whatever became of it in the entries.
    """

    entries: ChunkedList[Entry] = field(default_factory=ChunkedList)
    header: Mapping[str, Any] | None = None
    context: Mapping[str, Any] | None = None
    sections: Mapping[str, str] = field(default_factory=dict)
    prompts: ChunkedList[Entry] = field(default_factory=ChunkedList)


def _placed(state: History, event: Event, message: Mapping[str, Any]) -> History:
    entry = Entry(event.seq, message)
    if event.surface == "append":
        return replace(state, entries=state.entries.append(entry))
    if isinstance(event.surface, Replace):
        before = [e for e in state.entries if e.seq < event.surface.start]
        after = [e for e in state.entries if e.seq > event.surface.end]
        return replace(state, entries=ChunkedList.of([*before, entry, *after]))
    return state


def _nested(state: History, event: Event) -> History:
    return _placed(state, event, event.data.get("message") or {})


def _user(state: History, event: Event) -> History:
    source = event.data.get("source") or {}
    if source.get("kind") == SOURCE_KIND:
        told = {str(s.get("name")): str(s.get("text")) for s in source.get("sections") or ()}
        state = replace(state, sections={**state.sections, **told})
    if source.get("kind") == COMPACTED:
        # What was told of the surroundings may be gone with the rest, so all of it is told again.
        state = replace(state, sections={})
    if source.get("kind") == "user" and event.surface == "append":
        state = replace(state, prompts=state.prompts.append(Entry(event.seq, event.data)))
    return _placed(state, event, event.data)


def _pruned(state: History, event: Event) -> History:
    """Results that were made shorter, each at its place."""
    texts = {result.get("seq"): str(result.get("text")) for result in event.data.get("results") or ()}
    if not any(entry.seq in texts for entry in state.entries):
        return state
    entries = (
        Entry(entry.seq, _with_text(entry.message, texts[entry.seq])) if entry.seq in texts else entry
        for entry in state.entries
    )
    return replace(state, entries=ChunkedList.of(entries))


def _with_text(message: Mapping[str, Any], text: str) -> Mapping[str, Any]:
    result = tool_result_of(message)
    if result is None:
        return message
    call_id, _, is_error = result
    return {**tool_message(call_id, text, is_error=is_error), "id": message.get("id")}


def _header(state: History, event: Event) -> History:
    return replace(state, header=event.data.get("header"))


def _context(state: History, event: Event) -> History:
    return replace(state, context=event.data)


HISTORY = Projection(
    "history",
    History(),
    {
        ev.SYSTEM_MESSAGE: _nested,
        ev.USER_MESSAGE: _user,
        ev.ASSISTANT_MESSAGE: _nested,
        ev.TOOL_RESULT: _nested,
        ev.COMPACTION_PRUNE: _pruned,
        ev.REQUEST_HEADER: _header,
        ev.REQUEST_CONTEXT: _context,
    },
)


def messages(history: History) -> list[Message]:
    """The messages for the model; pure, and stable under appending to the log."""
    return list(_fit(entry.message for entry in history.entries))


def _fit(logged: Iterable[Mapping[str, Any]]) -> Iterable[Message]:
    """A message that fits already is passed through as it is, so that the same log gives the same objects."""
    used_ids: set[str] = set()
    waiting: dict[str, str] = {}  # the sent id of each call without a result → its id in the log
    held: list[Message] = []
    for message in logged:
        role = message.get("role")
        result = tool_result_of(message) if role == "tool" or (role == "user" and _is_nested_result(message)) else None
        if result is not None:
            sent_id = next((sent for sent, logged_id in waiting.items() if logged_id == result[0]), None)
            if sent_id is not None:
                del waiting[sent_id]
                yield _result(message, result, sent_id)
            if not waiting:
                yield from held
                held = []
            continue
        if waiting and role != "assistant":
            held.append(dict(message))
            continue
        yield from _answer_missing(waiting)
        yield from held
        held = []
        if role == "assistant":
            fitted = _assistant(message, used_ids, waiting)
            if fitted is not None:
                yield fitted
        else:
            yield message if isinstance(message, dict) else dict(message)
    yield from _answer_missing(waiting)
    yield from held


def _result(message: Mapping[str, Any], result: tuple[str, str, bool], sent_id: str) -> Message:
    if isinstance(message, dict) and message.get("role") == "tool" and message.get("toolCallId") == sent_id:
        return message
    _, text, is_error = result
    return {**tool_message(sent_id, text, is_error=is_error), "id": message.get("id")}


def _is_nested_result(message: Mapping[str, Any]) -> bool:
    return any(block.get("type") == "tool-result" for block in message.get("content") or ())


def _answer_missing(waiting: dict[str, str]) -> Iterable[Message]:
    for sent_id in waiting:
        yield {**tool_message(sent_id, MISSING_RESULT, is_error=True), "id": sent_id}
    waiting.clear()


def _assistant(message: Mapping[str, Any], used_ids: set[str], waiting: dict[str, str]) -> Message | None:
    """The message with ids and arguments made fit; None when nothing of it can be sent back."""
    blocks = message.get("content") or ()
    if not any(block.get("type") != "reasoning" for block in blocks):
        return None
    content = [_call(block, used_ids, waiting) if block.get("type") == "tool-call" else block for block in blocks]
    if isinstance(message, dict) and all(new is old for new, old in zip(content, blocks, strict=True)):
        return message
    return {**message, "content": content}


def _call(block: Mapping[str, Any], used_ids: set[str], waiting: dict[str, str]) -> Mapping[str, Any]:
    logged_id, arguments = str(block.get("id") or "call"), str(block.get("arguments", ""))
    sent_id = _unique(logged_id, used_ids)
    waiting[sent_id] = logged_id
    fitted, name = json_object(arguments), tool_name(str(block.get("name") or ""))
    if sent_id == block.get("id") and fitted == arguments and name == block.get("name"):
        return block
    return {**block, "id": sent_id, "name": name, "arguments": fitted}


def _unique(call_id: str, used: set[str]) -> str:
    chosen, number = call_id, 1
    while chosen in used:
        number += 1
        chosen = f"{call_id}_{number}"
    used.add(chosen)
    return chosen


def tool_name(name: str) -> str:
    """`name` untouched if it can be that of a tool, else made into one: a provider refuses anything else for good."""
    return name if _NAME.fullmatch(name) else _NO_NAME.sub("_", name)[:MAX_NAME] or "unnamed"


def json_object(arguments: str) -> str:
    """`arguments` untouched if they are a JSON object, else an empty one: a provider refuses anything else for good."""
    try:
        decoded = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError, UnicodeEncodeError):
        return "{}"
    return arguments if isinstance(decoded, dict) else "{}"
