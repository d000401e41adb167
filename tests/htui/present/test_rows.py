"""Rows of the transcript as lines (row T5)."""

import pytest

from hd.protocol.projections.transcript import Row
from htui.present.arguments import read
from htui.present.lines import cells_of, text_of
from htui.present.rows import Look, Place, opens_answer, place_of, row_lines
from htui.present.tool_row import tool_lines


def row(kind: str = "tool", **fields: object) -> Row:
    values: dict[str, object] = {"key": "1", "kind": kind, "seq": 1, "turn": 1, "time": 0, **fields}
    return Row(**values)  # type: ignore[arg-type]


def shown(found: Row, cells: int = 80, **look: bool) -> list[str]:
    return [text_of(line) for line in row_lines(found, Look(cells, **look), Place())]


@pytest.mark.parametrize(
    ("fields", "lines"),
    [
        (
            {"name": "run_command", "arguments": '{"command":"ls -la","description":"Lists"}', "status": "running"},
            ["⚙ run_command · Lists", "  $ ls -la"],
        ),
        ({"name": "run_command", "arguments": '{"command":"ls"}'}, ["✓ run_command · ls"]),
        ({"name": "read_file", "arguments": '{"path":"a.py"}'}, ["✓ read_file · a.py"]),
        ({"name": "grep", "arguments": '{"pattern":"x","path":"src"}'}, ["✓ grep · src"]),
        (
            {"name": "edit_file", "arguments": "{}", "status": "failed", "text": "\nno match\nmore"},
            ["✗ edit_file", "  no match …"],
        ),
        (
            {"name": "run_command", "arguments": '{"command":"x"}', "status": "cancelled"},
            ["✗ run_command · stopped · x"],
        ),
        (
            {"name": "run_command", "arguments": '{"command":"a\\nb","description":"D"}'},
            ["✓ run_command · D", "  $ a …"],
        ),
        ({"name": "write_file", "arguments": '{"path":"half/wri', "status": "running"}, ["⚙ write_file · half/wri"]),
        ({"name": "", "arguments": "no json"}, ["✓ tool"]),
    ],
)
def test_tool_rows(fields: dict[str, object], lines: list[str]) -> None:
    assert [text_of(line) for line in tool_lines(row(**fields), 80)] == lines


SUMMED_UP = {"text": "They **read** a.txt.", "meta": {"messages": 84, "before": 120_000, "after": 9_000}}


@pytest.mark.parametrize(
    ("fields", "cells", "thoughts", "lines"),
    [
        (
            SUMMED_UP,
            80,
            False,
            ["▸ 84 messages summed up for the model · 120k → 9k tokens · Ctrl+T shows the sum…"],
        ),
        (SUMMED_UP, 40, False, ["▸ 84 messages summed up · 120k → 9k · C…"]),
        (SUMMED_UP, 80, True, ["▾ 84 messages summed up for the model · 120k → 9k tokens", "  They read a.txt."]),
        ({"meta": {"messages": 1, "before": 9, "after": 8}}, 40, True, ["· 1 result shortened · 9 → 8"]),
        ({"text": "an old log", "meta": {"messages": 2}}, 40, False, ["▸ 2 messages summed up · Ctrl+T shows t…"]),
    ],
)
def test_a_compaction_is_one_row_that_unfolds(
    fields: dict[str, object], cells: int, thoughts: bool, lines: list[str]
) -> None:
    assert shown(row("compaction", **fields), cells, thoughts=thoughts) == lines


def test_tool_rows_fit() -> None:
    found = row(name="run_command", arguments='{"command":"%s"}' % ("你" * 100), status="failed", text="x" * 500)
    assert all(cells_of(line) <= 40 for line in tool_lines(found, 40))


def test_cut_arguments_give_what_can_be_read() -> None:
    assert read('{"path": "a", "content": "b\\n\\u00') == {"path": "a", "content": "b\n"}
    assert read("[1]") == {"arguments": [1]}
    assert read("") == {}


def test_the_heading_stands_once_a_turn() -> None:
    user, said, tool = row("user", turn=1), row("assistant", turn=1), row("tool", turn=1)
    assert opens_answer(said, user)
    assert not opens_answer(tool, said)
    assert opens_answer(row("assistant", turn=2), said)
    assert not opens_answer(user, said)


def test_small_rows_stand_close() -> None:
    look = Look(80)
    assert not place_of(row("tool"), row("tool"), False, look).gap
    assert place_of(row("assistant"), row("tool"), False, look).gap
    assert not place_of(row("user"), None, False, look).gap
    assert not place_of(row("tool"), row("assistant"), False, Look(40)).gap


def test_reasoning_is_folded_to_one_row_and_unfolded() -> None:
    thought = row("reasoning", text="First I look.\nThen I act.")
    assert shown(thought) == ["◇ thought · First I look. Then I act."]
    assert shown(thought, thoughts=True) == ["◇ thought", "First I look.", "Then I act."]


def test_user_rows_wide_and_narrow() -> None:
    asked = row("user", text="do *this*\nand that")
    assert shown(asked) == ["❯ You", "do *this*", "and that"]
    assert shown(asked, 40) == ["❯ do *this*", "  and that"]


@pytest.mark.parametrize(("level", "mark"), [("info", "·"), ("warning", "!"), ("error", "✗")])
def test_j20_notices_are_told_apart_without_colour(level: str, mark: str) -> None:
    assert shown(row("notice", text="Stopped.", level=level)) == [f"{mark} Stopped."]


def test_context_is_one_line() -> None:
    assert shown(row("context", name="runtime-context", text="a\nb")) == ["◆ context · runtime-context · a b"]


def test_an_answer_that_was_cut_says_so() -> None:
    assert shown(row("assistant", text="half", interrupted=True)) == ["half", "⋯ interrupted"]


def test_the_summary_of_the_work_is_shown_in_full() -> None:
    summary = "### Outcome\n- **both** tests\n- pass \x1b[31m"
    found = row(name="write_summary", meta={"kind": "summary", "summary": summary}, arguments='{"summary":"x"}')
    assert shown(found) == ["✓ write_summary", "", "Outcome", "", "• both tests", "• pass ␛[31m"]
    refused = row(name="write_summary", meta=None, status="failed", text="was not taken", arguments='{"summary":"x"}')
    assert shown(refused) == ["✗ write_summary · x", "  was not taken"]
