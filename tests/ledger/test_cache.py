"""What was read from the provider's cache of each request, and what stood in the way."""

from typing import Any

import msgspec
from hypothesis import given, settings

from hd.ledger.cache import LEAST_LOSS, SHOWN, Cache, cache_projection
from hd.protocol import events as ev
from hd.protocol.events import Event, Replace, Surface
from tests.support.logs import random_logs

CACHE = cache_projection()
NOW = 1_790_000_000_000
FLASH, PRO = "deepseek-flash", "deepseek-v4-pro"
Fact = tuple[str, dict[str, Any]] | tuple[str, dict[str, Any], Surface]


def header(model: str = FLASH, effort: str = "high", tools: tuple[str, ...] = ("grep",)) -> Fact:
    config = {"provider": "deepseek-official", "model": model, "reasoningEffort": effort}
    return ev.REQUEST_HEADER, {"header": {"config": config, "tools": [{"name": name} for name in tools]}}


def answer(step: int, hit: int, miss: int, model: str = FLASH) -> Fact:
    source = {"kind": "model", "provider": "deepseek-official", "model": model}
    usage = {"inputTokens": miss, "cacheReadTokens": hit, "outputTokens": 10}
    message = {"role": "assistant", "source": source, "content": []}
    return ev.ASSISTANT_MESSAGE, {"turn": 1, "step": step, "message": message, "usage": usage}, "append"


def replaced(start: int, end: int, kind: str, role: str = "user") -> Fact:
    return ev.USER_MESSAGE, {"role": role, "source": {"kind": kind}, "content": []}, Replace(start, end)


def said() -> Fact:
    return ev.USER_MESSAGE, {"role": "user", "source": {"kind": "user"}, "content": []}, "append"


def fold(*facts: Fact) -> Cache:
    events = [Event(kind, seq, NOW, data, *rest) for seq, (kind, data, *rest) in enumerate(facts)]
    return CACHE.fold(events)


def view(state: Cache) -> dict[str, Any]:
    assert CACHE.view is not None
    shown: dict[str, Any] = CACHE.view(state)
    return msgspec.json.decode(msgspec.json.encode(shown), type=dict[str, Any])


def told(*facts: Fact) -> list[tuple[int, int, int, Any]]:
    rows = view(fold(*facts))["rows"]
    return [(row["hit"], row["miss"], row["lost"], row["difference"]) for row in rows]


def test_a_session_that_only_grows_loses_nothing() -> None:
    state = fold(header(), said(), answer(1, 0, 9_000), answer(2, 8_960, 400), said(), answer(3, 9_344, 56))
    assert [(row["lost"], row["difference"]) for row in view(state)["rows"]] == [
        (0, {"segment": "first"}),
        (0, None),
        (0, None),
    ]
    totals = view(state)
    assert (totals["requests"], totals["hit"], totals["miss"], totals["lost"]) == (3, 18_304, 9_456, 0)
    assert totals["amount"] == "0"


def test_g05_what_differed_is_named_and_its_price_told() -> None:
    begin = (header(), said(), answer(1, 0, 10_000))
    assert told(*begin, header(tools=("grep", "ls")), answer(2, 0, 10_100))[1][2:] == (10_000, {"segment": "tools"})
    assert told(*begin, replaced(1, 2, "compact-checkpoint"), answer(2, 4_000, 2_000))[1][2:] == (
        2_000,
        {"segment": "message", "seq": 1, "kind": "compact-checkpoint"},
    )
    assert told(*begin, replaced(0, 0, "system-prompt", "system"), answer(2, 0, 10_100))[1][3] == {
        "segment": "system",
        "seq": 0,
        "kind": "system-prompt",
    }
    pruned: Fact = (ev.COMPACTION_PRUNE, {"results": [{"seq": 2, "text": "Shortened."}, {"seq": 1, "text": "Too."}]})
    assert told(*begin, pruned, answer(2, 4_000, 2_000))[1][3] == {"segment": "message", "seq": 1, "kind": "tool"}
    assert told(*begin, header(effort="max"), answer(2, 9_984, 200))[1][2:] == (0, {"segment": "parameters"})
    assert told(*begin, answer(2, 0, 10_100))[1][2:] == (10_000, None), "the provider no longer had it"


def test_a_loss_is_priced_by_what_it_would_have_cost_read() -> None:
    row = fold(header(), said(), answer(1, 0, 1_000_000), answer(2, 0, 1_000_000)).rows[-1]
    again = fold(header(), said(), answer(1, 0, 1_000_000), answer(2, 1_000_000, 0)).rows[-1]
    assert row.amount is not None
    assert row.amount > 0
    assert (again.amount, again.lost) == (None, 0)
    assert view(fold(header(), answer(1, 0, 9_000, "unheard-of"), answer(2, 0, 9_000, "unheard-of")))["amount"] == "0"


def test_each_model_has_a_cache_of_its_own() -> None:
    begin = (header(), said(), answer(1, 0, 10_000), header(PRO), answer(2, 0, 10_100, PRO))
    assert told(*begin)[1][2:] == (10_000, {"segment": "model"})
    assert told(*begin, header(), answer(3, 9_984, 300))[2][2:] == (0, None), "the first one's is still there"
    state = fold(*begin)
    assert state.continues(("deepseek-official", PRO))
    assert not state.continues(("deepseek-official", "new"))
    assert not fold(*begin, replaced(1, 2, "compact-checkpoint")).continues(("deepseek-official", PRO))


def test_the_last_block_that_is_not_full_is_no_loss() -> None:
    assert told(header(), answer(1, 0, 1_000), answer(2, 1_000 - LEAST_LOSS + 1, 500))[1][2] == 0
    assert told(header(), answer(1, 0, 1_000), answer(2, 1_000 - LEAST_LOSS, 500))[1][2] == LEAST_LOSS


def test_a_request_that_failed_first_counts_once_by_its_better_record() -> None:
    kind, data, *_ = answer(1, 64, 900)
    failed = {"turn": 1, "step": 1, "stream": [], "usage": {"inputTokens": 964, "outputTokens": 0}}
    state = fold(header(), (ev.ASSISTANT_ATTEMPT, failed), (kind, data))
    assert (view(state)["requests"], view(state)["hit"]) == (1, 64)
    unknown = {"turn": 1, "step": 1, "stream": []}
    assert view(fold(header(), (ev.ASSISTANT_ATTEMPT, unknown)))["requests"] == 0


def test_clients_are_shown_the_newest_and_the_sums_of_all() -> None:
    shown = view(fold(header(), *(answer(step, 0, 100) for step in range(SHOWN + 5))))
    assert (len(shown["rows"]), shown["rows"][-1]["step"], shown["requests"]) == (SHOWN, SHOWN + 4, SHOWN + 5)


def test_what_a_fork_inherited_is_not_its_own_but_still_in_the_cache() -> None:
    state = fold(header(), answer(1, 0, 9_000), (ev.SESSION_END_SEED, {"inherited": True}), answer(2, 8_960, 100))
    assert (view(state)["requests"], view(state)["rows"][0]["difference"]) == (1, None)


@settings(max_examples=60)
@given(random_logs())
def test_laws_3_and_4(events: list[Event]) -> None:
    whole = CACHE.fold(events)
    for cut in range(len(events)):
        state = CACHE.fold(events[:cut])
        after = CACHE.apply(state, events[cut])
        if events[cut].type == ev.USER_MESSAGE and events[cut].surface == "append":
            assert after is state
        assert CACHE.fold(events[cut + 1 :], after) == whole
    assert view(whole)["requests"] >= sum(row.tokens is not None for row in whole.rows)
