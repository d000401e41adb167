"""Usage from the figures of an answer."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.llm.usage import usage_of

COUNTS = st.one_of(st.none(), st.integers(-5, 10_000), st.just("7"), st.just(1.5), st.just(True))


def raw(prompt: int | None = 1000, completion: int | None = 10, **more: Any) -> dict[str, Any]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, **more}


@pytest.mark.parametrize(
    "figures",
    [
        {"prompt_cache_hit_tokens": 900, "prompt_cache_miss_tokens": 100},
        {"prompt_cache_hit_tokens": 900},
        {"prompt_cache_miss_tokens": 100},
        {"prompt_tokens_details": {"cached_tokens": 900}},
        {"prompt_cache_hit_tokens": 900, "prompt_tokens_details": {"cached_tokens": 900}},
    ],
)
def test_h01_what_the_cache_held_is_counted_once(figures: dict[str, Any]) -> None:
    usage = usage_of(raw(**figures))
    assert usage == {
        "inputTokens": 100,
        "outputTokens": 10,
        "cacheReadTokens": 900,
        "cacheWriteTokens": 0,
        "totalTokens": 1010,
    }


def test_h01_without_any_word_of_the_cache_all_is_input() -> None:
    usage = usage_of(raw())
    assert usage is not None
    assert (usage["inputTokens"], usage["cacheReadTokens"], usage.get("exact")) == (1000, 0, None)


@pytest.mark.parametrize(
    ("figures", "read"),
    [
        ({"prompt_cache_hit_tokens": 1200}, 1000),
        ({"prompt_cache_hit_tokens": 900, "prompt_tokens_details": {"cached_tokens": 400}}, 400),
        ({"prompt_cache_hit_tokens": 900, "prompt_cache_miss_tokens": 200}, 800),
    ],
)
def test_h01_a_contradiction_is_marked_and_the_larger_input_believed(figures: dict[str, Any], read: int) -> None:
    usage = usage_of(raw(**figures))
    assert usage is not None
    assert usage["exact"] is False
    assert usage["cacheReadTokens"] == read


def test_h01_hit_and_miss_alone_make_the_prompt() -> None:
    usage = usage_of(raw(None, prompt_cache_hit_tokens=64, prompt_cache_miss_tokens=36))
    assert usage is not None
    assert (usage["inputTokens"], usage["cacheReadTokens"], usage["totalTokens"]) == (36, 64, 110)


def test_reasoning_is_a_part_of_the_output() -> None:
    usage = usage_of(raw(completion_tokens_details={"reasoning_tokens": 7}))
    assert usage is not None
    assert (usage["reasoningTokens"], usage["outputTokens"]) == (7, 10)


def test_f10_figures_that_are_missing_give_no_usage_instead_of_zero() -> None:
    assert usage_of({}) is None
    assert usage_of(raw(None)) is None
    assert usage_of(raw(completion=None)) is None


@given(COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS)
def test_usage_is_never_negative_and_always_adds_up(
    prompt: Any, completion: Any, hit: Any, miss: Any, cached: Any, reasoning: Any
) -> None:
    usage = usage_of(
        raw(
            prompt,
            completion,
            prompt_cache_hit_tokens=hit,
            prompt_cache_miss_tokens=miss,
            prompt_tokens_details={"cached_tokens": cached},
            completion_tokens_details={"reasoning_tokens": reasoning},
        )
    )
    if usage is not None:
        counts = [usage[name] for name in ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")]
        assert min(counts) >= 0
        assert sum(counts) == usage["totalTokens"]
