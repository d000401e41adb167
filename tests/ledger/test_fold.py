"""Which requests a log holds, by the rules for replacing, retrying, forking and compacting."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hd.billing.fold import Standing, fold
from hd.protocol.events import Event

PROVIDER, MODEL = "deepseek-official", "deepseek-flash"


def usage(tokens: int) -> dict[str, int]:
    return {"inputTokens": tokens, "outputTokens": 1, "cacheReadTokens": 0}


def message(turn: int, step: int, tokens: int | None, **source: str) -> tuple[str, dict[str, Any]]:
    data: dict[str, Any] = {
        "turn": turn,
        "step": step,
        "message": {"source": {"kind": "model", **source}},
        "stream": [],
    }
    if tokens is not None:
        data["usage"] = usage(tokens)
    return "assistant/message", data


def attempt(turn: int, step: int, tokens: int | None) -> tuple[str, dict[str, Any]]:
    chunks: list[dict[str, Any]] = [{"type": "text-chunks", "time0": 1, "index": 0, "dt": [], "texts": ["x"]}]
    if tokens is not None:
        chunks.append({"type": "chunk", "time": 2, "chunk": {"type": "usage", "usage": usage(tokens)}})
    chunks.append({"type": "chunk", "time": 3, "chunk": {"type": "finish", "reason": {"kind": "error"}}})
    return "assistant/attempt", {"turn": turn, "step": step, "stream": chunks}


def retry(turn: int, step: int) -> tuple[str, dict[str, Any]]:
    return "llm/retry-started", {"retryId": "r", "turn": turn, "step": step, "retry": 1}


ROUTE = ("request/context", {"provider": PROVIDER, "model": MODEL, "contextWindow": 1})
END_OF_SEED = ("session/end-seed", {"inherited": True})


def log(*drafts: tuple[str, dict[str, Any]]) -> list[Event]:
    return [Event(kind, seq, 1000 + seq, data) for seq, (kind, data) in enumerate(drafts)]


def billed(*drafts: tuple[str, dict[str, Any]], seeded: bool = False) -> list[int | None]:
    return [a.usage["inputTokens"] if a.usage else None for a in fold(log(*drafts), seeded=seeded).attempts]


def test_every_step_is_one_request() -> None:
    assert billed(ROUTE, message(1, 1, 10), message(1, 2, 20), message(2, 1, 30)) == [10, 20, 30]


def test_a_corrected_record_replaces_the_request() -> None:
    assert billed(attempt(1, 1, 10), message(1, 1, 12), message(1, 1, 13)) == [13]


def test_a_record_without_usage_does_not_replace_one_with_it() -> None:
    assert billed(attempt(1, 1, 10), message(1, 1, None)) == [10]
    assert billed(attempt(1, 1, None), message(1, 1, 10)) == [10]
    assert billed(attempt(1, 1, None), message(1, 1, None)) == [None]


def test_a_retry_is_a_request_of_its_own() -> None:
    assert billed(attempt(1, 1, 10), retry(1, 1), attempt(1, 1, 11), retry(1, 1), message(1, 1, 12)) == [10, 11, 12]
    assert billed(attempt(1, 1, 10), retry(1, 2), message(1, 1, 12)) == [12]


def test_what_a_fork_inherited_is_free() -> None:
    drafts = (message(1, 1, 10), message(1, 2, 20), END_OF_SEED, message(1, 2, 30))
    assert billed(*drafts, seeded=True) == [30]
    ledger = fold(log(*drafts[:2]), seeded=True)
    assert not ledger.attributable
    assert fold(log(*drafts), seeded=True).attributable


def test_an_end_of_reloading_frees_nothing() -> None:
    assert billed(message(1, 1, 10), ("session/end-seed", {}), message(1, 2, 20)) == [10, 20]


def test_a_compaction_is_billed_by_its_own_model_and_never_replaces() -> None:
    compaction = ("compaction/summary", {"usage": usage(50), "provider": "p", "model": "m", "turn": 1})
    ledger = fold(log(ROUTE, message(1, 1, 10), compaction, compaction, ("compaction/summary", {"provider": "p"})))
    assert [(a.provider, a.model) for a in ledger.attempts] == [(PROVIDER, MODEL), ("p", "m"), ("p", "m")]


def test_a_compaction_that_failed_is_a_request_of_which_nothing_is_known() -> None:
    failed = ("compaction/end", {"error": {}, "provider": "p", "model": "m", "turn": 1})
    ledger = fold(log(ROUTE, message(1, 1, 10), failed, ("compaction/end", {"turn": 1})))
    assert [(a.model, a.usage and a.usage["inputTokens"]) for a in ledger.attempts] == [(MODEL, 10), ("m", None)]


def test_the_model_is_that_of_the_message_else_of_the_last_context() -> None:
    own = message(1, 2, 1, provider="other", model="big")
    ledger = fold(log(message(1, 1, 1), ROUTE, own, attempt(1, 3, 1)))
    routes = [(a.provider, a.model) for a in ledger.attempts]
    assert routes == [("", ""), ("other", "big"), (PROVIDER, MODEL)]


def test_a_request_carries_its_place_and_time() -> None:
    (found,) = fold(log(ROUTE, message(3, 2, 7))).attempts
    assert (found.seq, found.time, found.turn, found.step) == (1, 1001, 3, 2)


def test_an_event_of_no_concern_gives_the_same_object_back() -> None:
    standing = Standing()
    for event in log(ROUTE, message(1, 1, 1)):
        standing = standing.read(event)
    for kind, data in (("tool/call", {}), ROUTE, ("llm/retry-started", {"turn": 9, "step": 9}), ("x/unknown", {})):
        assert standing.read(Event(kind, 9, 9, data)) is standing


DRAFTS = st.lists(
    st.one_of(
        st.builds(message, st.integers(1, 2), st.integers(1, 2), st.none() | st.integers(0, 9)),
        st.builds(attempt, st.integers(1, 2), st.integers(1, 2), st.none() | st.integers(0, 9)),
        st.builds(retry, st.integers(1, 2), st.integers(1, 2)),
        st.just(ROUTE),
        st.just(END_OF_SEED),
        st.just(("tool/result", {"turn": 1})),
    ),
    max_size=40,
)


@given(DRAFTS)
def test_repeats_do_not_count(drafts: list[tuple[str, dict[str, Any]]]) -> None:
    events = log(*drafts)
    assert fold([*events, *events]) == fold(events)


@given(DRAFTS)
def test_the_requests_are_those_of_the_rule_read_naively(drafts: list[tuple[str, dict[str, Any]]]) -> None:
    start = max((n for n, (kind, _) in enumerate(drafts) if kind == "session/end-seed"), default=-1) + 1
    found: list[int | None] = []
    last: tuple[int, int] | None = None
    for kind, data in drafts[start:]:
        place = (data.get("turn", 0), data.get("step", 0))
        if kind == "llm/retry-started":
            last = None if place == last else last
        if kind not in ("assistant/message", "assistant/attempt"):
            continue
        carried = data.get("usage") or next((r["chunk"]["usage"] for r in data["stream"] if _is_usage(r)), None)
        tokens = carried and carried["inputTokens"]
        if place != last:
            found.append(tokens)
        elif tokens is not None or found[-1] is None:
            found[-1] = tokens
        last = place
    assert billed(*drafts) == found


def _is_usage(row: dict[str, Any]) -> bool:
    return bool(row["type"] == "chunk" and row["chunk"]["type"] == "usage")
