"""When a line counts as slow, and that the questions by which it is measured cost and break nothing (row X13)."""

from hypothesis import given
from hypothesis import strategies as st

from htui.pace import FRAME_S, SLOW_FRAME_S, Pace, wish_of
from htui.paint.keyboard import ANSWER, PASTE_END, PASTE_START, Input, Splitter
from htui.paint.latency import Latency


def answered(latency: Latency, *took: float) -> Latency:
    now = 100.0
    for seconds in took:
        now += 2
        if latency.due(now):
            latency.asked(now)
            assert latency.waiting(now + seconds / 2)
            latency.answered(now + seconds)
        now += seconds
    return latency


def test_x13_a_line_is_slow_when_answers_come_late_and_not_for_one_of_them() -> None:
    assert not answered(Latency(), 0.01, 0.9, 0.01).slow
    assert answered(Latency(), 0.01, 0.9, 0.8).slow
    assert answered(Latency(), 0.9, 0.9, 0.2, 0.3, 0.2, 0.4).slow
    assert not answered(Latency(), 0.9, 0.9, 0.2, 0.3, 0.2, 0.3, 0.1).slow
    assert not answered(Latency(), 0.5, 0.5, 0.5).slow


def test_x13_a_terminal_that_never_answers_is_not_asked_for_ever() -> None:
    latency, asked = Latency(), 0
    for second in range(200):
        if latency.due(float(second)):
            latency.asked(float(second))
            asked += 1
    assert asked == 2
    assert not latency.waiting(200.0)
    assert not latency.slow


def test_x13_an_answer_that_nobody_asked_for_counts_nothing() -> None:
    latency = Latency()
    latency.answered(5.0)
    assert latency.last is None


@given(st.lists(st.sampled_from(["a", "\r", "\x1b[A", ANSWER, f"{PASTE_START}x\ry{PASTE_END}"])), st.integers(1, 7))
def test_x13_answers_are_no_keys_wherever_they_come(parts: list[str], step: int) -> None:
    data, splitter, found = "".join(parts), Splitter(), []
    for start in range(0, len(data), step):
        found += splitter.feed(data[start : start + step])
    found += splitter.flush()
    assert sum(part.kind == "answer" for part in found) == parts.count(ANSWER)
    assert sum(part.kind == "paste" for part in found) >= sum(part.startswith(PASTE_START) for part in parts)
    keys = "".join(part.text for part in found if part.kind == "keys")
    assert "\x1b[0n" not in keys


def test_an_answer_in_a_paste_that_was_not_marked_sends_nothing() -> None:
    splitter = Splitter()
    assert list(splitter.feed(f"first line here\rsecond\r{ANSWER}")) == [
        Input("paste", "first line here\nsecond\n"),
        Input("answer", ""),
    ] or list(splitter.flush())


def test_x13_the_pace_of_a_slow_line() -> None:
    pace = Pace(wish_of({}, asked=False))
    assert pace.frame == FRAME_S
    assert pace.tick(1.0, 5_000, measured=False, took=0.1)
    assert pace.words() == "4.8 KB written, 0 B of it in the last minute"
    ticks = [pace.tick(2.0 + n, 6_000 + n, measured=True, took=0.8) for n in range(10)]
    assert ticks.count(True) == 2
    assert pace.frame == SLOW_FRAME_S
    assert "two frames a second (it answers after 0.8 s; HTUI_LOW_BANDWIDTH=0" in pace.words()
    assert pace.tick(200.0, 6_100, measured=False, took=0.1)
    assert pace.words() == "5.9 KB written, 0 B of it in the last minute"


def test_x13_what_a_person_says_counts_more_than_what_was_measured() -> None:
    always, never = Pace(wish_of({}, asked=True)), Pace(wish_of({"HTUI_LOW_BANDWIDTH": "0"}, asked=False))
    for pace in (always, never):
        pace.tick(1.0, 10, measured=pace is never, took=2.0)
    assert (always.low, never.low) == (True, False)
    assert "--low-bandwidth" in always.words()
    assert wish_of({"HTUI_LOW_BANDWIDTH": "1"}, asked=False) == "on"
