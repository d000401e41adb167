"""Mermaid as Unicode (row T15)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htui.present import mermaid
from htui.present.cells import width
from htui.present.guarded import guarded
from htui.present.lines import text_of
from htui.present.live_text import LiveText
from htui.present.markdown import markdown_lines
from htui.present.mermaid import LARGEST, diagram_lines

FLOW = "graph TD\n  A[开始] --> B{ok?}\n  B -->|是| C[完成 ✓ e\u0301 👨\u200d👩\u200d👧]\n"
SEQUENCE = "sequenceDiagram\n  Alice->>Bob: 你好\n  Bob-->>Alice: Hi"


def test_a_flowchart_is_drawn_with_the_widths_of_our_own_tables() -> None:
    assert diagram_lines(FLOW, 60) == (
        "┌─────────────┐",
        "│    开始     │",
        "└──────┬──────┘",
        "       │",
        "       │",
        "       ▼",
        "┌──────◇──────┐",
        "│     ok?     │",
        "└──────◇──────┘",
        "       │",
        "     是│",
        "       ▼",
        "┌─────────────┐",
        "│ 完成 ✓ e\u0301 👨\u200d👩\u200d👧 │",
        "└─────────────┘",
    )


def test_a_sequence_is_drawn() -> None:
    drawn = diagram_lines(SEQUENCE, 60)
    assert drawn is not None
    assert drawn[1].split() == ["│", "Alice", "│", "│", "Bob", "│"]
    assert [line.split()[1] for line in drawn if "你好" in line or "Hi" in line] == ["你好", "Hi"]


@pytest.mark.parametrize("cells", [30, 60])
def test_a_drawing_gets_closer_before_it_is_given_up(cells: int) -> None:
    source = "graph LR\n A --> B --> C --> D"
    drawn = diagram_lines(source, cells)
    assert drawn is not None
    assert max(map(width, drawn)) <= cells
    assert diagram_lines(source, 20) is None


@pytest.mark.parametrize(
    "source",
    [
        "nothing known",
        "pie\n a: 1",
        "graph TD\n A[open --> B",
        "",
        "graph TD\n" + "%" * LARGEST,
    ],
)
def test_what_cannot_be_drawn_exactly_stays_source(source: str) -> None:
    assert diagram_lines(source, 80) is None


@given(st.text(st.sampled_from('AB->|[](){}";:% \n\x1b你é✓'), max_size=60), st.integers(10, 100))
def test_any_diagram_fits_and_lets_no_control_character_through(source: str, cells: int) -> None:
    for line in diagram_lines(f"graph TD\n{source}", cells) or ():
        assert width(line) <= cells
        assert line.isprintable()


def test_a_library_that_does_not_come_back_or_raises_costs_the_drawing_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(text: str, padding: int, gap: int) -> list[str]:
        while True:
            len(text)

    monkeypatch.setattr(mermaid, "_render", endless)
    assert diagram_lines("graph LR\n endless --> C", 80) is None
    assert guarded(lambda: 1 // 0) is None
    assert guarded(lambda: 1, 5.0) == 1


def test_an_open_fence_is_source_and_becomes_the_drawing_at_its_end() -> None:
    text = "```mermaid\ngraph LR\n a --> b\n```\nafter"
    live = LiveText(60)
    for place in range(1, len(text) + 1):
        live.update(text[:place])
        if place == text.index("\n```"):
            assert [text_of(line) for line in live.lines] == ["  graph LR", "   a --> b"]
    assert [text_of(line) for line in live.lines] == [
        "┌───┐    ┌───┐",
        "│ a ├───►│ b │",
        "└───┘    └───┘",
        "",
        "after",
    ]
    assert text_of(markdown_lines("```mermaid\ngraph LR\n a --> b", 60)[0]) == "  graph LR"
