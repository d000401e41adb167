"""Events of an answer become chunks of the wire."""

import json
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.llm.base import Chunk, ProviderError
from hd.llm.decode import AnswerDecoder
from tests.llm.ask import check_order, ended


def event(delta: Mapping[str, Any] | None = None, finish: str | None = None, **more: Any) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more})


def call(arguments: str | None, index: int | None = 0, **more: Any) -> dict[str, Any]:
    """A delta with a piece of one call; `name` and `id` where given."""
    function = {"arguments": arguments} | ({"name": more.pop("name")} if "name" in more else {})
    place = {} if index is None else {"index": index}
    return {"tool_calls": [{**place, **more, "function": function}]}


def decode(*payloads: str, taken: Sequence[str] = ()) -> tuple[list[Chunk], AnswerDecoder]:
    numbers = count(1)
    decoder = AnswerDecoder(taken, fresh_id=lambda: f"fresh{next(numbers)}")
    chunks = [chunk for payload in payloads for chunk in decoder.feed(payload)]
    chunks += decoder.finish()
    check_order(chunks)
    return chunks, decoder


def calls_of(chunks: Sequence[Chunk]) -> list[tuple[str, str, str]]:
    return [(b["id"], b["name"], b["arguments"]) for b in ended(chunks) if b["type"] == "tool-call"]


def test_an_answer_with_reasoning_text_and_a_call_as_the_wire_has_it() -> None:
    chunks, decoder = decode(
        event({"role": "assistant", "content": None, "reasoning_content": "Hm"}),
        event({"reasoning_content": "m."}),
        event({"content": "Yes"}),
        event(call("", name="grep", id="c1", type="function")),
        event(call('{"a":')),
        event(call("1}")),
        event({}, "tool_calls"),
        '{"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":2}}',
        "[DONE]",
    )
    assert decoder.finished
    assert decoder.done
    assert chunks == [
        {"type": "block-start", "index": 0, "blockType": "reasoning"},
        {"type": "reasoning-delta", "index": 0, "text": "Hm"},
        {"type": "reasoning-delta", "index": 0, "text": "m."},
        {"type": "block-end", "index": 0, "block": {"type": "reasoning", "text": "Hmm."}},
        {"type": "block-start", "index": 1, "blockType": "text"},
        {"type": "text-delta", "index": 1, "text": "Yes"},
        {"type": "block-end", "index": 1, "block": {"type": "text", "text": "Yes"}},
        {"type": "block-start", "index": 2, "blockType": "tool-call"},
        {"type": "tool-call-delta", "index": 2, "id": "c1", "name": "grep", "argumentsDelta": ""},
        {"type": "tool-call-delta", "index": 2, "id": "c1", "argumentsDelta": '{"a":'},
        {"type": "tool-call-delta", "index": 2, "id": "c1", "argumentsDelta": "1}"},
        {
            "type": "block-end",
            "index": 2,
            "block": {"type": "tool-call", "id": "c1", "name": "grep", "arguments": '{"a":1}'},
        },
        {
            "type": "usage",
            "usage": {
                "inputTokens": 8,
                "outputTokens": 2,
                "cacheReadTokens": 0,
                "cacheWriteTokens": 0,
                "totalTokens": 10,
            },
        },
        {"type": "finish", "reason": {"kind": "tool-calls"}},
    ]


def test_reasoning_may_come_again_behind_text() -> None:
    chunks, _ = decode(
        event({"reasoning_content": "a"}),
        event({"content": "b"}),
        event({"reasoning_content": "c", "content": "d"}, "stop"),
    )
    assert [(block["type"], block["text"]) for block in ended(chunks)] == [
        ("reasoning", "a"),
        ("text", "b"),
        ("reasoning", "c"),
        ("text", "d"),
    ]


PARALLEL = {
    "by index": [
        call("", 0, name="a", id="1"),
        call('{"x":1}', 0),
        call("", 1, name="b", id="2"),
        call('{"y":2}', 1),
    ],
    "without index": [
        call('{"x":', None, name="a", id="1"),
        call("1}", None),
        call('{"y":', None, name="b", id="2"),
        call("2}", None),
    ],
    "with the id in every piece": [
        call('{"x":', None, name="a", id="1"),
        call("1}", None, id="1"),
        call('{"y":', None, name="b", id="2"),
        call("2}", None, id="2"),
    ],
    "with one index for all": [
        call('{"x":', 0, name="a", id="1"),
        call("1}", 0, id="1"),
        call('{"y":', 0, name="b", id="2"),
        call("2}", 0, id="2"),
    ],
    "with empty names behind the first": [
        call('{"x":', 0, name="a", id="1"),
        call("1}", 0, name="", id=""),
        call('{"y":', 1, name="b", id="2"),
        call("2}", 1, name="", id=""),
    ],
    "with the name in every piece": [
        call('{"x":', 0, name="a", id="1"),
        call("1}", 0, name="a", id="1"),
        call('{"y":2}', 1, name="b", id="2"),
    ],
    "mixed": [
        call('{"x"', 0, name="a", id="1"),
        call('{"y"', 1, name="b", id="2"),
        call(":1}", 0),
        call(":2}", 1),
    ],
    "mixed, both named first": [
        call("", 0, name="a", id="1"),
        call("", 1, name="b", id="2"),
        call('{"y":2', 1),
        call('{"x":1}', 0),
        call("}", 1),
    ],
    "in one event": [
        {
            "tool_calls": [
                call('{"x":1}', 0, name="a", id="1")["tool_calls"][0],
                *call('{"y":2}', 1, name="b", id="2")["tool_calls"],
            ]
        }
    ],
    "named late": [
        call('{"x":', 0, id="1"),
        call("1}", 0, name="a"),
        call('{"y":2}', 1, name="b", id="2"),
    ],
}


@pytest.mark.parametrize("deltas", PARALLEL.values(), ids=PARALLEL.keys())
def test_parallel_calls_however_they_come(deltas: Sequence[Mapping[str, Any]]) -> None:
    chunks, decoder = decode(*(event(delta) for delta in deltas), event({}, "tool_calls"))
    assert calls_of(chunks) == [("1", "a", '{"x":1}'), ("2", "b", '{"y":2}')]
    assert [chunk["name"] for chunk in chunks if chunk["type"] == "tool-call-delta" and "name" in chunk] == ["a", "b"]
    assert decoder.failure is None


def test_a_call_streams_while_it_is_the_first_that_is_not_whole() -> None:
    decoder = AnswerDecoder()
    decoder.feed(event(call("", 0, name="a", id="1")))
    assert decoder.feed(event(call('{"x"')))[-1]["argumentsDelta"] == '{"x"'
    assert decoder.feed(event(call('{"y":2}', 1, name="b", id="2"))) == []
    kinds = [chunk["type"] for chunk in decoder.feed(event(call(":1}")))]
    assert kinds == ["tool-call-delta", "block-end", "block-start", "tool-call-delta"]


def test_a_malformed_call_keeps_its_text_and_does_not_take_the_next_one_with_it() -> None:
    chunks, _ = decode(
        event(call('{"x": "1}', 0, name="a", id="1")), event(call("{}", 1, name="b", id="2")), event({}, "tool_calls")
    )
    assert calls_of(chunks) == [("1", "a", '{"x": "1}'), ("2", "b", "{}")]


def test_text_behind_calls_ends_them() -> None:
    chunks, _ = decode(event(call("{}", 0, name="a", id="1")), event({"content": "so"}, "stop"))
    assert [block["type"] for block in ended(chunks)] == ["tool-call", "text"]
    assert chunks[-1]["reason"] == {"kind": "tool-calls"}


def test_a_piece_of_a_call_that_was_whole_is_an_error() -> None:
    decoder = AnswerDecoder()
    decoder.feed(event(call("{}", 0, name="a", id="1")))
    decoder.feed(event(call("{}", 1, name="b", id="2")))
    assert decoder.feed(event(call(" \n", 0))) == []
    with pytest.raises(ProviderError, match="mixed up") as caught:
        decoder.feed(event(call("{}", 0)))
    assert caught.value.code == "SERVER"


def test_ids_that_are_missing_used_twice_or_taken_become_fresh_ones() -> None:
    chunks, _ = decode(
        event(call("{}", 0, name="a")),
        event(call("{}", 1, name="b", id="old")),
        event(call("{}", 2, name="c", id="same")),
        event(call("{}", 3, name="d", id="same")),
        event({}, "tool_calls"),
        taken=["old"],
    )
    assert [call_id for call_id, _, _ in calls_of(chunks)] == ["call_fresh1", "call_fresh2", "same", "call_fresh3"]


def test_arguments_that_come_as_an_object_become_json_text() -> None:
    payload = event({"tool_calls": [{"index": 0, "id": "1", "function": {"name": "a", "arguments": {"x": [1]}}}]})
    chunks, _ = decode(payload, event({}, "tool_calls"))
    assert calls_of(chunks) == [("1", "a", '{"x":[1]}')]


@pytest.mark.parametrize(
    ("finish", "kind"),
    [("stop", "stop"), ("length", "max-tokens"), ("content_filter", "content-filter"), ("whatever", "stop")],
)
def test_the_reason_of_the_end(finish: str, kind: str) -> None:
    chunks, _ = decode(event({"content": "x"}, finish))
    assert chunks[-1] == {"type": "finish", "reason": {"kind": kind}}


def test_a21_a_cut_call_says_max_tokens_and_keeps_what_came() -> None:
    chunks, decoder = decode(event(call('{"path":"a","content":"hal', 0, name="write_file", id="1"), "length"))
    assert calls_of(chunks) == [("1", "write_file", '{"path":"a","content":"hal')]
    assert chunks[-1]["reason"] == {"kind": "max-tokens"}
    assert decoder.failure is None


@pytest.mark.parametrize("choices", ["[]", "null"])
def test_f10_events_without_choices(choices: str) -> None:
    chunks, decoder = decode(
        f'{{"choices":{choices}}}',
        event({"content": "x"}, "stop", usage={"prompt_tokens": 1, "completion_tokens": 1}),
        f'{{"choices":{choices},"usage":{{"prompt_tokens":5,"completion_tokens":2}}}}',
        f'{{"choices":{choices},"usage":null}}',
        "{}",
        "",
    )
    assert decoder.failure is None
    assert [chunk["usage"]["totalTokens"] for chunk in chunks if chunk["type"] == "usage"] == [7]


def test_f10_missing_usage_is_no_usage() -> None:
    chunks, _ = decode(event({"content": "x"}, "stop"))
    assert [chunk["type"] for chunk in chunks] == ["block-start", "text-delta", "block-end", "finish"]


@pytest.mark.parametrize(
    "payloads",
    [
        [event({"reasoning_content": "Hm"})],
        [event({"content": "Yes"}), "[DONE]"],
        [event(call('{"a":1}', 0, name="rm", id="1"))],
    ],
    ids=["in reasoning", "in text", "in a call"],
)
def test_f04_an_end_without_a_reason_is_cut_off(payloads: Sequence[str]) -> None:
    chunks, decoder = decode(*payloads)
    assert not decoder.finished
    assert decoder.failure is not None
    assert decoder.failure.code == "CUT_OFF"
    assert not ended(chunks)
    assert all(chunk["type"] != "finish" for chunk in chunks)


@pytest.mark.parametrize("delta", [{}, {"content": ""}, {"content": " \n"}, {"reasoning_content": "only thought"}])
def test_f13_an_answer_without_content_is_empty(delta: Mapping[str, Any]) -> None:
    chunks, decoder = decode(event(delta), event({}, "stop", usage={"prompt_tokens": 1, "completion_tokens": 1}))
    assert decoder.failure is not None
    assert decoder.failure.code == "EMPTY_RESPONSE"
    assert chunks[-1]["type"] == "usage"


def test_a_provider_without_capacity_is_a_failure_of_its_own() -> None:
    _, decoder = decode(event({"content": "x"}, "insufficient_system_resource"))
    assert decoder.failure is not None
    assert decoder.failure.code == "SERVER"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"message": "Rate limit reached", "type": "x"}, "RATE_LIMIT"),
        ({"message": "boom"}, "SERVER"),
        ("overloaded", "SERVER"),
        ({"message": "no", "code": 429}, "RATE_LIMIT"),
        ({"message": "no", "code": "401"}, "AUTH"),
        ({"message": "Insufficient Balance"}, "QUOTA"),
        ({"message": "This model's maximum context length is 5 tokens"}, "CONTEXT_OVERFLOW"),
    ],
)
def test_f09_an_error_object_in_the_stream(error: Any, code: str) -> None:
    decoder = AnswerDecoder()
    with pytest.raises(ProviderError) as caught:
        decoder.feed(json.dumps({"error": error}))
    assert caught.value.code == code


@pytest.mark.parametrize("payload", ["{", "[]", "5", '{"choices":5}', '{"choices":[{"delta":{"content":{}}}]}'])
def test_what_is_no_event_is_an_error_without_its_content(payload: str) -> None:
    with pytest.raises(ProviderError, match="could not be read") as caught:
        AnswerDecoder().feed(payload)
    assert caught.value.code == "SERVER"


def test_raw_control_characters_and_halves_of_pairs_are_forgiven() -> None:
    chunks, _ = decode('{"choices":[{"delta":{"content":"a\tb\\ud83d"},"finish_reason":"stop"}]}')
    assert ended(chunks)[0]["text"] == "a\tb?"


def test_a_whole_message_instead_of_deltas_is_taken_too() -> None:
    message = {"content": "Yes", "reasoning_content": "Hm"}
    chunks, decoder = decode(json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}))
    assert decoder.failure is None
    assert [block["text"] for block in ended(chunks)] == ["Hm", "Yes"]


PIECES = st.lists(
    st.one_of(
        st.builds(lambda text: {"content": text}, st.text(max_size=3)),
        st.builds(lambda text: {"reasoning_content": text}, st.text(max_size=3)),
        st.builds(
            lambda text, index, name: call(text, index, name=name),
            st.sampled_from(["", "{", "}", "{}", " "]),
            st.one_of(st.none(), st.integers(0, 2)),
            st.sampled_from(["", "a"]),
        ),
    ),
    max_size=12,
)


@given(PIECES, st.sampled_from(["stop", "tool_calls", "length", None]))
def test_whatever_comes_blocks_stay_in_order(deltas: list[dict[str, Any]], finish: str | None) -> None:
    decoder = AnswerDecoder()
    chunks: list[Chunk] = []
    try:
        for delta in deltas:
            chunks += decoder.feed(event(delta))
        chunks += decoder.feed(event({}, finish))
    except ProviderError:
        check_order(chunks)
        return
    chunks += decoder.finish()
    check_order(chunks)
    ids = [block["id"] for block in ended(chunks) if block["type"] == "tool-call"]
    assert len(ids) == len(set(ids))
