"""What a program drew, as a terminal would show it (X12). pyte is the oracle where it is right itself."""

import unicodedata

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hd.process.emulator import Emulator, styled
from hd.process.grid import BOLD, PLAIN, REVERSE, UNDERLINE, Style

COLUMNS, ROWS = 200, 8


def rows(screen: Emulator) -> list[str]:
    return ["".join(char for char, _ in line).rstrip() for line in screen.lines()]


def shown(*pieces: str, columns: int = 12, rows_: int = 5) -> Emulator:
    screen = Emulator(columns, rows_)
    for piece in pieces:
        screen.feed(piece)
    return screen


NUMBER = st.sampled_from(["", "0", "1", "2", "5", "9"])
PIECES = st.one_of(
    st.text("abcXYZ 012éü", min_size=1, max_size=8),
    st.sampled_from(["\r\n", "\n", "\r", "\b", "\t", "\x1bM", "\x1bD", "\x1b]0;title\x07", "\x1b[?25l", "\x1b[31;1m"]),
    st.builds(lambda n, name: f"\x1b[{n}{name}", NUMBER, st.sampled_from("ABCDGdLP@X")),
    st.builds(lambda n, name: f"\x1b[{n}{name}", st.sampled_from(["", "0", "1", "2"]), st.sampled_from("JK")),
    st.builds(lambda y, x: f"\x1b[{y};{x}H", st.integers(1, 9), st.integers(1, 60)),
)


def same_as_pyte(pieces: list[str]) -> None:
    oracle = pyte.Screen(COLUMNS, ROWS)
    pyte.Stream(oracle).feed("".join(pieces))
    screen = shown(*pieces, columns=COLUMNS, rows_=ROWS)
    assert rows(screen) == [line.rstrip() for line in oracle.display]
    assert screen.grid.y == oracle.cursor.y


@settings(max_examples=60)
@given(st.lists(PIECES, max_size=20))
def test_x12_what_programs_draw_is_what_another_terminal_shows(pieces: list[str]) -> None:
    same_as_pyte(pieces)


@pytest.mark.long
@settings(max_examples=1000)
@given(st.lists(PIECES, max_size=20))
def test_x12_long_what_programs_draw_is_what_another_terminal_shows(pieces: list[str]) -> None:
    same_as_pyte(pieces)


HOSTILE = st.lists(
    st.one_of(
        PIECES,
        st.text(max_size=5),
        st.sampled_from(["深", "\u0301", "\u202e", "\x9b31m", "\x1b[99999999999999999C", "\x1b[?1049h", "\x1b[?1049l",
                         "\x1b[3M", "\x1b[2;4r", "\x1b[4h", "\x1b(0", "\x1bc", "\x1b7", "\x1b8", "\x1b[38;5",
                         "\x1b[999b"]),
    ),
    max_size=25,
)  # fmt: skip


@settings(max_examples=50)
@given(HOSTILE, st.integers(2, 9), st.integers(2, 5), st.data())
def test_x12_whatever_comes_the_grid_is_whole_and_harmless(
    pieces: list[str], columns: int, height: int, data: st.DataObject
) -> None:
    whole = "".join(pieces)
    one, other = Emulator(columns, height), Emulator(columns, height)
    one.feed(whole)
    place = data.draw(st.integers(0, len(whole)))
    other.feed(whole[:place])
    other.feed(whole[place:])
    assert (rows(one), one.cursor) == (rows(other), other.cursor)
    lines = one.lines()
    assert [len(line) for line in lines] == [columns] * height
    assert all(char.isprintable() or unicodedata.category(char[0]) == "Co" for line in lines for char, _ in line)
    wide, high = data.draw(st.sampled_from([(columns, height), (columns + 3, 2), (2, height + 3)]))
    one.resize(wide, high)
    assert [len(line) for line in one.lines()] == [wide] * high
    assert one.cursor is None or (one.cursor[0] < wide and one.cursor[1] < high)


@pytest.mark.parametrize("space", ["\xa0", "\u2003", "\u202f", "\u3000"])
def test_x12_every_kind_of_space_is_a_blank_as_wide_as_it_is(space: str) -> None:
    screen = shown(f"a{space}b")
    cells = [char for char, _ in screen.lines()[0][:4]]
    assert cells == (["a", " ", " ", "b"] if space == "\u3000" else ["a", " ", "b", " "])


def test_x12_an_editor_gives_the_main_screen_back() -> None:
    screen = shown("one\r\n", "\x1b[?1049h\x1b[2J\x1b[Heditor")
    assert (rows(screen)[0], screen.alternate) == ("editor", True)
    screen.feed("\x1b[?1049l$ ")
    assert (rows(screen)[:2], screen.alternate, screen.cursor) == (["one", "$"], False, (2, 1))


def test_x12_lines_scroll_between_margins_only() -> None:
    screen = shown("a\r\nb\r\nc\r\nd\r\ne", "\x1b[2;4r\x1b[4;1H\n\x1b[1;1H\x1bM")
    assert rows(screen) == ["a", "c", "d", "", "e"]


def test_x12_lines_are_deleted_and_inserted_at_the_cursor() -> None:
    screen = shown("a\r\nb\r\nc\r\nd", "\x1b[2;2H\x1b[2M")
    assert (rows(screen), screen.cursor) == (["a", "d", "", "", ""], (0, 1))
    screen.feed("\x1b[L")
    assert rows(screen) == ["a", "", "d", "", ""]


def test_x12_wide_characters_take_two_cells_and_are_never_cut_in_half() -> None:
    screen = shown("ab深い文字", columns=5)
    assert rows(screen)[:3] == ["ab深", "い文", "字"]
    screen.feed("\x1b[1;4Hx")
    assert rows(screen)[0] == "ab x"


def test_x12_boxes_are_drawn_and_marks_stay_on_their_letter() -> None:
    assert rows(shown("\x1b(0lqk\x1b(B lqk e\u0301"))[0] == "┌─┐ lqk e\u0301"


@pytest.mark.parametrize(
    ("numbers", "style"),
    [
        ("1;31", Style(1, -1, BOLD)),
        ("97;100", Style(15, 8, 0)),
        ("38;5;208;48;2;0;0;255", Style(208, 21, 0)),
        ("38:2::255:255:255", Style(231, -1, 0)),
        ("4:3;7", Style(-1, -1, UNDERLINE | REVERSE)),
        ("1;22;0", PLAIN),
        ("38;99;1", Style(-1, -1, BOLD)),
        ("", PLAIN),
    ],
)
def test_x12_attributes(numbers: str, style: Style) -> None:
    assert styled(PLAIN, numbers) == style
