"""What fills the context: estimates in tokens of the system prompt, the tools and the messages (`contextBreakdown`)."""

from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from hd.protocol import events as ev
from hd.protocol.chunked import ChunkedList
from hd.protocol.events import Event, Replace
from hd.protocol.projections.base import Projection

BYTES_PER_TOKEN = 4


def tokens_in(value: Any) -> int:
    """An estimate of how many tokens a text, or the JSON of anything else, has."""
    body = value.encode(errors="replace") if isinstance(value, str) else msgspec.json.encode(value)
    return -(-len(body) // BYTES_PER_TOKEN)


def tokens_of_content(content: Any) -> int:
    """The same for the blocks of a message: what a model reads of each."""
    return sum(
        tokens_in(str(block.get("text") or "")) + tokens_in(f"{block.get('name', '')}{block.get('arguments', '')}")
        for block in content or ()
    )


@dataclass(frozen=True, slots=True)
class Breakdown:
    """`sizes` are (seq, tokens) of the messages that the model sees, of which `messages` is the sum."""

    system: int = 0
    tools: int = 0
    messages: int = 0
    sizes: ChunkedList[tuple[int, int]] = field(default_factory=ChunkedList)


def _system(state: Breakdown, event: Event) -> Breakdown:
    return replace(state, system=tokens_of_content((event.data.get("message") or {}).get("content")))


def _header(state: Breakdown, event: Event) -> Breakdown:
    tools = tokens_in((event.data.get("header") or {}).get("tools") or [])
    return state if tools == state.tools else replace(state, tools=tools)


def _message(state: Breakdown, event: Event) -> Breakdown:
    size = tokens_of_content((event.data.get("message") or event.data).get("content"))
    if event.surface == "append":
        return replace(state, messages=state.messages + size, sizes=state.sizes.append((event.seq, size)))
    if isinstance(event.surface, Replace):
        start, end = event.surface.start, event.surface.end
        kept = [(seq, old) for seq, old in state.sizes if not start <= seq <= end]
        sizes = ChunkedList.of([*kept, (event.seq, size)])
        return replace(state, messages=sum(size for _, size in sizes), sizes=sizes)
    return state


CONTEXT_BREAKDOWN = Projection(
    "contextBreakdown",
    Breakdown(),
    {
        ev.SYSTEM_MESSAGE: _system,
        ev.REQUEST_HEADER: _header,
        ev.USER_MESSAGE: _message,
        ev.ASSISTANT_MESSAGE: _message,
        ev.TOOL_RESULT: _message,
    },
    lambda state: {
        "systemTokens": state.system,
        "toolsTokens": state.tools,
        "messageTokens": state.messages,
    },
)
