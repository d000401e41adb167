"""The bytes of a frame make a terminal show the wanted picture, and are few (rows X13, X14, case J09)."""

import pyte
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.style import Style

from htui.paint.cells import Runs, blank, cells_of, merged
from htui.paint.screen import HIDE_CURSOR, SYNC_START, Screen
from htui.paint.scroll import Shift, find_shift
from htui.paint.sgr import numbers

WIDTH, HEIGHT = 12, 6
TEXTS = st.lists(
    st.tuples(st.text(alphabet="ab 你好é ", max_size=8), st.sampled_from(["", "1", "31", "2;32", "7"])), max_size=4
)
PICTURES = st.lists(TEXTS, min_size=HEIGHT, max_size=HEIGHT)


def fitted(runs: list[tuple[str, str]]) -> Runs:
    """The runs as exactly one line, as widgets give them."""
    return merged([(cell.text, cell.style) for cell in cells_of(tuple(runs), WIDTH)])


class Seen:
    """A terminal as pyte has it."""

    def __init__(self) -> None:
        self.screen = pyte.Screen(WIDTH, HEIGHT)
        self.screen.set_mode(pyte.modes.LNM)
        self.stream = pyte.Stream(self.screen)

    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    def styles(self, line: int) -> list[tuple[bool, str, bool]]:
        row = self.screen.buffer[line]
        return [(row[x].bold, row[x].fg, row[x].reverse) for x in range(WIDTH)]


def text_of(runs: Runs) -> str:
    return "".join(text for text, _ in runs).rstrip()


@settings(max_examples=60, deadline=None)
@given(st.lists(PICTURES, min_size=1, max_size=3), st.data())
def test_after_any_frames_the_terminal_shows_the_wanted_picture(pictures: list[list], data: st.DataObject) -> None:
    painter, seen, fresh = Screen(WIDTH, HEIGHT), Seen(), Seen()
    for picture in pictures:
        wanted = [fitted(runs) for runs in picture]
        for line, runs in enumerate(wanted):
            painter.put(line, 0, runs)
        cursor = (data.draw(st.integers(0, WIDTH - 1)), data.draw(st.integers(0, HEIGHT - 1)))
        seen.stream.feed(painter.frame(cursor, sync=data.draw(st.booleans())))
        assert seen.lines() == [text_of(runs) for runs in wanted]
        assert (seen.screen.cursor.x, seen.screen.cursor.y) == cursor
    whole = Screen(WIDTH, HEIGHT)
    for line, runs in enumerate(wanted):
        whole.put(line, 0, runs)
    fresh.stream.feed(whole.frame(None))
    for line, runs in enumerate(wanted):
        shown = len(cells_of(runs, WIDTH))
        assert seen.styles(line)[:shown] == fresh.styles(line)[:shown]


def picture(*texts: str) -> Screen:
    painter = Screen(20, len(texts))
    write(painter, *texts)
    painter.frame((0, 0))
    return painter


def write(painter: Screen, *texts: str) -> None:
    for line, text in enumerate(texts):
        painter.put(line, 0, ((text.ljust(20), ""),))


def test_nothing_is_sent_when_nothing_changed() -> None:
    painter = picture("a", "b")
    write(painter, "a", "b")
    assert painter.frame((0, 0)) == ""


def test_only_the_changed_cells_are_sent() -> None:
    painter = picture("hello world", "b")
    write(painter, "hello there", "b")
    assert painter.frame((0, 0)) == "\x1b[1;7Hthere\x1b[1H"


def test_the_blank_rest_of_a_line_is_erased() -> None:
    painter = picture("hello world", "b")
    write(painter, "hello", "b")
    assert painter.frame((0, 0)) == "\x1b[1;6H\x1b[K\x1b[1H"


def test_x13_a_line_that_moved_up_is_not_sent_again() -> None:
    lines = [f"line {place}" for place in range(10)]
    painter = picture(*lines)
    write(painter, *lines[1:], "line 10")
    frame = painter.frame((0, 0))
    assert "line 5" not in frame
    assert len(frame) < 45


def test_x13_scrolling_back_sends_the_new_lines_only() -> None:
    lines = [f"line {place}" for place in range(10)]
    painter = picture(*lines)
    write(painter, "above 1", "above 2", *lines[:-2])
    frame = painter.frame((0, 0))
    assert "line 5" not in frame
    assert "above 1" in frame


def test_wide_characters_are_never_cut_in_half() -> None:
    painter, seen = Screen(WIDTH, 1), Seen()
    for text in ("你好世界", "a好世界", "你好a界", "你 世a"):
        painter.put(0, 0, fitted([(text, "")]))
        seen.stream.feed(painter.frame((0, 0)))
        assert seen.lines()[0] == text


def test_j09_the_screen_is_never_cleared_as_a_whole() -> None:
    painter = Screen(20, 3)
    write(painter, "a", "b", "c")
    assert "\x1b[2J" not in painter.frame(None)
    painter.forget()
    assert "\x1b[2J" not in painter.frame(None)


def test_j03_the_column_is_told_anew_after_a_character_that_terminals_disagree_about() -> None:
    painter = picture("x", "b")
    write(painter, "👨\u200d👩 | y", "b")
    assert "👨\u200d👩\x1b[3G" in painter.frame((0, 0))


def test_sync_and_hiding_are_for_large_frames_only() -> None:
    painter = picture("a", "b", "c")
    write(painter, "z", "b", "c")
    assert SYNC_START not in painter.frame((0, 0), sync=True)
    big = Screen(80, 20)
    for line in range(20):
        big.put(line, 0, (("x" * 80, ""),))
    assert big.frame((0, 0), sync=True).startswith(SYNC_START)
    for line in range(20):
        big.put(line, 0, (("y" * 80, ""),))
    assert big.frame((0, 0)).startswith(HIDE_CURSOR)


def test_x14_control_characters_do_not_pass_whoever_sends_them() -> None:
    painter = Screen(20, 1)
    painter.put(0, 0, (("a\x1b]0;x\x07\x9b\u202e".ljust(20), ""),))
    frame = painter.frame(None)
    assert "\x1b]" not in frame
    assert not {"\x07", "\x9b", "\u202e"} & set(frame)


def test_shifts_are_found_where_they_pay() -> None:
    rows = list("abcdefgh")
    assert find_shift(rows, list("bcdefghi"), "") == Shift(0, 8, 1)
    assert find_shift(rows, list("xyabcdef"), "") == Shift(0, 8, -2)
    assert find_shift(rows, rows, "") is None
    assert find_shift(rows, list("abcdefgx"), "") is None
    assert find_shift([""] * 8, rows, "") is None


@given(
    st.lists(st.sampled_from("abc"), min_size=5, max_size=8), st.lists(st.sampled_from("abc"), min_size=8, max_size=8)
)
def test_a_shift_stays_inside_and_saves_lines(old: list[str], new: list[str]) -> None:
    old = (old * 2)[:8]
    shift = find_shift(old, new, "")
    if shift is not None:
        assert 0 <= shift.top < shift.bottom <= 8
        moved = shift.applied(old, "")
        assert len(moved) == 8
        assert sum(a == b for a, b in zip(moved, new, strict=True)) > 2


def test_styles_become_numbers_without_defaults() -> None:
    assert numbers(Style.parse("bold green")) == "1;32"
    assert numbers(Style.parse("on default")) == ""
    assert numbers(Style.parse("default on default bold")) == "1"
    assert numbers(None) == ""
    assert blank(3) == (("   ", ""),)
