"""What fills the context: estimates in tokens of the system prompt, the tools and the messages (`contextBreakdown`)."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.chunked import ChunkedList
from hd.protocol.events import Event, Replace
from hd.protocol.projections.base import Projection
from hd.protocol.tokens import tokens_in, tokens_of

Kind = Literal["instructions", "user", "assistant", "tool", "context", "summary"]
"""Who put a message there: the instruction files, a person, the model, a tool, the daemon, a compaction."""

Size = tuple[int, int, Kind]

_KINDS: Final[Mapping[str, Kind]] = {
    "user": "user",
    "instructions": "instructions",
    "compact-checkpoint": "summary",
    "tool": "tool",
}


class Breakdown(Struct, frozen=True):
    """`sizes` are (seq, tokens, kind) of the messages that the model sees, `kinds` their sums by kind."""

    system: int = 0
    tools: int = 0
    kinds: Mapping[Kind, int] = field(default_factory=dict)
    sizes: ChunkedList[Size] = field(default_factory=ChunkedList)


def kind_of(message: Mapping[str, Any]) -> Kind:
    if message.get("role") in ("assistant", "tool"):
        return "assistant" if message["role"] == "assistant" else "tool"
    source = message.get("source") or {}
    return _KINDS.get("compact-checkpoint" if source.get("plugin") == "compact" else str(source.get("kind")), "context")


def _system(state: Breakdown, event: Event) -> Breakdown:
    return replace(state, system=tokens_of(event.data.get("message") or {}))


def _header(state: Breakdown, event: Event) -> Breakdown:
    tools = tokens_in((event.data.get("header") or {}).get("tools") or [])
    return state if tools == state.tools else replace(state, tools=tools)


def _message(state: Breakdown, event: Event) -> Breakdown:
    message = event.data.get("message") or event.data
    size: Size = (event.seq, tokens_of(message), kind_of(message))
    _, tokens, kind = size
    if event.surface == "append":
        kinds = {**state.kinds, kind: state.kinds.get(kind, 0) + tokens}
        return replace(state, kinds=kinds, sizes=state.sizes.append(size))
    if isinstance(event.surface, Replace):
        start, end = event.surface.start, event.surface.end
        return _of(state, [*(old for old in state.sizes if not start <= old[0] <= end), size])
    return state


def _pruned(state: Breakdown, event: Event) -> Breakdown:
    now = {result.get("seq"): tokens_in(str(result.get("text"))) for result in event.data.get("results") or ()}
    if not now:
        return state
    return _of(state, [(seq, now.get(seq, tokens), kind) for seq, tokens, kind in state.sizes])


def _of(state: Breakdown, sizes: list[Size]) -> Breakdown:
    kinds: Counter[Kind] = Counter()
    for _, tokens, kind in sizes:
        kinds[kind] += tokens
    return replace(state, kinds=dict(kinds), sizes=ChunkedList.of(sizes))


def _view(state: Breakdown) -> Mapping[str, Any]:
    """`messageTokensByKind` is ours; there is none of it before the first message."""
    view = {
        "systemTokens": state.system,
        "toolsTokens": state.tools,
        "messageTokens": sum(state.kinds.values()),
    }
    return {**view, "messageTokensByKind": dict(state.kinds)} if state.kinds else view


CONTEXT_BREAKDOWN = Projection(
    "contextBreakdown",
    Breakdown(),
    {
        ev.SYSTEM_MESSAGE: _system,
        ev.REQUEST_HEADER: _header,
        ev.USER_MESSAGE: _message,
        ev.ASSISTANT_MESSAGE: _message,
        ev.TOOL_RESULT: _message,
        ev.COMPACTION_PRUNE: _pruned,
    },
    _view,
)
