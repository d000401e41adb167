"""A terminal of a command: its screen as lines, and keys as what is typed (row X12)."""

from typing import Any

import pytest

from htui.present.lines import text_of
from htui.present.terminal import LEAVE, Glass, Stroke, batch, pasted, stroke
from htui.theme import Theme


def screen(*lines: str, columns: int = 20, whole: bool = True, **more: Any) -> dict[str, Any]:
    rows = [{"line": place, "spans": [{"text": text}] if text else []} for place, text in enumerate(lines)]
    return {"type": "screen", "columns": columns, "rows": len(lines), "whole": whole, "lines": rows, **more}


@pytest.mark.parametrize(
    ("key", "character", "found"),
    [
        ("a", "a", Stroke("text", "a")),
        ("深", "深", Stroke("text", "深")),
        ("enter", "\r", Stroke("key", "enter")),
        ("pageup", None, Stroke("key", "page-up")),
        ("shift+tab", None, Stroke("key", "back-tab")),
        ("ctrl+c", "\x03", Stroke("text", "\x03")),
        ("ctrl+l", "\x0c", Stroke("text", "\x0c")),
        ("ctrl+z", "\x1a", Stroke("text", "\x1a")),
        ("alt+b", None, Stroke("text", "\x1bb")),
        ("f10", None, Stroke("key", "f10")),
        ("ctrl+up", None, None),
        (LEAVE, "\x1d", None),
    ],
)
def test_x12_keys_are_what_a_terminal_would_send(key: str, character: str | None, found: Stroke | None) -> None:
    assert stroke(key, character) == found


def test_x12_strokes_keep_their_order_over_calls() -> None:
    waiting = [
        Stroke("text", "a"),
        Stroke("text", "b"),
        Stroke("key", "up"),
        Stroke("key", "enter"),
        Stroke("text", "c"),
    ]
    assert batch(waiting) == ("ab", ["up", "enter"], [Stroke("text", "c")])
    assert batch([Stroke("key", "up"), Stroke("text", "c")]) == ("", ["up"], [Stroke("text", "c")])
    long = Stroke("text", "x" * 2500)
    sent, rest = "", [long, Stroke("key", "enter")]
    while rest:
        text, keys, rest = batch(rest)
        sent += text + "!" * len(keys)
    assert sent == "x" * 2500 + "!"


def test_x12_a_paste_cannot_hold_keys_but_enter() -> None:
    assert pasted("a\nb\x1b[A\x03\tc") == Stroke("text", "a\rb[A\tc")


def test_x12_lines_that_changed_replace_those_that_were_told() -> None:
    glass = Glass()
    glass.take(screen("one", "two", "", cursor=[0, 2]))
    glass.take(
        {**screen("", "", "", whole=False), "lines": [{"line": 1, "spans": [{"text": "zwei", "fg": 9, "bold": True}]}]}
    )
    lines, cursor = glass.view(20, 3)
    assert [text_of(line) for line in lines] == ["one", "zwei", ""]
    assert (lines[1][0].role, cursor) == ("bold fg9", None)


def test_x12_of_a_larger_screen_the_part_around_the_cursor_is_shown() -> None:
    glass = Glass()
    glass.take(screen(*(f"{n}-abcdefgh" for n in range(9)), cursor=[9, 7]))
    lines, cursor = glass.view(5, 3)
    assert ([text_of(line) for line in lines], cursor) == (["defgh", "defgh", "defgh"], (4, 2))


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"columns": "x", "rows": 10**9, "lines": [{"line": -1}, {"line": 10**9, "spans": 3}, 7], "cursor": ["a", None]},
        {
            "columns": 9,
            "rows": 1,
            "whole": True,
            "lines": [{"line": 0, "spans": [{"text": 5, "fg": 999, "bg": "red"}]}],
        },
    ],
)
def test_x12_a_screen_that_breaks_the_rules_shows_less(item: dict[str, Any]) -> None:
    glass = Glass()
    glass.take(item)
    assert len(glass.view(10, 4)[0]) <= 4


def test_x12_what_is_shown_cannot_touch_the_terminal() -> None:
    glass = Glass()
    glass.take(screen("a\x1b[2Jb\nc\u202e"))
    assert text_of(glass.lines[0]) == "a␛[2Jb c⟨202E⟩"


def test_x12_colours_are_the_programs_own_and_none_where_none_are_wanted() -> None:
    style = Theme("dark").style("bold fg9 bg4")
    assert (style.bold, style.color and style.color.number, style.bgcolor and style.bgcolor.number) == (True, 9, 4)
    mono = Theme("mono").style("fg9 bg4")
    assert (mono.color, mono.bgcolor, mono.reverse) == (None, None, True)
