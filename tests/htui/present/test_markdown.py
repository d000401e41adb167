"""Message text as lines (row T15, cases J03, J04)."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from htui.present.grammar import parse
from htui.present.lines import cells_of, text_of
from htui.present.live_text import LiveText, LiveThought
from htui.present.markdown import LARGEST, is_plain, markdown_lines, plain_lines
from htui.present.markdown import blocks_lines as rich_lines
from htui.present.rows import thought_lines
from tests.support.daemon import ROOT

ANY = st.text(alphabet=st.one_of(st.sampled_from("*_`#>|[]()~-+=1. \n\t\\<&:ab你"), st.characters()))
PIECES = st.lists(
    st.sampled_from(
        [
            "plain words here", "\n", "\n\n", "**bold**", " `code` ", "- item\n", "  - deeper\n", "1. one\n",
            "```python\n", "x = 1\n", "```\n", "> quote\n", "- [x] done\n", "- > quoted\n", "~~gone~~",
            "| a | b |\n|---|---|\n| 1 | 2 |\n", "# Title\n", "你好，世界", "👨\u200d👩\u200d👧 e\u0301 ❤\ufe0f",
            "~~~\n", "    indented\n", "---\n", "a line that is long enough to be wrapped at every width ",
            "```mermaid\ngraph LR\n a[开始] --> b\n", "$x_i^2$", "$$", "\\frac{a}{b}", "\\[\n", "\\]\n", "\\(x\\)",
            "[a](https://x.y/z)", "[name]", "\n\n[name]: https://x.y/name\n", "note[^1] ", "[^1]: the note\n",
            "<b>html</b>", "https://x.y/_a_ ", "\x1b[31m", "cost $5 and $6 ",
        ]
    ),
    max_size=30,
)  # fmt: skip


def shown(text: str, cells: int = 60) -> list[str]:
    return [text_of(line) for line in markdown_lines(text, cells)]


def fits(text: str, cells: int) -> bool:
    lines = markdown_lines(text, cells)
    raw = "".join(map(text_of, lines))
    return all(cells_of(line) <= cells for line in lines) and not any(
        ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 for c in raw
    )


@given(ANY, st.integers(10, 200))
def test_j04_any_text_fits_and_lets_no_control_character_through(text: str, cells: int) -> None:
    assert fits(text, cells)


@given(PIECES, st.integers(10, 200))
def test_j04_all_kinds_of_blocks_in_one_another_fit(pieces: list[str], cells: int) -> None:
    assert fits("".join(pieces), cells)


@given(st.text(alphabet="abc \n你好,"), st.integers(5, 40))
def test_the_short_way_and_the_long_way_agree(text: str, cells: int) -> None:
    if is_plain(text):
        assert [text_of(x) for x in plain_lines(text, cells)] == [text_of(x) for x in rich_lines(parse(text), cells)]


def streamed(text: str, cells: int, steps: st.DataObject) -> list[str]:
    live = LiveText(cells)
    place = 0
    while place < len(text):
        place += steps.draw(st.integers(1, 25))
        before = list(live.lines)
        first = live.update(text[:place])
        assert live.lines[:first] == before[:first]
    return [text_of(line) for line in live.lines]


@given(PIECES, st.integers(10, 60), st.data())
def test_what_was_streamed_is_what_is_shown_at_once(pieces: list[str], cells: int, data: st.DataObject) -> None:
    text = "".join(pieces)
    assert streamed(text, cells, data) == shown(text, cells)


@pytest.mark.long
@settings(max_examples=3000)
@given(PIECES, st.integers(10, 200), st.data())
def test_streaming_and_widths_at_length(pieces: list[str], cells: int, data: st.DataObject) -> None:
    text = "".join(pieces)
    assert fits(text, cells)
    assert streamed(text, cells, data) == shown(text, cells)


@given(st.text(alphabet="ab \n你\x1b"), st.integers(5, 40), st.integers(1, 7))
def test_streamed_thoughts_are_those_that_are_shown_at_once(text: str, cells: int, step: int) -> None:
    live = LiveThought(cells)
    for place in range(0, len(text) + step, step):
        live.update(text[:place])
    whole = [text_of(line) for line in thought_lines(text, cells)]
    assert [text_of(line) for line in live.lines if text_of(line)] == [line for line in whole if line]


def test_a_text_that_is_replaced_begins_anew() -> None:
    live = LiveText(40)
    live.update("one **two**\n\nthree")
    assert live.update("other") == 0
    assert [text_of(line) for line in live.lines] == ["other"]


def test_long_streams_keep_what_is_finished() -> None:
    live = LiveText(40)
    text = "paragraph **one**\n\nparagraph two\n\nthree"
    live.update(text)
    assert live.update(text + " and more") == 1  # the last block that is complete may still grow


def test_links_show_their_address_once() -> None:
    assert shown("see [here](https://x.y/z)") == ["see here (https://x.y/z)"]
    assert shown("<https://x.y>") == ["https://x.y"]


def test_html_is_text() -> None:
    assert shown("<b>bold</b> <script>x</script>") == ["<b>bold</b> <script>x</script>"]


def test_lists_quotes_and_code() -> None:
    text = "- a\n  - b\n\n3. x\n4. y\n\n> q\n\n```\ncode\n```"
    assert shown(text) == ["• a", "  ◦ b", "", "3. x", "4. y", "", "▎ q", "", "  code"]


def test_j04_code_that_is_too_long_goes_on_behind_an_arrow() -> None:
    lines = shown("```\n" + "x" * 300 + "\n```", 40)
    assert "".join(line[2:] for line in lines) == "x" * 300
    assert all(line.startswith("↪ ") for line in lines[1:])


def test_tables_align_by_cells() -> None:
    text = "| 名称 | n |\n|---|--:|\n| 你好 | 1 |\n| abc | 20 |"
    assert shown(text) == ["名称 │  n", "─────┼───", "你好 │  1", "abc  │ 20"]


def test_j04_a_wide_table_becomes_records() -> None:
    head = "|" + "|".join(f"col{i}" for i in range(12)) + "|"
    body = "|" + "|".join(f"value {i}" for i in range(12)) + "|"
    lines = shown(f"{head}\n{'|---' * 12}|\n{body}\n{body}", 40)
    assert lines[0] == "col0: value 0"
    assert "─" * 20 in lines
    assert len(lines) == 25


def test_unknown_languages_and_broken_fences_are_plain() -> None:
    assert shown("```nolanguage\nx\n```") == ["  x"]
    assert shown("```python\nx = 1") == ["  x = 1"]


def test_tasks_footnotes_and_autolinks() -> None:
    assert shown("- [ ] open\n- [X] **done**\n- plain") == ["[ ] open", "[x] done", "• plain"]
    assert shown("- [ ] open\n  - [x] within\n1. [ ] one\n- [y] no\n- [ ]") == [
        "[ ] open", "    [x] within", "", "1. [ ] one", "", "• [y] no", "• [ ]",
    ]  # fmt: skip
    assert shown("so[^1]\n\n[^1]: because\n    of that") == ["so[^1]", "", "[^1] because", "     of that"]
    assert shown("https://x.y/a_b_*c* www.z.de, ~~old~~") == ["https://x.y/a_b_*c* www.z.de, old"]
    assert shown("<https://x.y/中文>") == ["https://x.y/中文"]


def test_a_quote_in_a_list_and_a_list_in_a_quote() -> None:
    assert shown("1. a\n   > b\n   > - c\n2. d") == ["1. a", "   ▎ b", "   ▎ ", "   ▎ ◦ c", "2. d"]


def test_deep_blocks_stop_moving_to_the_right_where_there_is_no_room() -> None:
    lines = shown("> " * 8 + "word", 12)
    assert lines == ["▎ ▎ word"]


def test_an_address_that_is_defined_below_is_known_above_when_it_comes() -> None:
    live = LiveText(60)
    live.update("see [the page][p]\n\nmore\n\n")
    assert text_of(live.lines[0]) == "see [the page][p]"
    assert live.update("see [the page][p]\n\nmore\n\n[p]: https://x.y\n") == 0
    assert text_of(live.lines[0]) == "see the page (https://x.y)"


def test_a_very_long_text_is_shown_without_its_markdown() -> None:
    lines = shown("**b** " * (LARGEST // 6 + 1), 200)
    assert lines[0].startswith("**b** **b**")


def test_nothing_is_loaded_before_the_first_text_that_needs_it() -> None:
    code = "import sys, htui.present.live_text, htui.present.rows; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {"markdown_it", "mdit_py_plugins", "pygments", "pylatexenc", "termaid"} & set(done.stdout.split()) == set()
