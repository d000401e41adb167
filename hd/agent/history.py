"""History: what the model is sent, as a fold of the log (laws 1, 2 and 6).

`HISTORY` collects the messages as they were logged; `messages` gives them fit to be sent (`hd.agent.fit`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from hd.agent.fit import fit
from hd.prompt.context import SOURCE_KIND
from hd.protocol import events as ev
from hd.protocol.chunked import ChunkedList
from hd.protocol.events import Event, Replace
from hd.protocol.messages import Message, reasoning_block, tool_message, tool_result_of
from hd.protocol.projections.base import Projection

COMPACTED = "compact-checkpoint"
"""The kind of the message that stands for a summed-up part of the history."""


REASONING_ROW = "reasoning-chunks"
"""The rows of a packed stream that hold what was thought (`hd.protocol.stream`)."""


class Entry(Struct, frozen=True):
    seq: int
    message: Mapping[str, Any]


class History(Struct, frozen=True):
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
    """With a message at the end, or in the place of those that it stands for; where there are none, at the end too.

    What it stands for is found by its seqs, wherever that stands: a summary has a higher seq than what follows it. The
    system message stays in any case.
    """
    entry = Entry(event.seq, message)
    if event.surface == "append":
        return replace(state, entries=state.entries.append(entry))
    if not isinstance(event.surface, Replace):
        return state
    covered = range(event.surface.start, event.surface.end + 1)
    kept: list[Entry] = []
    place = None
    for known in state.entries:
        if known.seq in covered and known.message.get("role") != "system":
            place = len(kept) if place is None else place
        else:
            kept.append(known)
    kept.insert(len(kept) if place is None else place, entry)
    return replace(state, entries=ChunkedList.of(kept))


def _with_role(message: Mapping[str, Any], role: str) -> Mapping[str, Any]:
    """Who speaks is a matter of the event; the message itself may have lost it."""
    return message if message.get("role") == role else {**message, "role": role}


def _system(state: History, event: Event) -> History:
    return _placed(state, event, _with_role(event.data.get("message") or {}, "system"))


def _assistant(state: History, event: Event) -> History:
    message = _with_role(event.data.get("message") or {}, "assistant")
    return _placed(state, event, _with_reasoning(message, event.data.get("stream") or ()))


def _with_reasoning(message: Mapping[str, Any], stream: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The message with what was thought before it: a provider wants it back, and where it is lost the stream has it."""
    content = message.get("content") or ()
    if any(block.get("type") == "reasoning" for block in content):
        return message
    thought = "".join("".join(row.get("texts") or ()) for row in stream if row.get("type") == REASONING_ROW)
    return {**message, "content": [reasoning_block(thought), *content]} if thought else message


def _result(state: History, event: Event) -> History:
    return _placed(state, event, _with_role(event.data.get("message") or {}, "tool"))


def _user(state: History, event: Event) -> History:
    source = event.data.get("source") or {}
    if source.get("kind") == SOURCE_KIND:
        told = {str(s.get("name")): str(s.get("text")) for s in source.get("sections") or ()}
        state = replace(state, sections={**state.sections, **told})
    if source.get("kind") == COMPACTED:
        # What was told of the surroundings may be gone with the rest, so all of it is told again.
        state = replace(state, sections={})
    message = _with_role(event.data, "user")
    if source.get("kind") == "user" and event.surface == "append":
        state = replace(state, prompts=state.prompts.append(Entry(event.seq, message)))
    return _placed(state, event, message)


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
    result = tool_result_of(message) if message.get("role") == "tool" else None
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
        ev.SYSTEM_MESSAGE: _system,
        ev.USER_MESSAGE: _user,
        ev.ASSISTANT_MESSAGE: _assistant,
        ev.TOOL_RESULT: _result,
        ev.COMPACTION_PRUNE: _pruned,
        ev.REQUEST_HEADER: _header,
        ev.REQUEST_CONTEXT: _context,
    },
)


def messages(history: History) -> list[Message]:
    """The messages for the model; pure, and stable under appending to the log."""
    return fit(entry.message for entry in history.entries).messages
