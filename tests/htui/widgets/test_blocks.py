"""Strips are made once and kept within bounds (row T5)."""

import pytest
from rich.segment import Segment
from textual.strip import Strip

from hd.protocol.projections.transcript import Row
from htui.present.lines import Line, text_of
from htui.present.rows import Look
from htui.widgets import blocks as module
from htui.widgets.blocks import Blocks


class Counter:
    """Makes strips and counts them."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, line: Line) -> Strip:
        self.made += 1
        return Strip([Segment(text_of(line))])


def row(number: int, kind: str = "assistant", text: str = "words", **fields: object) -> Row:
    return Row(key=str(number), kind=kind, seq=number, turn=1, time=0, text=text, **fields)  # type: ignore[arg-type]


def test_the_same_row_is_made_once_and_another_one_anew() -> None:
    make = Counter()
    blocks = Blocks(Look(80), make)
    rows = [row(1, "user"), row(2)]
    blocks.take(rows, ())
    first = blocks.strips(1)
    made = make.made
    assert blocks.strips(1) is first
    blocks.take([rows[0], row(2, text="other")], ())
    assert blocks.strips(1) is not first
    assert make.made > made


def test_a_live_row_makes_only_its_last_line_anew() -> None:
    make = Counter()
    blocks = Blocks(Look(20), make)
    text = ""
    for _ in range(200):
        text += "word "
        blocks.take([row(1, "user")], (row(9, text=text, status="running"),))
        blocks.strips(1)
    assert make.made < 600


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINES", 50)
    blocks = Blocks(Look(80), Counter())
    blocks.take([row(n, text="a\n\nb\n\nc") for n in range(100)], ())
    for index in range(100):
        blocks.strips(index)
    assert blocks._lines <= 55
    assert len(blocks._kept) < 15


def test_rows_are_found_again_by_key() -> None:
    blocks = Blocks(Look(80), Counter())
    blocks.take([row(n * 2) for n in range(1000)], ())
    assert blocks.index_of("998", 998) == 499
    assert blocks.index_of("999", 999) is None
    assert blocks.index_of("x", 998) is None


def test_thoughts_fold_when_the_answer_begins_and_stay_folded_where_it_is_narrow() -> None:
    thinking = row(9, "reasoning", "one\ntwo\nthree", status="running")
    for cells, unfolded in ((80, 4), (40, 1)):
        blocks = Blocks(Look(cells), Counter())
        blocks.take([row(1, "user")], (thinking,))
        before = len(blocks.strips(1))
        assert before >= unfolded
        blocks.take([row(1, "user")], (thinking, row(10, text="answer", status="running")))
        assert len(blocks.strips(1)) == (3 if cells == 80 else 2)
