"""What clients are told of a terminal's screen (X12)."""

import pytest

from hd.jobs.display import KEPT, Display, frame, picture
from hd.process.child import Screen
from hd.secrets.mask import NOTHING, Mask

SECRET = "sk-0123456789abcdef"
MASK = Mask({SECRET: "KEY"})


def test_x12_first_all_is_told_and_then_the_lines_that_changed() -> None:
    display = Display(Screen(20, 3))
    display.add(b"one\r\n\x1b[7mtwo\x1b[m\r\n")
    first = picture(display.look(), NOTHING)
    told = frame(None, first, {"id": "j"})
    assert told == {
        "type": "screen",
        "columns": 20,
        "rows": 3,
        "whole": True,
        "lines": [
            {"line": 0, "spans": [{"text": "one"}]},
            {"line": 1, "spans": [{"text": "two", "reverse": True}]},
            {"line": 2, "spans": []},
        ],
        "alternate": False,
        "cursor": [0, 2],
        "job": {"id": "j"},
    }
    display.add("dr\u00e9i".encode()[:3])
    second = picture(display.look(), NOTHING)
    display.add("dr\u00e9i".encode()[3:])
    third = picture(display.look(), NOTHING)
    later = frame(second, third, None)
    assert later is not None
    assert (later["whole"], later["lines"]) == (False, [{"line": 2, "spans": [{"text": "dr\u00e9i"}]}])
    assert frame(third, third, None) is None
    display.resize(Screen(10, 3))
    assert (frame(third, picture(display.look(), NOTHING), None) or {})["whole"]


@pytest.mark.parametrize("columns", [60, 12])
def test_x12_a_secret_is_hidden_also_where_it_runs_on_over_lines(columns: int) -> None:
    display = Display(Screen(columns, 6))
    display.add(f"\x1b[31mkey={SECRET}\x1b[m\r\nnext".encode())
    lines = ["".join(text for text, _ in line) for line in picture(display.look(), MASK).lines]
    joined = "".join(lines)
    assert "key=<hidden:KEY>" in joined
    assert SECRET[4:9] not in joined
    assert "next" in lines


def test_x12_what_nobody_looked_at_is_bounded_and_begins_with_something_whole() -> None:
    display = Display(Screen(20, 3))
    for number in range(40_000):
        display.add(b"\x1b[3%dm%06d\r\n" % (number % 8, number))
    shown = picture(display.look(), NOTHING)
    assert [line[0][0] for line in shown.lines[:2]] == ["039998", "039999"]
    assert display._size == 0
    display.add(b"x" * (3 * KEPT))
    assert len(display.look().lines()) == 3
