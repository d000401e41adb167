"""Editing a prompt (row T6, cases J01, J03, J07)."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htui.composer.draft import Draft
from htui.composer.editor import Editor
from htui.composer.layout import lay_out
from htui.present.cells import width
from htui.screens.command_table import choose, complete, is_command

FAMILY = "👨\u200d👩\u200d👧\u200d👦"


def typed(text: str, *keys: str) -> Editor:
    editor = Editor()
    for char in text:
        editor.press("x", char)
    for key in keys:
        assert editor.press(key), key
    return editor


def caret(editor: Editor) -> tuple[int, int]:
    layout = editor.layout()
    return layout.column, layout.line


def test_j01_the_caret_stands_behind_the_width_of_what_is_before_it() -> None:
    editor = typed("你好，测试abc", "left", "left", "left", "left", "x" if False else "left")
    assert caret(editor) == (6, 0)
    editor.press("x", "x")
    assert editor.text == "你好，x测试abc"
    editor.press("delete")
    assert editor.text == "你好，x试abc"
    assert caret(editor) == (7, 0)


@pytest.mark.parametrize("grapheme", [FAMILY, "🇨🇳", "❤\ufe0f", "e\u0301", "👍🏽", "क्षि", "م"])
def test_j03_one_backspace_is_one_grapheme(grapheme: str) -> None:
    editor = Editor()
    editor.paste(f"a{grapheme}{grapheme}")
    editor.press("backspace")
    assert editor.text == f"a{grapheme}"
    editor.press("left")
    assert editor.draft.caret == 1
    editor.press("delete")
    assert editor.text == "a"


@pytest.mark.parametrize(
    ("text", "keys", "after", "place"),
    [
        ("one two", ["ctrl+w"], "one ", 4),
        ("one two", ["ctrl+u"], "", 0),
        ("one two", ["ctrl+a", "ctrl+k"], "", 0),
        ("one two", ["ctrl+w", "ctrl+y", "ctrl+y"], "one twotwo", 10),
        ("one two", ["ctrl+w", "ctrl+w", "ctrl+y"], "one two", 7),
        ("one two", ["alt+b", "alt+d"], "one ", 4),
        ("a/b-c", ["alt+backspace"], "a/b-", 4),
        ("one", ["ctrl+a", "ctrl+f", "ctrl+d"], "oe", 1),
        ("one", ["ctrl+j"], "one\n", 4),
        ("one", ["alt+enter"], "one\n", 4),
        ("one two", ["ctrl+w", "ctrl+underscore"], "one two", 7),
        ("one", ["home", "end", "backspace"], "on", 2),
    ],
)
def test_readline_keys(text: str, keys: list[str], after: str, place: int) -> None:
    editor = typed(text, *keys)
    assert (editor.text, editor.draft.caret) == (after, place)


def test_up_and_down_move_in_the_text_and_then_recall() -> None:
    editor = Editor()
    editor.remember("earlier")
    editor.paste("first line\nsecond")
    editor.press("up")
    assert editor.draft.caret == 6
    editor.press("up")
    assert editor.text == "earlier"
    editor.press("down")
    assert editor.text == "first line\nsecond"


def test_recall_goes_back_and_forth() -> None:
    editor = Editor()
    editor.set_recall(["one", "two"])
    editor.remember("three")
    editor.paste("draft")
    seen = []
    for _ in range(4):
        editor.press("ctrl+p")
        seen.append(editor.text)
    assert seen == ["three", "two", "one", "one"]
    for _ in range(3):
        editor.press("ctrl+n")
    assert editor.text == "draft"


def test_j07_a_huge_paste_is_one_block_and_is_sent_whole() -> None:
    text = "\n".join(f"line {place} {'x' * 90}" for place in range(10_000))
    editor = Editor()
    began = time.perf_counter()
    editor.paste(text)
    shown = [piece.text[:7] for piece in editor.layout().pieces]
    assert (shown[0], shown[-2]) == ("line 0 ", "line 99")
    assert any(piece.text.startswith("[9998 lines · ") for piece in editor.layout().pieces)
    editor.clear()
    editor.press("ctrl+underscore")
    assert editor.text == text
    assert len(editor.draft.text) < 250
    assert editor.take() == text
    assert time.perf_counter() - began < 5
    assert editor.empty


def test_a_fold_is_one_character_to_backspace() -> None:
    editor = typed("see ")
    editor.paste("x" * 1500)
    assert editor.layout().pieces[0].text == "see [1 line · 1.4 KB]"
    assert caret(editor) == (21, 0)
    editor.press("backspace")
    assert editor.text == "see "


def test_of_a_long_text_the_first_and_the_last_line_stay_in_sight() -> None:
    editor = typed("see ")
    editor.paste("first\n" + "x\n" * 50 + "last")
    assert [piece.text for piece in editor.layout().pieces] == ["see first", "[50 lines · 99 B]", "last"]
    for key in ("up", "home", "right", "backspace"):
        assert editor.press(key)
    assert editor.text == "see first\n\nlast"
    editor.press("ctrl+underscore")
    assert editor.take() == "see first\n" + "x\n" * 50 + "last"
    editor.press("ctrl+p")
    assert [piece.text for piece in editor.layout().pieces] == ["see first", "[50 lines · 99 B]", "last"]


def test_the_kill_ring_turns() -> None:
    editor = typed("one two three", "ctrl+w", "left", "ctrl+w", "end", "alt+y")
    assert editor.text == "one  "
    for key, shown in (("ctrl+y", "two"), ("alt+y", "three"), ("alt+y", "two")):
        editor.press(key)
        assert editor.text == f"one  {shown}"
    editor.press("left")
    editor.press("alt+y")
    assert editor.text == "one  two"


def test_the_prompt_that_is_shown_stays_shown_when_earlier_ones_are_learnt() -> None:
    editor = Editor()
    editor.set_recall(["b", "c"])
    editor.press("up")
    editor.press("up")
    assert (editor.text, editor.at_oldest) == ("b", True)
    editor.set_recall(["a", "b", "c"])
    assert (editor.text, editor.at_oldest) == ("b", False)
    editor.press("up")
    assert editor.text == "a"
    editor.press("down")
    editor.press("down")
    assert editor.text == "c"


def test_marks_of_folds_cannot_be_pasted() -> None:
    editor = Editor()
    editor.paste("x\n" * 50)
    editor.paste(chr(0x100000))
    assert editor.text == "x\n" * 50 + "\ufffd"


def test_j18_what_is_pasted_is_shown_safe_and_kept_as_it_is() -> None:
    editor = Editor()
    editor.paste("a\x1b[2J\tb")
    assert editor.layout().pieces[0].text == "a␛[2J    b"
    assert editor.text == "a\x1b[2J\tb"


def test_j16_a_draft_comes_back_with_its_caret_and_folds() -> None:
    editor = typed("see ")
    editor.paste("x" * 2000)
    editor.press("left")
    other = Editor()
    other.restore(editor.state())
    assert (other.text, other.draft.caret) == (editor.text, 4)
    other.restore({"text": 5, "caret": "x", "folds": [1]})
    assert other.empty
    other.restore({"text": "ab", "caret": 99})
    assert other.draft.caret == 2


@given(
    st.text(
        alphabet=st.one_of(st.sampled_from("ab \n\t你👍🏽\u0301\u200d🇨\x1b"), st.characters(exclude_categories=["Cs"]))
    ),
    st.integers(4, 30),
    st.data(),
)
def test_every_line_fits_and_the_caret_stands_in_one(text: str, cells: int, data: st.DataObject) -> None:
    draft = Draft(text, data.draw(st.integers(0, len(text))))
    layout = lay_out(draft, {}, cells)
    assert all(width(piece.text) <= cells for piece in layout.pieces)
    assert 0 <= layout.line < len(layout.pieces)
    assert 0 <= layout.column < cells


@given(
    st.lists(
        st.sampled_from(
            [
                "a",
                "你",
                FAMILY,
                "left",
                "right",
                "backspace",
                "up",
                "down",
                "ctrl+w",
                "ctrl+k",
                "ctrl+y",
                "ctrl+j",
                "ctrl+underscore",
                "home",
            ]
        )
    )
)
def test_any_keys_leave_the_caret_at_a_grapheme(keys: list[str]) -> None:
    editor = Editor(10)
    for key in keys:
        if len(key) < 3 or key == FAMILY:
            editor.paste(key)
        else:
            editor.press(key)
    before, after = editor.draft.text[: editor.draft.caret], editor.draft.text[editor.draft.caret :]
    assert not after.startswith("\u200d")
    assert not before.endswith("\u200d")


@pytest.mark.parametrize(
    ("line", "name"),
    [("/mo", "model"), ("/new", "new"), ("/quit", "quit"), ("/MODEL x", "model"), ("/st", "status"), ("/th", "think")],
)
def test_the_beginning_of_a_name_runs_a_command(line: str, name: str) -> None:
    chosen = choose(line)
    assert getattr(chosen, "command", None) is not None
    assert chosen.command.name == name  # type: ignore[union-attr]


@pytest.mark.parametrize("line", ["/qui", "/al", "/den", "/q", "/zzz", "/"])
def test_commands_that_end_or_decide_need_their_whole_name(line: str) -> None:
    assert not hasattr(choose(line), "command")


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("/mo", "/model "),
        ("/qui", "/qui"),
        ("/al", "/al"),
        ("/model x", "/model x"),
        ("hello", "hello"),
        ("/re", "/resume "),
    ],
)
def test_tab_completes_what_is_clear(line: str, completed: str) -> None:
    assert complete(line)[0] == completed


@pytest.mark.parametrize(
    ("line", "meant"), [("/help", True), ("/usr/bin/ls", False), ("//x", False), ("a /b", False), ("/help\nx", False)]
)
def test_a_path_is_no_command(line: str, meant: bool) -> None:
    assert is_command(line) is meant
