"""Which calls count as the same call made again."""

from typing import Any

import pytest

from hd.agent.repeats import REPEATS, must_ask, note
from hd.protocol.events import Event


def numbers(*drafts: tuple[str, dict[str, Any]]) -> list[int]:
    state, found = REPEATS.initial, []
    for seq, (kind, data) in enumerate(drafts):
        state = REPEATS.apply(state, Event(kind, seq, 0, data))
        if kind == "tool/call":
            found.append(state.last)
    return found


def call(name: str, arguments: str = "{}") -> tuple[str, dict[str, Any]]:
    return "tool/call", {"name": name, "arguments": arguments}


GREP = call("grep", '{"pattern":"x"}')
TESTS = call("run_command", '{"command":"pytest"}')
EDIT = call("edit_file")


@pytest.mark.parametrize(
    ("drafts", "expected"),
    [
        ([GREP, GREP, GREP], [1, 2, 3]),
        ([GREP, call("grep", '{"pattern":"y"}'), GREP], [1, 1, 2]),
        ([TESTS, EDIT, TESTS, EDIT], [1, 1, 1, 1]),
        ([TESTS, GREP, TESTS], [1, 1, 2]),
        ([GREP, TESTS, GREP], [1, 1, 1]),
        ([GREP, ("turn/start", {"turn": 2}), GREP], [1, 1]),
        ([GREP, ("user/message", {"source": {"kind": "user"}}), GREP], [1, 1]),
        ([GREP, ("user/message", {"source": {"kind": "context"}}), GREP], [1, 2]),
        ([call("x", "\ud800"), call("x", "\ud800")], [1, 2]),
    ],
)
def test_f17_what_changes_nothing_in_between_does_not_hide_a_repetition(
    drafts: list[tuple[str, dict[str, Any]]], expected: list[int]
) -> None:
    assert numbers(*drafts) == expected


def test_f17_told_at_three_and_asked_at_six() -> None:
    assert [number for number in range(1, 9) if note(number)] == [3, 4, 5, 6, 7, 8]
    assert [number for number in range(20) if must_ask(number)] == [6, 12, 18]
