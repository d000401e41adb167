"""What a killed daemon left open is closed, and nothing is run again."""

from typing import Any

from hypothesis import given

from hd.agent.history import HISTORY, messages
from hd.protocol import events as ev
from hd.protocol.events import Draft, Event
from hd.protocol.messages import tool_message
from hd.protocol.projections import DAEMON, State
from hd.protocol.projections.transcript import TRANSCRIPT
from hd.session.repair import STOPPED, close, needs_repair, repair
from tests.agent.test_history import check_pairs
from tests.support.logs import random_logs

CALL = {"type": "tool-call", "id": "c", "name": "run_command", "arguments": "{}"}
OTHER = {"type": "tool-call", "id": "d", "name": "grep", "arguments": "{}"}
STREAM = [{"type": "text-chunks", "time0": 5, "index": 0, "dt": [], "texts": ["half an ans"]}]


def state_of(*drafts: tuple[str, dict[str, Any]]) -> State:
    return fold([Event(kind, seq, seq, data, "append") for seq, (kind, data) in enumerate(drafts)])


def fold(events: list[Event]) -> State:
    return State.initial((*DAEMON, HISTORY, TRANSCRIPT)).fold(events)


def apply(state: State, drafts: list[Draft]) -> State:
    first = state.seq + 1
    return state.fold(Event(d.type, first + n, 9, d.data, d.surface, d.sources) for n, d in enumerate(drafts))


def kinds(drafts: list[Draft]) -> list[str]:
    return [draft.type for draft in drafts]


OPEN = (
    (ev.TURN_START, {"turn": 1}),
    (ev.STEP_START, {"turn": 1, "step": 1}),
)


def test_a_closed_log_needs_nothing() -> None:
    state = state_of(*OPEN, (ev.TURN_END, {"turn": 1, "reason": {"kind": "completed"}}))
    assert not needs_repair(state)
    assert repair(state, None, "p", "m") == []


def test_the_kept_part_of_an_answer_becomes_an_interrupted_message() -> None:
    drafts = repair(state_of(*OPEN), {"turn": 1, "step": 1, "stream": STREAM}, "p", "m")
    assert kinds(drafts) == [ev.ASSISTANT_MESSAGE, ev.STEP_END, ev.TURN_END]
    assert drafts[0].data["interrupted"] is True
    assert drafts[0].data["message"]["content"] == [{"type": "text", "text": "half an ans"}]
    assert drafts[-1].data["reason"] == {"kind": "interrupted"}


def test_a_kept_part_of_another_step_is_not_used() -> None:
    drafts = repair(state_of(*OPEN), {"turn": 1, "step": 2, "stream": STREAM}, "p", "m")
    assert kinds(drafts) == [ev.STEP_END, ev.TURN_END]


def test_i11_open_calls_get_an_answer_that_says_whether_they_began() -> None:
    answered = (
        ev.ASSISTANT_MESSAGE,
        {"turn": 1, "step": 1, "message": {"role": "assistant", "content": [CALL, OTHER]}},
    )
    state = state_of(*OPEN, answered, (ev.TOOL_CALL, {"callId": "c", "name": "run_command"}))
    drafts = repair(state, None, "p", "m")
    assert kinds(drafts) == [ev.TOOL_RESULT, ev.TOOL_RESULT, ev.STEP_END, ev.TURN_END]
    first, second = drafts[0], drafts[1]
    assert "whether it took effect is unknown" in first.data["message"]["content"][0]["text"]
    assert "was not run" in second.data["message"]["content"][0]["text"]
    assert (first.sources, second.sources) == ((3,), ())


def test_e05_what_waited_for_a_person_is_void() -> None:
    asked = (ev.APPROVAL_ASKED, {"id": "a", "toolName": "x", "callId": "c"})
    drafts = repair(state_of(*OPEN, asked, (ev.QUESTION_ASKED, {"id": "q", "questions": []})), None, "p", "m")
    assert [(d.type, d.data) for d in drafts[:2]] == [
        (ev.APPROVAL_DECIDED, {"id": "a", "outcome": "unavailable"}),
        (ev.QUESTION_DECIDED, {"id": "q", "outcome": "unavailable"}),
    ]


def test_i11_a_command_and_its_compaction_end_as_failed_though_no_turn_ran() -> None:
    where = {"compactionId": "k", "sourceCommandId": "cmd", "turn": None}
    state = state_of(
        (ev.COMMAND_RUN, {"commandId": "cmd", "name": "compact", "args": "", "source": {"kind": "user"}}),
        (ev.COMPACTION_START, {**where, "instruction": "Sum it up."}),
    )
    assert needs_repair(state)
    (end, done) = repair(state, None, "p", "m")
    assert (end.type, end.data) == (ev.COMPACTION_END, {**where, "error": {"message": "the daemon stopped"}})
    assert (done.type, done.data["commandId"], done.data["kind"]) == (ev.COMMAND_DONE, "cmd", "error")
    repaired = apply(state, [end, done])
    assert not needs_repair(repaired)
    assert repaired.values["transcript"].rows[0].status == "failed"


@given(random_logs())
def test_whatever_was_open_is_closed_once(events: list[Event]) -> None:
    before = fold(events)
    repaired = apply(before, repair(before, None, "p", "m"))
    assert not needs_repair(repaired)
    assert repair(repaired, None, "p", "m") == []
    turn = before.values["turn"]
    assert repaired.values["turn"].calls == (() if turn.running else turn.calls)
    check_pairs(messages(repaired.values["history"]))


def test_a_stop_by_a_person_reads_differently() -> None:
    drafts = close(state_of(*OPEN), STOPPED)
    assert drafts[-1].data["reason"] == {"kind": "aborted", "reason": {"kind": "user"}}
    assert tool_message("x", "", is_error=True)["isError"] is True
