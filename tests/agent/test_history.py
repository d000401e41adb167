"""From any log to a history that a provider takes: pairs, ids, objects, and a prefix that stays."""

from typing import Any

import msgspec
import pytest
from hypothesis import given

from hd.agent.fit import MISSING_RESULT, json_object, tool_name
from hd.agent.history import HISTORY, messages
from hd.agent.request import build, context_message, fitting_output, header_drafts, opening_messages, title_draft
from hd.llm.base import Model
from hd.protocol import events as ev
from hd.protocol.events import Draft, Event, Replace, Surface
from hd.protocol.messages import text_of, tool_message, tool_result_of
from hd.protocol.tools import ToolSpec
from tests.support.logs import random_logs

MODEL = Model("m", "M", context_window=100, max_output=10)
TOOL = ToolSpec("grep", "finds", {"type": "object"})


def fold(*drafts: Draft) -> Any:
    return HISTORY.fold(Event(d.type, seq, 1, d.data, d.surface) for seq, d in enumerate(drafts))


def user(text: str, kind: str = "user", surface: Surface = "append") -> Draft:
    data = {"role": "user", "content": [{"type": "text", "text": text}], "source": {"kind": kind}, "id": text}
    return Draft(ev.USER_MESSAGE, data, surface)


def system(text: str) -> Draft:
    message = {"role": "system", "content": [{"type": "text", "text": text}], "id": "s"}
    return Draft(ev.SYSTEM_MESSAGE, {"message": message}, "append")


def assistant(*blocks: dict[str, Any]) -> Draft:
    return Draft(ev.ASSISTANT_MESSAGE, {"message": {"role": "assistant", "content": list(blocks)}}, "append")


def call(call_id: str, arguments: str = "{}") -> dict[str, Any]:
    return {"type": "tool-call", "id": call_id, "name": "grep", "arguments": arguments}


def result(call_id: str, text: str = "ok") -> Draft:
    return Draft(ev.TOOL_RESULT, {"message": tool_message(call_id, text, is_error=False)}, "append")


def shape(sent: list[dict[str, Any]]) -> list[str]:
    """The roles behind the system message, with the call of each result."""
    assert sent[0]["role"] == "system"
    return [f"tool:{found[0]}" if (found := tool_result_of(m)) else str(m.get("role")) for m in sent[1:]]


def check_pairs(sent: list[dict[str, Any]]) -> None:
    """Law 6, as strictly as the real API checks it."""
    ids: set[str] = set()
    due: list[str] = []
    for message in sent:
        found = tool_result_of(message) if message.get("role") == "tool" else None
        if found is not None:
            assert found[0] in due
            due.remove(found[0])
            continue
        assert due == [], "a call was not answered directly behind its message"
        for block in message.get("content") or ():
            if block.get("type") == "tool-call":
                assert block["id"] not in ids
                ids.add(block["id"])
                due.append(block["id"])
                assert isinstance(msgspec.json.decode(block["arguments"]), dict)
    assert due == []


@given(random_logs())
def test_whatever_the_log_holds_the_history_is_paired(events: list[Event]) -> None:
    check_pairs(messages(HISTORY.fold(events)))


def test_f02_arguments_that_are_no_object_are_sent_back_as_one() -> None:
    for bad in (
        '{"command": "git commit -m \\"x}',
        "null",
        "[]",
        '"str"',
        '{"a":1}{"a":1}',
        "",
        '{"a":"\x01"}',
        "[" * 9999,
    ):
        assert json_object(bad) == "{}"
    assert json_object('{ "a" : 1 }') == '{ "a" : 1 }'


def test_results_follow_their_call_in_front_of_what_came_between() -> None:
    sent = messages(fold(user("a"), assistant(call("x"), call("y")), user("steer"), result("y"), result("x")))
    assert shape(sent) == ["user", "assistant", "tool:y", "tool:x", "user"]


def test_a_call_without_a_result_gets_one_and_an_orphan_result_goes() -> None:
    sent = messages(fold(user("a"), result("ghost"), assistant(call("x")), assistant({"type": "text", "text": "b"})))
    assert shape(sent) == ["user", "assistant", "tool:x", "assistant"]
    assert text_of(sent[3]["content"]) == MISSING_RESULT


def test_an_id_that_comes_again_is_made_unique_with_its_result() -> None:
    sent = messages(fold(user("a"), assistant(call("x")), result("x", "1"), assistant(call("x")), result("x", "2")))
    assert shape(sent) == ["user", "assistant", "tool:x", "assistant", "tool:x_2"]


def test_f01_reasoning_goes_back_byte_for_byte_with_its_answer() -> None:
    reasoning = {"type": "reasoning", "text": "hm\u2028 \n"}
    said = {"type": "text", "text": "b"}
    sent = messages(fold(user("a"), assistant(reasoning, said), user("b"), assistant(reasoning, call("x"))))
    assert [block for m in sent for block in m["content"] if block["type"] == "reasoning"] == [reasoning, reasoning]


def test_f01_an_answer_cut_in_its_reasoning_is_not_sent() -> None:
    assert shape(messages(fold(user("a"), assistant({"type": "reasoning", "text": "h"}), user("b")))) == [
        "user",
        "user",
    ]


def test_a_replacing_message_stands_where_the_replaced_ones_stood() -> None:
    history = fold(user("a"), user("b"), user("c"), user("sum", "compact", Replace(0, 1)))
    assert [text_of(m["content"]) for m in messages(history)[1:]] == ["sum", "c"]


def test_the_request_is_a_function_of_the_log() -> None:
    selection = {"provider": "p", "model": "m", "reasoningEffort": "high"}
    drafts = [*opening_messages(fold(), "be good", "rules", 1), *header_drafts(fold(), selection, MODEL, [TOOL], 0)]
    history = fold(*drafts, user("hello"))
    request = build(history)
    assert [m["role"] for m in request.messages] == ["system", "user", "user"]
    assert (request.model, request.effort, request.max_tokens, list(request.tools)) == ("m", "high", 10, [TOOL])
    assert opening_messages(history, "be good", "rules", 2) == []
    assert header_drafts(history, selection, MODEL, [TOOL], 0) == []
    assert [d.type for d in header_drafts(history, {**selection, "model": "n"}, MODEL, [TOOL], 0)] == [
        ev.REQUEST_HEADER,
        ev.REQUEST_CONTEXT,
    ]


def test_the_surroundings_are_told_once_and_then_what_changed() -> None:
    first = context_message(fold(), {"Date": "monday", "Workspace": "/w"})
    assert len(first) == 1
    told = fold(*first)
    assert context_message(told, {"Date": "monday", "Workspace": "/w"}) == []
    (update,) = context_message(told, {"Date": "tuesday", "Workspace": "/w"})
    assert [section["name"] for section in update.data["source"]["sections"]] == ["Date"]
    assert "/w" not in text_of(update.data["content"])


def test_a_first_title_is_the_beginning_of_the_prompt() -> None:
    title = title_draft("  fix\n the   bug " + "x" * 99, 4)
    assert title is not None
    assert title.data["title"].startswith("fix the bug x")
    assert len(title.data["title"]) == 60
    assert title_draft(" \n", 4) is None


@given(random_logs())
def test_the_same_log_gives_the_same_history_to_the_last_id(events: list[Event]) -> None:
    history = HISTORY.fold(events)
    assert messages(history) == messages(history)


def test_what_fits_already_is_passed_through_uncopied() -> None:
    history = fold(system("s"), user("a"), assistant({"type": "text", "text": "b"}, call("x")), result("x"))
    assert all(sent is entry.message for sent, entry in zip(messages(history), history.entries, strict=True))


def test_the_bound_of_an_answer_leaves_room_for_what_is_sent() -> None:
    assert fitting_output(384_000, 1_000_000, 0) == 384_000
    assert fitting_output(384_000, 1_000_000, 500_000) == 384_000
    for projected in range(580_000, 1_000_000, 10_000):
        bound = fitting_output(384_000, 1_000_000, projected)
        assert bound == 4_096 or bound + projected <= 1_000_000


@pytest.mark.parametrize(
    ("logged", "sent"),
    [("read_file", "read_file"), ("", "unnamed"), ("functions.read", "functions_read"), ("é" * 99, "_" * 64)],
)
def test_f02_a_call_is_sent_back_under_a_name_that_a_tool_can_have(logged: str, sent: str) -> None:
    assert tool_name(logged) == sent


def test_reasoning_that_a_message_lost_is_taken_from_its_stream() -> None:
    said = {"message": {"content": [{"type": "text", "text": "b"}]}}
    stream = [{"type": "reasoning-chunks", "time0": 1, "index": 0, "dt": [1], "texts": ["h", "m"]}]
    (_, _, answer) = messages(fold(user("a"), Draft(ev.ASSISTANT_MESSAGE, {**said, "stream": stream}, "append")))
    assert answer["content"] == [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "b"}]


def test_who_speaks_is_a_matter_of_the_event_and_not_of_its_message() -> None:
    told = Draft(ev.USER_MESSAGE, {"role": "assistant", "content": [{"type": "text", "text": "a"}]}, "append")
    assert shape(messages(fold(system("s"), told))) == ["user"]


def test_a_system_message_is_never_replaced() -> None:
    history = fold(system("s"), user("a"), user("b"), user("sum", "compact", Replace(0, 2)))
    assert [text_of(m["content"]) for m in messages(history)] == ["s", "sum"]
