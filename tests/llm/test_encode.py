"""The body of a request."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.llm.base import Model
from hd.llm.encode import encode_parts, encode_request
from hd.llm.models import DEFAULT
from hd.protocol.messages import Message, reasoning_block, text_block, tool_call_block, tool_message, user_message
from tests.llm.ask import answered, human, request_of


def body_of(*messages: Message | str, model: Model = DEFAULT, **fields: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(encode_request(request_of(*messages, **fields), model))
    return body


def test_what_may_change_between_two_requests_stands_behind_the_messages() -> None:
    body = body_of("hi", tools=["grep"], max_tokens=100)
    assert list(body) == [
        "model",
        "stream",
        "stream_options",
        "tools",
        "messages",
        "thinking",
        "reasoning_effort",
        "max_tokens",
    ]
    assert body["tools"][0] == {
        "type": "function",
        "function": {"name": "grep", "description": "Does grep.", "parameters": {"type": "object", "properties": {}}},
    }
    assert "tools" not in body_of("hi")


@pytest.mark.parametrize(
    ("effort", "parameters"),
    [
        ("off", {"thinking": {"type": "disabled"}}),
        ("low", {"thinking": {"type": "enabled"}, "reasoning_effort": "low"}),
        ("max", {"thinking": {"type": "enabled"}, "reasoning_effort": "max"}),
        (None, {"thinking": {"type": "enabled"}, "reasoning_effort": "high"}),
        ("unheard-of", {"thinking": {"type": "enabled"}, "reasoning_effort": "high"}),
    ],
)
def test_efforts(effort: str | None, parameters: dict[str, Any]) -> None:
    body = body_of("hi", effort=effort)
    assert {name: body[name] for name in ("thinking", "reasoning_effort") if name in body} == parameters


def test_a_model_that_does_not_think_is_not_asked_to() -> None:
    body = body_of("hi", effort="high", model=Model("m", "M", 1000, 100))
    assert not {"thinking", "reasoning_effort"} & set(body)


def test_the_bound_of_the_answer_stays_within_the_models() -> None:
    assert body_of("hi", max_tokens=10**9)["max_tokens"] == DEFAULT.max_output


def test_every_kind_of_message() -> None:
    thought = answered(
        reasoning_block("Hm"), text_block("I look."), reasoning_block("m."), tool_call_block("c1", "grep", '{"a": 1}')
    )
    old_result = {
        "role": "user",
        "source": {"kind": "tool", "callId": "c2"},
        "content": [{"type": "tool-result", "toolCallId": "c2", "content": [text_block("old")]}],
    }
    messages = body_of(
        user_message([text_block("a"), text_block("b")], {"kind": "user"}),
        thought,
        tool_message("c1", "found", is_error=False),
        old_result,
        answered(reasoning_block("cut")),
    )["messages"]
    assert messages == [
        {"role": "system", "content": "You are a test."},
        {"role": "user", "content": "a\nb"},
        {
            "role": "assistant",
            "content": "I look.",
            "reasoning_content": "Hmm.",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "grep", "arguments": '{"a": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
        {"role": "tool", "tool_call_id": "c2", "content": "old"},
        {"role": "assistant", "content": "", "reasoning_content": "cut"},
    ]


def test_a_message_with_calls_alone_has_null_as_content() -> None:
    message = body_of("hi", answered(tool_call_block("c1", "ls", "{}")), tool_message("c1", "", is_error=True))
    assert message["messages"][2]["content"] is None
    assert message["messages"][2]["reasoning_content"] == ""


@pytest.mark.parametrize("effort", ["off", "high"])
def test_f01_reasoning_goes_back_byte_for_byte_whatever_the_effort(effort: str) -> None:
    text = " \n思考 \u200b…\r\n\t"
    message = body_of("hi", answered(reasoning_block(text), text_block("ok")), "next", effort=effort)["messages"][2]
    assert message["reasoning_content"] == text


def test_halves_of_surrogate_pairs_do_not_stop_a_session() -> None:
    assert body_of("a\ud800b")["messages"][1]["content"] == "a?b"


def test_a_tool_message_without_a_call_is_a_defect() -> None:
    with pytest.raises(ValueError, match="without the id"):
        body_of({"role": "tool", "content": [text_block("x")]})


BLOCKS = st.one_of(
    st.builds(text_block, st.text(max_size=5)),
    st.builds(reasoning_block, st.text(max_size=5)),
    st.builds(tool_call_block, st.text(max_size=3), st.just("grep"), st.just("{}")),
)
MESSAGES = st.one_of(
    st.builds(human, st.text(max_size=8)),
    st.builds(lambda blocks: answered(*blocks), st.lists(BLOCKS, max_size=3)),
    st.builds(lambda text: tool_message("c", text, is_error=False), st.text(max_size=8)),
)


EFFORTS = st.sampled_from([None, "off", "high"])
MODELS = st.sampled_from([DEFAULT, Model(DEFAULT.id, "Thinks not", 1000, None)])


@given(st.lists(MESSAGES, max_size=6), st.lists(MESSAGES, min_size=1, max_size=3), EFFORTS, MODELS)
def test_law_2_a_request_begins_with_the_one_before_it(
    before: list[Message], more: list[Message], effort: str | None, model: Model
) -> None:
    lasting, closing = encode_parts(request_of(*before, tools=["a", "b"], effort="max", max_tokens=9), model)
    body = encode_request(request_of(*before, *more, tools=["a", "b"], effort=effort), model)
    # The system messages of two requests differ in their ids only, which are not sent.
    assert body.startswith(lasting)
    assert json.loads(lasting + closing)["messages"] == json.loads(body)["messages"][: len(before) + 1]
