"""What the agent changed, as rows and sentences (row H10)."""

from typing import Any

import pytest

from htui.present import changes as c
from htui.present.lines import cells_of, text_of


def row(path: str, what: str = "changed", **more: Any) -> dict[str, Any]:
    return {"path": path, "what": what, "status": "applied", **more}


FILES = [
    row("src/deep/a_module.py", "created", added=12, removed=0, by="tool"),
    row("src/deep", "created", by="tool"),
    row("b.py", added=1, removed=3, status="accepted", by="command"),
    row("c.py", "moved", **{"from": "old.py"}),
    row("d.py", status="undone", refused="it has been changed since"),
]
TURN = {"turn": 2, "files": FILES, "uncovered": []}
SHORT = {"turn": 1, "count": 90, "files": [], "uncovered": ["What programs in terminals change is not kept."]}


def lines(cells: int = 40) -> list[str]:
    return [text_of(c.entry_line(entry, cells)) for entry in c.entries(c.turns_of([SHORT, TURN]))]


def test_h10_the_latest_turn_comes_first_and_each_file_says_how_it_stands() -> None:
    assert lines() == [
        "Turn 2 · 4 files                  +13 −3",
        " M b.py                     +1 −3 ✓ kept",
        " R c.py",
        " M d.py                       left alone",
        " A src/deep/",
        " A src/deep/a_module.py           +12 −0",
        "Turn 1 · 90 files · not all is kept",
    ]


@pytest.mark.parametrize("cells", [20, 40, 80])
def test_h10_a_row_takes_one_line_and_shows_the_end_of_a_long_path(cells: int) -> None:
    turn = {"turn": 3, "files": [row(f"{'深い/' * 40}name.py", added=1, removed=1)], "uncovered": []}
    (_, entry) = c.entries(c.turns_of([turn]))
    line = c.entry_line(entry, cells)
    assert cells_of(line) <= max(cells, 24)
    assert "name.py" in text_of(line)


def test_h10_what_is_chosen_is_told_in_words() -> None:
    told = [c.about(entry) for entry in c.entries(c.turns_of([SHORT, TURN]))]
    assert told == [
        "",
        "changed by a command",
        "moved from old.py",
        "changed · left alone: it has been changed since",
        "created by a tool",
        "created by a tool",
        "What programs in terminals change is not kept.",
    ]


def test_h10_the_projection_counts_and_an_answer_fills_what_it_has_no_room_for() -> None:
    told = c.turns_of([SHORT, TURN])
    older = {"turn": 1, "files": [row("x"), row("y")], "uncovered": []}
    stale = {"turn": 2, "files": [row("b.py")], "uncovered": []}
    both = c.merged(told, c.turns_of([older, stale]))
    assert [(turn.number, len(turn.files)) for turn in both] == [(1, 2), (2, 5)]
    assert c.merged(told, ()) == told


def test_h10_the_hint_counts_what_nobody_has_decided_about() -> None:
    assert c.hint([SHORT, TURN], 2) == "2 files changed · /changes"
    assert c.hint([SHORT, TURN], 1) == "90 files changed · /changes"
    decided = {"turn": 2, "files": [row("b.py", status="undone"), row("c.py", status="accepted")]}
    assert c.hint([decided], 2) == c.hint([TURN], 3) == c.hint(None, 1) == c.hint({"turn": "x"}, 1) == ""


def test_h10_what_came_of_an_action_is_one_sentence() -> None:
    assert c.taken("undo", {"turn": 1, "files": ["new", "new/a"], "refused": [], "spared": ["b"]}) == c.Taken(
        "Undone: 1 file. 1 accepted file left alone."
    )
    assert c.taken("accept", {"turn": 1, "files": ["a", "b"]}).text == "Accepted: 2 files."
    refused = [{"path": "a.py", "reason": "it has been changed since"}, {"path": "b", "reason": "x"}]
    assert c.taken("redo", {"files": [], "refused": refused}) == c.Taken(
        "a.py was left as it is (and 1 more): it has been changed since.", "warning", "a.py"
    )


def test_h10_a_removed_comment_is_no_heading_of_a_difference() -> None:
    text = "--- a/q.sql\n+++ b/q.sql\n@@ -1 +1 @@\n--- old\n+new \x1b[31m\n"
    assert [(span.text, span.role) for span in c.difference_spans(text)] == [
        ("@@ -1 +1 @@", "muted"),
        ("--- old", "removed"),
        ("+new ␛[31m", "added"),
    ]


def test_x7_what_changed_beside_the_agent_says_so_and_is_nothing_to_decide() -> None:
    files = [
        row("made.js", beside="#3"),
        row("src.ts", by="tool", beside="#3", added=1, removed=0),
        row("x", by="tool"),
    ]
    (turn,) = c.turns_of([{"turn": 4, "files": files, "uncovered": []}])
    assert [text_of(c.entry_line(entry, 30)) for entry in c.entries([turn])][1:] == [
        " M made.js              beside",
        " M src.ts         +1 −0 beside",
        " M x",
    ]
    assert [c.about(entry) for entry in c.entries([turn])][1:3] == [
        "changed beside the agent, while #3 ran on",
        "changed by a tool and beside the agent, while #3 ran on",
    ]
    assert c.open_files(turn) == 1
    taken = c.taken("undo", {"files": ["x"], "refused": [], "spared": [], "beside": ["made.js"]})
    assert taken.text == "Undone: 1 file. 1 file that changed beside the agent left alone."
