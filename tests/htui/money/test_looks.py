"""Which sessions are read, from where a log is asked for, and how its end is found."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htui.errors import ProtocolBroken
from htui.money.looks import Listed, Mark, due, in_window, listed
from htui.money.reading import MESSAGES, End, reading
from tests.htui.mirror.walks import page, walk
from tests.pricing.moments import beijing

NOW = beijing(2026, 10, 14, 12)
EVENTS = walk([[2, 0, 1], [0], [3]])


def row(session_id: str, as_of: int = 5, **more: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "updatedAt": NOW, "projections": {"asOfSeq": as_of, "values": {}}, **more}


def names(rows: list[Listed]) -> list[str]:
    return [one.session_id for one in rows]


def test_rows_that_changed_run_or_stirred_are_due() -> None:
    rows = listed({"items": [row("same"), row("grown", 6), row("runs", running=True), row("stirred"), row("new"), 7]})
    marks = {known: Mark(NOW, 5, False) for known in ("same", "grown", "stirred")} | {"runs": rows[2].mark}
    assert names(due(rows, marks, {"stirred", "gone"})) == ["grown", "runs", "stirred", "new"]
    assert listed(None) == listed({"items": None}) == []


def test_the_window_keeps_what_was_used_runs_or_is_in_sight() -> None:
    old = NOW - 61 * 86_400_000
    rows = listed(
        {
            "items": [
                row("new"),
                row("old", updatedAt=old),
                row("seen", updatedAt=old),
                row("runs", updatedAt=old, running=True),
                row("untold", updatedAt=None),
            ]
        }
    )
    assert names(in_window(rows, "seen", NOW)) == ["new", "seen", "runs", "untold"]


@given(st.integers(0, 3000), st.integers(0, 3000), st.booleans())
def test_the_end_is_found_in_few_questions(sure: int, more: int, gives_less: bool) -> None:
    last, end, asked = sure + more, End(sure), 0
    while (probe := end.probe) is not None:
        asked += 1
        assert probe > sure
        if probe <= last or gives_less:
            seq = min(probe, last)
            event = {"type": "turn/start", "seq": seq, "time": 1, "data": {}}
            end = end.found(probe, {"records": [{"type": "event", "event": event}], "hasMore": True})
        else:
            end = end.refused(probe)
    assert end.sure == last
    assert asked <= 1 + 2 * (more + 1).bit_length()


@given(st.integers(-1, len(EVENTS) - 1), st.lists(st.integers(1, 9), min_size=1))
def test_a_reading_goes_down_to_what_is_known(seen: int, sizes: list[int]) -> None:
    end = len(EVENTS) - 1
    now, turn = reading(end, seen), 0
    while not now.joined:
        request = now.request()
        assert 1 <= request["maxMessages"] <= MESSAGES
        above = request.get("beforeSeq", end + 1)
        start = max(0, above - sizes[turn % len(sizes)])
        now, turn = now.page(page(EVENTS[start:above])), turn + 1
    expected = [event.seq for event in EVENTS[seen + 1 :] if event.type == "assistant/message"]
    assert [event.seq for event in now.events()] == expected


@pytest.mark.parametrize(
    "answer", [page(EVENTS[2:5]), {"records": [], "hasMore": True}, {"records": [], "hasMore": False}, None, {}]
)
def test_a_page_that_does_not_join_breaks_the_reading(answer: Any) -> None:
    with pytest.raises(ProtocolBroken):
        reading(8, 2).page(answer)
