"""How full the context is, and what was done about it (`contextPressure`).

What a provider counted is believed: its figure for the latest request and answer stands for all up to there. What was
added or taken away since is estimated (`hd.protocol.tokens`), by the same measure as the provider's, as far as the two
differ.
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection
from hd.protocol.tokens import tokens_in, tokens_of

CONTEXT_FULL: Final = "CONTEXT_FULL"
"""The code of the error that ends a turn because compactions do not help."""

FRUITLESS: Final = frozenset({"SUMMARY_UNUSABLE", "CONTEXT_OVERFLOW", "EMPTY_RESPONSE"})
"""How a compaction fails that was paid for or would fail again; a provider that is out of reach is neither."""

_ANSWER_ROOM: Final = 6_144
_FURTHEST: Final = 2
"""An estimate is corrected by the provider's measure by this factor at most."""


def limit_of(window: int) -> int:
    """Tokens at which a history is summed up: four fifths of the window, less where that leaves an answer no room."""
    return max(window // 2, min(window * 4 // 5, window - _ANSWER_ROOM))


def target_of(window: int) -> int:
    """Tokens below which a compaction brought something: right below the limit the next result would call for one."""
    return limit_of(window) * 3 // 4


class ContextPressure(Struct, frozen=True):
    """All in tokens. `window` is that of the latest request's model, `sent` what that request held.

    `system`, `tools` and `messages` are estimates of what the next request will hold. `counted` is what the provider
    counted for the latest request and its answer, `estimated` the estimate of the same. `tried` is how often the
    history was summed up by itself since it was last seen below the target, `told` that a person knows that this does
    not help.
    """

    window: int | None = None
    sent: int | None = None
    system: int = 0
    tools: int = 0
    messages: int = 0
    counted: int = 0
    estimated: int = 0
    answered: bool = False
    tried: int = 0
    told: bool = False

    @property
    def fixed(self) -> int:
        """The estimate of what no compaction takes away."""
        return self.system + self.tools

    @property
    def projected(self) -> int:
        """What the next request will hold."""
        now = self.fixed + self.messages
        if not self.counted:
            return now
        return max(0, self.counted + _by_measure(now - self.estimated, self.counted, self.estimated))

    def measured(self, estimate: int) -> int:
        """An estimate by the provider's measure."""
        return _by_measure(estimate, self.counted, self.estimated) if self.counted else estimate


def _by_measure(amount: int, counted: int, estimated: int) -> int:
    least, most = estimated // _FURTHEST, estimated * _FURTHEST
    return amount * max(least, min(counted, most)) // max(1, estimated)


def _context(state: ContextPressure, event: Event) -> ContextPressure:
    window = event.data.get("contextWindow")
    return state if window == state.window else replace(state, window=window, tried=0, told=False)


def _header(state: ContextPressure, event: Event) -> ContextPressure:
    tools = tokens_in((event.data.get("header") or {}).get("tools") or [])
    return state if tools == state.tools else replace(state, tools=tools)


def _system(state: ContextPressure, event: Event) -> ContextPressure:
    return replace(state, system=tokens_of(event.data.get("message") or {}))


def _added(state: ContextPressure, event: Event) -> ContextPressure:
    if event.surface is None:
        return state
    return replace(state, messages=state.messages + tokens_of(event.data.get("message") or event.data))


def _answered(state: ContextPressure, event: Event) -> ContextPressure:
    state = replace(_added(state, event), answered=True)
    usage = event.data.get("usage")
    if usage:
        sent = usage.get("inputTokens", 0) + usage.get("cacheReadTokens", 0) + usage.get("cacheWriteTokens", 0)
        counted, estimated = sent + usage.get("outputTokens", 0), state.fixed + state.messages
        state = replace(state, sent=sent, counted=counted, estimated=estimated)
    below = state.window is None or state.projected < target_of(state.window)
    return replace(state, tried=0, told=False) if below and (state.tried or state.told) else state


def _shadowed(state: ContextPressure, event: Event) -> ContextPressure:
    """What a summary stands for is gone from the next request; the summary itself comes as a message."""
    gone = int(event.data.get("shadowedTokenCount") or 0)
    return replace(state, messages=max(0, state.messages - gone)) if gone else state


def _compacted(state: ContextPressure, event: Event) -> ContextPressure:
    error = event.data.get("error")
    if event.data.get("sourceCommandId") is not None:
        return state if error else replace(state, tried=0, told=False)
    if error and (error.get("code") not in FRUITLESS or event.data.get("again")):
        return state
    return replace(state, tried=state.tried + 1)


def _ended(state: ContextPressure, event: Event) -> ContextPressure:
    error = (event.data.get("reason") or {}).get("error") or {}
    return replace(state, told=True) if error.get("code") == CONTEXT_FULL and not state.told else state


def _view(state: ContextPressure) -> Mapping[str, Any]:
    """Without figures before the first answer, as the dialect has it."""
    projected = state.projected if state.answered else None
    named = {"pressureTokens": state.sent, "projectedTokens": projected, "contextWindow": state.window}
    return {name: value for name, value in named.items() if value is not None}


CONTEXT_PRESSURE: Final = Projection(
    "contextPressure",
    ContextPressure(),
    {
        ev.REQUEST_CONTEXT: _context,
        ev.REQUEST_HEADER: _header,
        ev.SYSTEM_MESSAGE: _system,
        ev.USER_MESSAGE: _added,
        ev.ASSISTANT_MESSAGE: _answered,
        ev.TOOL_RESULT: _added,
        ev.COMPACTION_SUMMARY: _shadowed,
        ev.COMPACTION_PRUNE: _shadowed,
        ev.COMPACTION_END: _compacted,
        ev.TURN_END: _ended,
    },
    _view,
)
