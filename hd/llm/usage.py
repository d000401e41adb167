"""Tokens of one request, from the figures that a chat-completions answer carries."""

from collections.abc import Mapping
from typing import Any


def usage_of(raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """The wire's usage (`hd.protocol.events.Usage`); None when the answer does not say what it read and wrote.

    What came from the cache stands under two names, `prompt_cache_hit_tokens` and
    `prompt_tokens_details.cached_tokens`, and is one and the same amount: it is counted once and taken out of
    `inputTokens`. Where the figures contradict each other the larger input is believed and `exact` is False, so that a
    cost made from it can be marked.
    """
    hit, miss = _count(raw, "prompt_cache_hit_tokens"), _count(raw, "prompt_cache_miss_tokens")
    cached = _count(_part(raw, "prompt_tokens_details"), "cached_tokens")
    prompt, output = _count(raw, "prompt_tokens"), _count(raw, "completion_tokens")
    if prompt is None and (hit is not None or miss is not None):
        prompt = (hit or 0) + (miss or 0)
    if prompt is None or output is None:
        return None
    known = [amount for amount in (hit, cached, None if miss is None else prompt - miss) if amount is not None]
    read = max(0, min([*known, prompt])) if known else 0
    usage: dict[str, Any] = {
        "inputTokens": prompt - read,
        "outputTokens": output,
        "cacheReadTokens": read,
        "cacheWriteTokens": 0,
        "totalTokens": prompt + output,
    }
    reasoning = _count(_part(raw, "completion_tokens_details"), "reasoning_tokens")
    if reasoning is not None:
        usage["reasoningTokens"] = min(reasoning, output)
    if any(amount != read for amount in known):
        usage["exact"] = False
    return usage


def _part(raw: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = raw.get(name)
    return part if isinstance(part, Mapping) else {}


def _count(raw: Mapping[str, Any], name: str) -> int | None:
    """A token count; None for what is none (missing, null, negative, a fraction, text)."""
    value = raw.get(name)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
