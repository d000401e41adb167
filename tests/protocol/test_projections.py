"""The laws of every projection, by hypothesis, and what each of them shows."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hd.agent.history import HISTORY
from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.messages import tool_message
from hd.protocol.projections import CLIENT, DAEMON, PUBLIC, State, outline
from hd.protocol.projections.asks import ASKS
from hd.protocol.projections.figures import SESSION_STATS, TOKEN_USAGE
from hd.protocol.projections.inbox import INBOX, REQUESTS, queue_items
from hd.protocol.projections.outline import TURN_OUTLINE
from hd.protocol.projections.small import MODEL_SELECTION, PERMISSIONS, SESSION_LIST_METADATA, TITLE, TODOS
from hd.protocol.projections.transcript import TRANSCRIPT
from hd.protocol.projections.turn import TURN
from tests.support.logs import random_logs

EVERY = {p.key: p for p in (*DAEMON, *CLIENT, HISTORY)}


def log(*drafts: tuple[str, dict[str, Any]]) -> list[Event]:
    appended = {ev.USER_MESSAGE, ev.ASSISTANT_MESSAGE, ev.TOOL_RESULT}
    return [
        Event(kind, seq, 1000 + 10 * seq, data, "append" if kind in appended else None)
        for seq, (kind, data) in enumerate(drafts)
    ]


def said(text: str, **more: Any) -> tuple[str, dict[str, Any]]:
    content = [{"type": "text", "text": text}]
    return ev.ASSISTANT_MESSAGE, {"turn": 1, "step": 1, "message": {"content": content}, **more}


def prompted(text: str, request_id: str = "r1") -> tuple[str, dict[str, Any]]:
    source = {"kind": "user", "rpcId": request_id}
    return ev.USER_MESSAGE, {"content": [{"type": "text", "text": text}], "source": source, "role": "user", "id": "m1"}


# Making up a log takes longer than all of its folds, so each log is one of every projection.


@given(events=random_logs(), data=st.data())
@settings(max_examples=300)
def test_snapshot_and_tail_give_the_whole_log(events: list[Event], data: Any) -> None:
    check_cut(events, data.draw(st.integers(0, len(events))))


@pytest.mark.long
@given(events=random_logs(), data=st.data())
@settings(max_examples=5_000)
def test_snapshot_and_tail_give_the_whole_log_of_thousands(events: list[Event], data: Any) -> None:
    check_cut(events, data.draw(st.integers(0, len(events))))


def check_cut(events: list[Event], cut: int) -> None:
    for key, projection in EVERY.items():
        snapshot = projection.fold(events[:cut])
        assert projection.fold(events[cut:], snapshot) == projection.fold(events), key


@given(events=random_logs())
@settings(max_examples=300)
def test_an_event_of_somebody_else_changes_nothing(events: list[Event]) -> None:
    check_steps(events)


@pytest.mark.long
@given(events=random_logs())
@settings(max_examples=5_000)
def test_an_event_of_somebody_else_changes_nothing_in_thousands_of_logs(events: list[Event]) -> None:
    check_steps(events)


def check_steps(events: list[Event]) -> None:
    """One event after the other, which is the same as all of them at once."""
    for key, projection in EVERY.items():
        state = projection.initial
        for event in events:
            before, state = state, projection.apply(state, event)
            if event.type not in projection.handlers:
                assert state is before, (key, event.type)
        assert projection.fold(events) == state, key


@given(events=random_logs())
def test_the_values_are_json_and_equal_after_a_trip_over_the_wire(events: list[Event]) -> None:
    state = State.initial(PUBLIC).fold(events)
    values = msgspec.json.decode(msgspec.json.encode(state.views()))
    travelled = [Event.from_wire(msgspec.json.decode(msgspec.json.encode(event.to_wire()))) for event in events]
    assert travelled == events
    assert State.initial(PUBLIC).fold(travelled).views() == values


@given(events=random_logs())
def test_the_keys_that_changed_are_exactly_those_with_another_object(events: list[Event]) -> None:
    state = State.initial(DAEMON)
    for event in events:
        new, changed = state.apply(event)
        assert {key for key in new.values if new.values[key] is not state.values[key]} == set(changed)
        assert new.seq == event.seq
        state = new


def test_a_title_that_a_person_gave_is_not_replaced_by_a_generated_one() -> None:
    def titled(title: str, kind: str) -> tuple[str, dict[str, Any]]:
        return ev.SESSION_TITLE, {"title": title, "source": {"kind": kind}}

    assert TITLE.fold(log(titled("a", "fallback"), titled("b", "provider"))).text == "b"
    assert TITLE.fold(log(titled("mine", "user"), titled("b", "provider"))).text == "mine"
    assert TITLE.fold(log(titled("mine", "user"), titled("new", "user"))).text == "new"


def test_the_inbox_follows_splices_and_reads_as_a_queue() -> None:
    def item(name: str, kind: str = "user") -> dict[str, Any]:
        return {"id": name, "content": [], "source": {"kind": kind, "rpcId": f"r-{name}"}}

    def splice(**data: Any) -> tuple[str, dict[str, Any]]:
        return ev.AGENT_INBOX_SPLICED, data

    events = log(
        splice(target="next-turn", start=0, inserted=[item("a")]),
        splice(target="next-turn", start=1, inserted=[item("b")]),
        splice(target="next-step", start=0, inserted=[item("s"), item("c", "plugin")]),
        splice(target="next-turn", start=0, removedCount=1, inserted=[]),
    )
    value = INBOX.view(INBOX.fold(events)) if INBOX.view else {}
    assert [m["id"] for m in value["next-turn"]] == ["b"]
    assert [(i["id"], i["placement"]) for i in queue_items(value)] == [
        ("b", "queued"),
        ("s", "steering"),
        ("c", "context"),
    ]
    assert list(REQUESTS.fold(events)) == ["r-a", "r-b", "r-s", "r-c"]


def test_usage_adds_up() -> None:
    usage = {"inputTokens": 10, "cacheReadTokens": 90, "cacheWriteTokens": 0, "outputTokens": 5}
    total = TOKEN_USAGE.fold(log(said("hello", usage=usage), said("again", usage=usage)))
    assert (total.uncached, total.cache_read, total.output) == (20, 180, 10)


def test_statistics_measure_the_model_the_tools_and_the_first_token() -> None:
    stream = [{"type": "text-chunks", "time0": 1013, "index": 0, "dt": [], "texts": ["a"]}]
    events = log(
        (ev.TURN_START, {"turn": 1}),
        (ev.STEP_START, {"turn": 1, "step": 1}),
        said("a", stream=stream, usage={"outputTokens": 7}),
        (ev.TOOL_CALL, {"callId": "c", "name": "grep"}),
        (ev.TOOL_RESULT, {"message": tool_message("c", "", is_error=False)}),
        (ev.STEP_END, {"turn": 1, "step": 1}),
        (ev.STEP_START, {"turn": 1, "step": 2}),
        (ev.STEP_END, {"turn": 1, "step": 2}),
    )
    stats = SESSION_STATS.fold(events)
    assert (stats.turns, stats.steps, stats.llm_ms, stats.tool_ms) == (1, 2, 10, 10)
    assert (stats.ttft_ms, stats.ttft_steps, stats.decode_ms, stats.decode_tokens) == (3, 1, 7, 7)


def test_the_outline_has_a_line_a_turn() -> None:
    events = log(
        (ev.TURN_START, {"turn": 1}),
        prompted("find\n  it"),
        said("first"),
        said("last"),
        (ev.TURN_END, {"turn": 1, "reason": {"kind": "completed"}}),
        (ev.TURN_START, {"turn": 2}),
    )
    view = TURN_OUTLINE.view
    assert view is not None
    assert view(TURN_OUTLINE.fold(events)) == [
        {"turn": 1, "seq": 0, "prompt": "find it", "response": "last"},
        {"turn": 2, "seq": 5, "prompt": "", "response": ""},
    ]


@given(
    st.integers(0, 3 * outline.MOST_TURNS),
    st.sampled_from(["a", "\U0001f600", '"', "\x07"]),
    st.integers(0, 2 * outline.SHORT),
)
def test_the_outline_is_bounded_and_keeps_the_newest_turns(turns: int, letter: str, length: int) -> None:
    events = log(
        *(
            made
            for turn in range(1, turns + 1)
            for made in (
                (ev.TURN_START, {"turn": turn}),
                prompted(letter * length),
                said(letter * length),
                (ev.TURN_END, {"turn": turn, "reason": {"kind": "completed"}}),
            )
        )
    )
    state = TURN_OUTLINE.fold(events)
    view = TURN_OUTLINE.view
    assert view is not None
    rows = view(state)
    assert len(state.turns) <= outline.MOST_TURNS
    assert len(msgspec.json.encode(rows)) <= outline.MOST_BYTES
    assert [row["turn"] for row in rows] == list(range(turns - len(rows) + 1, turns + 1))
    if turns:
        assert rows


def test_asks_wait_until_they_are_decided_or_the_turn_ends() -> None:
    events = log(
        (ev.APPROVAL_ASKED, {"id": "a", "toolName": "delete_file", "callId": "c"}),
        (ev.QUESTION_ASKED, {"id": "q", "callId": "d", "questions": [{"id": "1", "question": "?"}]}),
        (ev.APPROVAL_DECIDED, {"id": "a", "outcome": "rejected"}),
        (ev.TURN_END, {"turn": 1, "reason": {"kind": "aborted"}}),
    )
    assert [ask.id for ask in ASKS.fold(events[:2])] == ["a", "q"]
    view = ASKS.view
    assert view is not None
    assert view(ASKS.fold(events[:3])) == [
        {"id": "q", "kind": "question", "since": 1010, "callId": "d", "questions": [{"id": "1", "question": "?"}]}
    ]
    assert ASKS.fold(events) == ()


def test_the_small_ones_show_what_was_last_set() -> None:
    events = log(
        (ev.PERMISSION_PRESET, {"preset": "read-only"}),
        (ev.TODO_WRITE, {"todos": [{"content": "a", "status": "pending"}]}),
        (ev.REQUEST_HEADER, {"header": {"config": {"provider": "p", "model": "m", "maxTokens": 9}}}),
        (ev.MODEL_SELECTION, {"provider": "p", "model": "n", "reasoningEffort": "high"}),
        (ev.TURN_START, {"turn": 1}),
        prompted("x"),
    )
    values = State.initial((PERMISSIONS, TODOS, MODEL_SELECTION, SESSION_LIST_METADATA)).fold(events).views()
    assert values["permissions"]["currentValue"] == "read-only"
    assert {option["value"] for option in values["permissions"]["options"]} >= {"read-only", "workspace-write"}
    assert values["todos"] == [{"content": "a", "status": "pending"}]
    assert values["modelSelection"] == {
        "lastUsed": {"provider": "p", "model": "m"},
        "next": {"provider": "p", "model": "n", "reasoningEffort": "high"},
    }
    assert values["sessionListMetadata"] == {"blank": False, "lastPromptAt": 1050}


@pytest.mark.parametrize("nested", [True, False], ids=["0.1.5", "0.2"])
def test_a_tool_row_is_updated_where_it_stands(nested: bool) -> None:
    call = {"type": "tool-call", "id": "c", "name": "grep", "arguments": '{"pattern":"x"}'}
    message = tool_message("c", "3 hits", is_error=False)
    if nested:
        block = {"type": "tool-result", "toolCallId": "c", "content": [{"type": "text", "text": "3 hits"}]}
        message = {"role": "user", "source": {"kind": "tool", "callId": "c"}, "content": [block]}
    events = log(
        (ev.ASSISTANT_MESSAGE, {"turn": 1, "step": 1, "message": {"content": [call]}}),
        prompted("steer"),
        (ev.TOOL_RESULT, {"turn": 1, "step": 1, "message": message}),
    )
    before, after = TRANSCRIPT.fold(events[:2]), TRANSCRIPT.fold(events)
    assert [(row.kind, row.status) for row in before.rows] == [("tool", "running"), ("user", "done")]
    assert [(row.kind, row.status, row.text) for row in after.rows] == [
        ("tool", "done", "3 hits"),
        ("user", "done", "steer"),
    ]
    assert before.rows[0].key == after.rows[0].key
    assert not after.open_calls


def test_the_turn_knows_what_is_open() -> None:
    call = {"type": "tool-call", "id": "c", "name": "grep", "arguments": "{}"}
    other = {"type": "tool-call", "id": "d", "name": "grep", "arguments": "{}"}
    events = log(
        (ev.TURN_START, {"turn": 3}),
        (ev.STEP_START, {"turn": 3, "step": 1}),
        (ev.ASSISTANT_MESSAGE, {"turn": 3, "step": 1, "message": {"content": [call, other]}}),
        (ev.TOOL_CALL, {"callId": "c", "name": "grep"}),
        (ev.TOOL_RESULT, {"message": tool_message("c", "", is_error=False)}),
    )
    begun = TURN.fold(events[:4])
    assert [(open_call.call_id, open_call.seq) for open_call in begun.calls] == [("c", 3), ("d", None)]
    assert [open_call.call_id for open_call in TURN.fold(events).calls] == ["d"]
    assert (begun.number, begun.step, begun.running, begun.answered) == (3, 1, True, True)
