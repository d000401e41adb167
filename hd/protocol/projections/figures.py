"""Projections that count: token usage and session statistics."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection


class TokenUsage(Struct, frozen=True):
    """Sums over the settled model messages of a session, in tokens."""

    uncached: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


def _used(state: TokenUsage, event: Event) -> TokenUsage:
    usage = event.data.get("usage")
    if not usage:
        return state
    return TokenUsage(
        state.uncached + usage.get("inputTokens", 0),
        state.output + usage.get("outputTokens", 0),
        state.cache_read + usage.get("cacheReadTokens", 0),
        state.cache_write + usage.get("cacheWriteTokens", 0),
    )


TOKEN_USAGE = Projection(
    "tokenUsage",
    TokenUsage(),
    {ev.ASSISTANT_MESSAGE: _used},
    lambda state: {
        "uncachedInputTokens": state.uncached,
        "outputTokens": state.output,
        "cacheReadTokens": state.cache_read,
        "cacheWriteTokens": state.cache_write,
    },
)


class SessionStats(Struct, frozen=True):
    """Sums over the log in ms. The private fields hold the open step and the open tool calls."""

    turns: int = 0
    steps: int = 0
    llm_ms: int = 0
    tool_ms: int = 0
    ttft_ms: int = 0
    ttft_steps: int = 0
    decode_ms: int = 0
    decode_tokens: int = 0
    last_turn: int = 0
    asked_at: int | None = None
    calls: tuple[tuple[str, int], ...] = ()


def _asked(state: SessionStats, event: Event) -> SessionStats:
    return replace(state, asked_at=event.time)


def _answered(state: SessionStats, event: Event) -> SessionStats:
    if state.asked_at is None:
        return state
    asked = state.asked_at
    first = first_delta_time(event.data.get("stream") or ())
    state = replace(state, llm_ms=state.llm_ms + max(0, event.time - asked))
    if first is None:
        return replace(state, asked_at=None)
    return replace(
        state,
        ttft_ms=state.ttft_ms + max(0, first - asked),
        ttft_steps=state.ttft_steps + 1,
        decode_ms=state.decode_ms + max(0, event.time - first),
        decode_tokens=state.decode_tokens + (event.data.get("usage") or {}).get("outputTokens", 0),
        asked_at=None,
    )


def first_delta_time(stream: Any) -> int | None:
    """The time (ms) of the first piece of answer in a packed stream."""
    for row in stream:
        if "time0" in row:
            return int(row["time0"])
    return None


def _called(state: SessionStats, event: Event) -> SessionStats:
    return replace(state, calls=(*state.calls, (str(event.data.get("callId")), event.time)))


def _returned(state: SessionStats, event: Event) -> SessionStats:
    message: Mapping[str, Any] = event.data.get("message") or {}
    call_id = message.get("toolCallId") or (message.get("source") or {}).get("callId")
    began = next((time for known, time in state.calls if known == call_id), None)
    if began is None:
        return state
    return replace(
        state,
        tool_ms=state.tool_ms + max(0, event.time - began),
        calls=tuple(call for call in state.calls if call[0] != call_id),
    )


def _stepped(state: SessionStats, event: Event) -> SessionStats:
    turn = event.data.get("turn", 0)
    new_turn = turn != state.last_turn
    return replace(state, steps=state.steps + 1, turns=state.turns + new_turn, last_turn=turn, calls=(), asked_at=None)


def _stats_view(state: SessionStats) -> dict[str, int]:
    return {
        "turns": state.turns,
        "steps": state.steps,
        "llmMs": state.llm_ms,
        "toolMs": state.tool_ms,
        "ttftMs": state.ttft_ms,
        "ttftSteps": state.ttft_steps,
        "decodeMs": state.decode_ms,
        "decodeTokens": state.decode_tokens,
    }


SESSION_STATS = Projection(
    "sessionStats",
    SessionStats(),
    {
        ev.STEP_START: _asked,
        ev.LLM_RETRY_STARTED: _asked,
        ev.ASSISTANT_MESSAGE: _answered,
        ev.TOOL_CALL: _called,
        ev.TOOL_RESULT: _returned,
        ev.STEP_END: _stepped,
    },
    _stats_view,
)
