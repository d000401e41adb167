"""The mirror of a session: snapshot and tail, pages, what waits and runs, and what it refuses."""

from typing import Any, get_type_hints

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.forms import FORMS
from hd.protocol.projections.transcript import TRANSCRIPT
from htui.errors import ProtocolBroken, RemoteError
from htui.mirror import NOTHING, MirrorChange, PendingAsk, Phase, SessionMirror, Values, session
from htui.mirror.vocabulary import KNOWN
from tests.htui.mirror.walks import TURNS, Answer, Turns, page, record, snapshot, walk

PLAIN: Turns = [[2, 0], [1, 0]]


def mirror_of(*items: Any) -> SessionMirror:
    mirror = SessionMirror("session-1")
    mirror.fold(items)
    return mirror


@given(TURNS, st.booleans(), st.booleans(), st.lists(st.integers(0, 60), max_size=5))
def test_snapshot_tail_and_pages_give_the_rows_of_the_whole_log(
    turns: Turns, nested: bool, open_end: bool, cuts: list[int]
) -> None:
    events = walk(turns, nested, open_end)
    bounds = sorted({min(cut, len(events)) for cut in cuts} | {0, len(events)})
    end = bounds[-1] if len(bounds) < 3 else bounds[-2]
    starts = [bound for bound in bounds if bound < end]
    windows = [events[a:b] for a, b in zip(starts, [*starts[1:], end], strict=True)]
    last = windows[-1] if windows else []
    assume(not last or last[0].seq == 0 or any("turn" in event.data for event in last))
    mirror = mirror_of(snapshot(last, end - 1), *map(record, events[end:]))
    for window in reversed(windows[:-1]):
        assert mirror.has_more
        before = len(mirror.rows)
        change = mirror.prepend(page(window))
        assert len(mirror.rows) == before + change.prepended
    whole = TRANSCRIPT.fold(events)
    assert list(mirror.rows) == list(whole.rows)
    assert mirror.running == whole.running
    assert mirror.cursor == len(events) - 1


@given(TURNS, st.integers(0, 60), st.integers(0, 60))
def test_a_new_snapshot_of_the_same_log_keeps_the_older_pages_that_join(turns: Turns, at: int, window: int) -> None:
    events = walk(turns)
    before, start = events[: min(at, len(events))], min(window, len(events))
    mirror = mirror_of(snapshot(before))
    change = mirror.apply(snapshot(events[start:], len(events) - 1))
    assert change.replaced
    joins = before and 0 < start <= len(before)
    assert list(mirror.rows) == list(TRANSCRIPT.fold(events if joins else events[start:]).rows) or not joins
    assert mirror.first_seq == (0 if joins else start)


def test_a_snapshot_of_a_log_that_shrank_replaces_everything() -> None:
    events = walk(PLAIN)
    mirror = mirror_of(snapshot(events))
    mirror.apply(snapshot(events[3:9]))
    assert mirror.first_seq == 3
    assert mirror.cursor == 8


def test_a_change_names_the_first_row_that_is_another_one() -> None:
    events = walk([[2]])
    mirror = mirror_of(snapshot(events[:4]))
    changes = {event.type: mirror.apply(record(event)) for event in events[4:]}
    assert changes[ev.ASSISTANT_MESSAGE].first_row == 1
    assert changes[ev.TOOL_RESULT].first_row == 3, "the last result belongs to the first call"
    assert changes[ev.SESSION_TITLE] == NOTHING


def test_a_call_in_an_old_page_gets_the_result_that_is_shown_already() -> None:
    events = walk([[1]])
    cut = next(event.seq for event in events if event.type == ev.TOOL_RESULT)
    mirror = mirror_of(snapshot(events[cut:]))
    assert [row.name for row in mirror.rows if row.kind == "tool"] == ["tool"]
    change = mirror.prepend(page(events[:cut]))
    tools = [row for row in mirror.rows if row.kind == "tool"]
    assert [(row.name, row.status, row.text) for row in tools] == [("grep", "done", "found by call-1-1-0")]
    assert change.prepended == len(mirror.rows) - 1


def test_a_command_in_an_old_page_gets_what_it_said_that_is_shown_already() -> None:
    events = [
        Event(ev.COMMAND_RUN, 0, 1, {"commandId": "c", "name": "goal", "args": " reach it"}),
        Event(ev.COMMAND_RUN, 1, 2, {"commandId": "d", "name": "compact"}),
        Event(ev.COMMAND_DONE, 2, 3, {"commandId": "c", "kind": "success", "text": "The goal is set."}),
    ]
    mirror = mirror_of(snapshot(events[2:]))
    assert [(row.kind, row.name, row.text) for row in mirror.rows] == [("command", "", "The goal is set.")]
    mirror.prepend(page(events[:2]))
    mirror.apply(record(Event(ev.COMMAND_DONE, 3, 4, {"commandId": "d", "kind": "error", "text": "Busy."})))
    assert [(row.name, row.arguments, row.status, row.text) for row in mirror.rows] == [
        ("goal", "reach it", "done", "The goal is set."),
        ("compact", "", "failed", "Busy."),
    ]
    assert not mirror.running


def test_decisions_are_known_by_what_was_asked_also_over_a_new_snapshot() -> None:
    asked = [
        Event(ev.APPROVAL_ASKED, 0, 1, {"id": "a", "callId": "c"}),
        Event(ev.QUESTION_ASKED, 1, 1, {"id": "q", "callId": "d", "questions": [{"id": "1", "question": "?"}]}),
    ]
    decided = [
        Event(ev.APPROVAL_DECIDED, 2, 2, {"id": "a", "outcome": "rejected", "by": "phone"}),
        Event(ev.QUESTION_DECIDED, 3, 2, {"id": "q", "outcome": "answered", "answers": [{"selected": ["x"]}]}),
        Event(ev.APPROVAL_DECIDED, 4, 2, {"id": "unknown", "outcome": "rejected"}),
    ]
    mirror = mirror_of(snapshot(asked))
    assert mirror.decided == ()
    mirror.apply(snapshot([*asked, *decided]))
    first, second = mirror.decided
    approval = PendingAsk("e", "approval", "s", {"callId": "c"}, 0)
    question = PendingAsk("e", "question", "s", {"questions": [{"id": "1", "question": "?"}]}, 0)
    assert (first.outcome, first.by, first.seq) == ("rejected", "phone", 2)
    assert (second.outcome, second.by, second.answers) == ("answered", "", ({"selected": ["x"]},))
    assert [d.settles(approval) for d in mirror.decided] == [True, False]
    assert [d.settles(question) for d in mirror.decided] == [False, True]


def test_a_window_in_the_middle_of_a_turn_knows_that_it_runs() -> None:
    events = walk([[1], [2, 1]], open_end=True)
    mirror = mirror_of(snapshot(events[-4:]))
    assert mirror.running
    mirror.apply(record(Event(ev.TURN_END, len(events), 1, {"turn": 2, "reason": {"kind": "completed"}})))
    assert (mirror.running, mirror.phase) == (False, Phase())


def prompted() -> list[Event]:
    """A log that begins a second turn and ends with its prompt."""
    events = walk([[0], [0]])
    return events[: 1 + max(event.seq for event in events if event.type == ev.USER_MESSAGE)]


def test_a_window_without_the_name_of_its_turn_learns_it_from_the_answer() -> None:
    events = prompted()
    mirror, answer = mirror_of(snapshot(events[-1:])), Answer(events[-1].seq)
    assert not mirror.running
    started = answer.start()
    started["frame"]["turn"] = 2
    change = mirror.apply(started)
    assert (change.first_row, change.state) == (0, True)
    mirror.apply(answer.end())
    assert (mirror.running, mirror.phase.kind, mirror.rows[0].turn) == (True, "wait", 2)


def test_a_window_without_the_name_of_its_turn_learns_it_from_the_next_event() -> None:
    events = prompted()
    for kind, running in ((ev.STEP_START, True), (ev.TURN_END, False)):
        mirror = mirror_of(snapshot(events[-1:]))
        mirror.apply(record(Event(kind, len(events), 9, {"turn": 2, "reason": {"kind": "completed"}})))
        assert (mirror.running, mirror.rows[0].turn) == (running, 2)


def test_the_turn_of_an_event_of_an_unknown_kind_is_not_taken_for_that_of_the_window() -> None:
    strange = Event("somebody/elses", 0, 1, {"turn": 99}, ignorable=True)
    assert not mirror_of(snapshot([strange])).running


def test_a_window_without_the_name_of_its_turn_learns_it_from_an_older_page() -> None:
    events = prompted()
    mirror = mirror_of(snapshot(events[-1:]))
    mirror.prepend(page(events[:-1]))
    assert list(mirror.rows) == list(TRANSCRIPT.fold(events).rows)
    assert mirror.running


def test_a_window_without_the_name_of_its_turn_lies_in_the_turn_that_was_held() -> None:
    events = prompted()
    mirror = mirror_of(snapshot(events))
    mirror.apply(snapshot(events[-1:]))
    assert list(mirror.rows) == list(TRANSCRIPT.fold(events).rows)
    assert mirror.running


@pytest.mark.parametrize(
    ("upto", "kind", "name"),
    [
        (ev.TURN_START, "wait", ""),
        (ev.STEP_START, "wait", ""),
        (ev.ASSISTANT_MESSAGE, "wait", ""),
        (ev.TOOL_CALL, "tool", "grep"),
        (ev.TOOL_RESULT, "tool", "grep"),
        (ev.TURN_END, "idle", ""),
    ],
)
def test_the_phase_follows_the_log(upto: str, kind: str, name: str) -> None:
    events = walk([[2]])
    last = next(event for event in events if event.type == upto)
    for mirror in (
        mirror_of(snapshot(events[: last.seq + 1])),
        mirror_of(snapshot([]), *map(record, events[: last.seq + 1])),
    ):
        assert (mirror.phase.kind, mirror.phase.name) == (kind, name)


def test_a_retry_is_a_phase_of_its_own() -> None:
    events = walk([[0]])[:5]
    mirror = mirror_of(snapshot(events), record(Event(ev.LLM_RETRY, 5, 77, {"retry": 1})))
    assert mirror.phase == Phase("retry", "", 77)
    mirror.apply(record(Event(ev.LLM_RETRY_STARTED, 6, 99, {"retry": 1})))
    assert mirror.phase == Phase("wait", "", 99)


def test_unknown_events_are_counted_unless_they_may_be_ignored() -> None:
    strange = Event("somebody/elses", 0, 1, {})
    ignorable = Event("somebody/elses", 1, 1, {}, ignorable=True)
    mirror = mirror_of(snapshot([strange]), record(ignorable), record(Event("new/kind", 2, 1, {})))
    assert mirror.unknown == 2
    assert mirror.cursor == 2
    assert [(row.kind, row.level, row.text, row.seq) for row in mirror.rows] == [
        ("notice", "info", "An event of an unknown kind: somebody/elses", 0),
        ("notice", "info", "An event of an unknown kind: new/kind", 2),
    ]


@pytest.mark.parametrize("kind", sorted(TRANSCRIPT.handlers))
def test_an_event_that_cannot_be_read_is_told_and_the_log_goes_on(kind: str) -> None:
    data: dict[str, Any] = {key: [[7]] for key in get_type_hints(FORMS[kind])}
    said = {"message": {"content": [{"type": "text", "text": "goes on"}]}}
    damaged = Event(kind, 0, 1, data)
    mirror = mirror_of(snapshot([damaged]), record(Event(ev.ASSISTANT_MESSAGE, 1, 2, said)))
    assert [row.text for row in mirror.rows][-2:] == [f"An event that cannot be read whole: {kind}", "goes on"]
    assert mirror.unknown == 0


def test_every_event_of_the_protocol_is_known() -> None:
    names = {value for name, value in vars(ev).items() if name.isupper() and isinstance(value, str)}
    assert ev.TURN_START in names
    assert names <= KNOWN


def test_projection_values_are_those_of_the_host_by_the_watermark() -> None:
    values = Values()
    values.put("title", "newer", 99)
    mirror = SessionMirror("session-1", values)
    change = mirror.apply(
        snapshot(walk([[0]]), projections={"asOfSeq": 5, "values": {"title": "older", "todos": None}})
    )
    assert change.keys == {"todos"}
    assert mirror.value("title") == "newer"
    assert mirror.value("nothing") is None


def test_a_failure_is_told_once_and_goes_with_a_snapshot() -> None:
    mirror = SessionMirror("session-1")
    error = RemoteError("session/not-found", "gone")
    assert mirror.fail(error) == MirrorChange(state=True)
    assert mirror.fail(error) == NOTHING
    mirror.apply(snapshot([]))
    assert mirror.failure is None


@pytest.mark.parametrize(
    "item",
    [
        None,
        {},
        {"type": "new-frame"},
        {"type": "event"},
        {"type": "event", "event": {"type": "turn/start"}},
        {"type": "event", "event": {"type": "turn/start", "seq": "0"}},
        {"type": "event", "event": {"type": "turn/start", "seq": 1}},
        {"type": "assistant-stream"},
        {"type": "assistant-stream", "frame": {"type": "start"}},
        {"type": "chunks", "event": {}},
        {**snapshot([]), "cursor": None},
        {**snapshot([]), "hasMore": None},
        {**snapshot([]), "records": None},
        {**snapshot([]), "records": [{"type": "strange"}]},
        {**snapshot([]), "header": None},
        {**snapshot(walk([[0]])), "cursor": 1},
        {**snapshot([]), "assistantStream": {"revision": None}},
        {**snapshot([]), "assistantStream": {"revision": 1, "activeAttempt": {"attemptId": "a", "stream": [{}]}}},
        snapshot([event for event in walk([[0]]) if event.seq != 2]),
    ],
)
def test_what_breaks_a_rule_is_refused(item: Any) -> None:
    mirror = mirror_of(snapshot([]))
    with pytest.raises(ProtocolBroken):
        mirror.apply(item)


def test_nothing_comes_before_the_snapshot() -> None:
    with pytest.raises(ProtocolBroken):
        SessionMirror("session-1").apply(record(walk([[0]])[0]))


@pytest.mark.parametrize("first", [0, 2])
def test_a_page_must_join_below_what_is_held(first: int) -> None:
    events = walk(PLAIN)
    mirror = mirror_of(snapshot(events[10:]))
    with pytest.raises(ProtocolBroken):
        mirror.prepend(page(events[first:9]))
    with pytest.raises(ProtocolBroken):
        mirror.prepend({"records": [], "hasMore": True})
    mirror.prepend({"records": [], "hasMore": False})
    assert not mirror.has_more


def test_t5_the_older_half_of_a_long_session_is_let_go_and_can_be_had_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MOST_ROWS", 40)
    events = walk([[1]] * 40)
    whole, mirror = mirror_of(snapshot(events)), mirror_of(snapshot(events))
    assert mirror.trim().replaced
    kept = len(mirror.rows)
    assert kept <= 40
    assert (mirror.has_more, mirror.rows[0].kind, mirror.rows[0].seq) == (True, "user", mirror.first_seq)
    assert [row.text for row in mirror.rows] == [row.text for row in whole.rows][-kept:]
    assert not mirror.trim().replaced
    more = walk([[1]] * 41)[len(events) :]
    for event in more:
        mirror.apply(record(event))
    front = [event for event in events if event.seq < mirror.first_seq]
    mirror.prepend({"records": [record(event) for event in front], "hasMore": False})
    for event in more:
        whole.apply(record(event))
    assert [(row.key, row.text, row.status) for row in mirror.rows] == [
        (row.key, row.text, row.status) for row in whole.rows
    ]


def test_t5_a_call_that_still_runs_is_not_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MOST_ROWS", 4)
    events = walk([[1]])
    call = next(event for event in events if event.type == ev.TOOL_CALL)
    prompts = [
        Event(
            ev.USER_MESSAGE,
            call.seq + 1 + n,
            1,
            {"role": "user", "content": [{"type": "text", "text": f"p{n}"}], "source": {"kind": "user"}},
            "append",
        )
        for n in range(9)
    ]
    mirror = mirror_of(snapshot([*events[: call.seq + 1], *prompts]))
    before = len(mirror.rows)
    assert not mirror.trim().replaced
    assert len(mirror.rows) == before
