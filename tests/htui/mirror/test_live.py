"""The running answer: its rows, its phase, and that it is never shown beside its durable rows."""

from typing import Any

import pytest

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.stream import Packer
from htui.errors import ProtocolBroken
from htui.mirror import MirrorChange, Phase, SessionMirror
from tests.htui.mirror.walks import Answer, record, snapshot, walk

BEFORE = walk([[0]])[:5]
AT = BEFORE[-1].seq


def started() -> tuple[SessionMirror, Answer]:
    mirror, answer = SessionMirror("session-1"), Answer(AT)
    mirror.fold([snapshot(BEFORE), answer.start()])
    return mirror, answer


def message(seq: int = AT + 1) -> dict[str, Any]:
    content = [{"type": "text", "text": "done"}]
    return record(Event(ev.ASSISTANT_MESSAGE, seq, 99, {"turn": 1, "message": {"content": content}}, "append"))


def test_the_blocks_of_a_running_answer_are_rows() -> None:
    mirror, answer = started()
    assert mirror.running
    assert not mirror.live
    mirror.fold(
        [
            answer.chunk("block-start", index=0, blockType="reasoning"),
            answer.chunk("reasoning-delta", 10, index=0, text="let me "),
            answer.chunk("reasoning-delta", 11, index=0, text="see"),
            answer.text("Here ", 1, 20),
            answer.chunk("tool-call-delta", 30, index=2, id="c1", name="grep", argumentsDelta='{"pattern"'),
        ]
    )
    assert [(row.key, row.kind, row.text or row.arguments, row.time) for row in mirror.live] == [
        ("live.session-1:1.0", "reasoning", "let me see", 10),
        ("live.session-1:1.1", "assistant", "Here ", 20),
        ("live.session-1:1.2", "tool", '{"pattern"', 30),
    ]
    assert (mirror.live[2].name, mirror.live[2].call_id, mirror.live[2].status) == ("grep", "c1", "running")


def test_the_phase_is_what_the_model_does_since_when() -> None:
    mirror, answer = started()
    assert mirror.phase.kind == "wait"
    mirror.apply(answer.chunk("reasoning-delta", 10, index=0, text="a"))
    mirror.apply(answer.chunk("reasoning-delta", 15, index=0, text="b"))
    assert mirror.phase == Phase("think", "", 10)
    mirror.apply(answer.text("c", 1, 20))
    assert mirror.phase == Phase("write", "", 20)
    mirror.apply(answer.chunk("tool-call-delta", 30, index=2, id="c1", name="grep", argumentsDelta=""))
    assert mirror.phase == Phase("tool", "grep", 30)


def test_a_delta_that_only_grows_a_text_is_told_as_such() -> None:
    mirror, answer = started()
    assert mirror.apply(answer.text("a")).state
    assert mirror.apply(answer.text("b")) == MirrorChange(live=True)


def test_the_provisional_rows_go_with_the_durable_event_and_stay_away() -> None:
    mirror, answer = started()
    mirror.apply(answer.text("do"))
    change = mirror.apply(message())
    assert change.live
    assert change.first_row == 1
    assert not mirror.live
    assert [row.text for row in mirror.rows][-1] == "done"
    mirror.apply(answer.text("late"))
    assert not mirror.live
    mirror.apply(answer.end(kind="committed", eventType=ev.ASSISTANT_MESSAGE, seq=AT + 1))
    assert not mirror.live
    assert mirror.running


def test_an_abandoned_answer_goes_with_its_end() -> None:
    mirror, answer = started()
    mirror.apply(answer.text("do"))
    assert mirror.apply(answer.end()).live
    assert not mirror.live


def test_a_failed_attempt_goes_and_the_next_one_is_shown() -> None:
    mirror, answer = started()
    mirror.apply(answer.text("half"))
    mirror.apply(record(Event(ev.ASSISTANT_ATTEMPT, AT + 1, 9, {"turn": 1, "step": 1, "stream": []})))
    assert not mirror.live
    mirror.apply(answer.end())
    second = Answer(AT + 1, answer.revision, "session-1:2")
    mirror.fold([second.start(), second.text("whole")])
    assert [row.key for row in mirror.live] == ["live.session-1:2.0"]


def test_a_snapshot_in_the_middle_of_an_answer_goes_on_where_it_was() -> None:
    packer = Packer()
    chunks = [("a", 5), ("b", 6), ("c", 9)]
    for text, time in chunks:
        packer.add(time, {"type": "text-delta", "index": 0, "text": text})
    active = {"attemptId": "session-1:1", "startedAfterSeq": AT, "turn": 1, "nextIndex": 3, "stream": packer.rows()}
    mirror = SessionMirror("session-1")
    mirror.apply(snapshot(BEFORE, assistantStream={"revision": 4, "activeAttempt": active}))
    assert [(row.text, row.time) for row in mirror.live] == [("abc", 5)]
    answer = Answer(AT, 4)
    answer.index = 3
    mirror.apply(answer.text("d"))
    assert mirror.live[0].text == "abcd"
    assert mirror.phase == Phase("write", "", 5)


def test_an_answer_that_is_recorded_and_still_named_as_running_is_shown_once() -> None:
    recorded = Event(
        ev.ASSISTANT_MESSAGE, AT + 1, 99, {"turn": 1, "message": {"content": [{"type": "text", "text": "a"}]}}
    )
    packer = Packer()
    packer.add(5, {"type": "text-delta", "index": 0, "text": "a"})
    active = {"attemptId": "session-1:1", "startedAfterSeq": AT, "turn": 1, "nextIndex": 1, "stream": packer.rows()}
    mirror, answer = SessionMirror("session-1"), Answer(AT, 2)
    mirror.apply(snapshot([*BEFORE, recorded], assistantStream={"revision": 2, "activeAttempt": active}))
    assert not mirror.live
    assert [row.text for row in mirror.rows if row.kind == "assistant"] == ["a"]
    answer.index = 1
    mirror.apply(answer.end(kind="committed", eventType=ev.ASSISTANT_MESSAGE, seq=AT + 1))
    assert mirror.running, "its end is the one that was due"


def test_a_host_that_tells_no_revision_may_begin_anywhere() -> None:
    first = snapshot(BEFORE)
    del first["assistantStream"]
    mirror, answer = SessionMirror("session-1"), Answer(AT, 41)
    mirror.fold([first, answer.start(), answer.text("x")])
    assert mirror.live[0].text == "x"


@pytest.mark.parametrize(
    "frame",
    [
        {"revision": 3},
        {"revision": 1},
        {"revision": None},
        {"revision": True},
        {"index": 1},
        {"index": None},
        {"attemptId": "another"},
        {"type": "strange"},
        {"chunk": None},
        {"chunk": {"type": "text-delta"}},
        {"type": "end", "index": 3},
    ],
)
def test_a_frame_that_breaks_the_numbering_is_refused(frame: dict[str, Any]) -> None:
    mirror, answer = started()
    right = answer.text("x")
    with pytest.raises(ProtocolBroken):
        mirror.apply({**right, "frame": {**right["frame"], **frame}})
