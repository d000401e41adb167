"""The changes of a session: looked at, accepted, taken back, done again (row H10, case L14)."""

from pathlib import Path
from typing import Any

import pytest

from htui.screens.changes import ChangesScreen
from htui.screens.session import SessionScreen
from tests.htui.present.test_changes import row
from tests.htui.screens.stage import SESSION, Stage, stage

DIFFERENCE = "--- a/b.py\n+++ b/b.py\n@@ -1,2 +1,2 @@\n-old line\n+new line\n same\n"
SINCE = "@@ -2 +2 @@\n-same\n+what a person wrote\n"


def turn(number: int, *files: dict[str, Any]) -> dict[str, Any]:
    return {"turn": number, "files": list(files), "uncovered": []}


async def opened(s: Stage, *turns: dict[str, Any]) -> None:
    s.link.answers.setdefault("undo/changes", {"turns": list(turns)})
    s.link.answers.setdefault("undo/difference", {"difference": DIFFERENCE})
    s.link.value("changes", list(turns))
    await s.type("/changes")
    await s.press("enter")
    await s.until(lambda: isinstance(s.app.screen, ChangesScreen))
    await s.sees("Changes")


def called(s: Stage, endpoint: str) -> list[dict[str, Any]]:
    return [args["request"] for name, args in s.link.calls if name == endpoint]


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_h10_after_a_turn_its_files_are_a_key_away(tmp_path: Path, size: tuple[int, int]) -> None:
    async with stage(tmp_path, size=size) as s:
        s.log.begin("Do it.")
        files = row("a.py", "created", added=2, removed=0, by="tool"), row("b.py", added=1, removed=1, by="command")
        s.link.value("changes", [turn(1, *files)])
        s.log.say("Done.")
        assert "/changes" not in s.text
        s.log.end()
        await s.sees("2 files changed · /changes")
        s.link.answers |= {"undo/changes": {"turns": []}, "undo/difference": {"difference": DIFFERENCE}}
        await s.press("ctrl+g")
        await s.sees("Turn 1 · 2 files", " A a.py", "+2 −0", " M b.py", "a accept turn", "u undo turn")
        await s.press("down", "down")
        await s.sees("changed by a command", "Enter shows", "u undo", "t undo turn")
        await s.press("enter")
        await s.sees("-old line", "+new line", "← → files")
        assert called(s, "undo/difference") == [{"sessionId": SESSION, "turn": 1, "path": "b.py"}]
        await s.press("left")
        await s.sees("── a.py")
        await s.press("escape", "escape")
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))


async def test_h10_the_list_shows_what_the_host_recorded_and_not_what_was_asked_for(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await opened(s, turn(1, row("b.py")))
        s.link.answers["undo/undo"] = {"turn": 1, "files": ["b.py"], "refused": [], "spared": []}
        await s.press("down", "u")
        await s.sees("Undone: 1 file.")
        assert called(s, "undo/undo") == [{"sessionId": SESSION, "turn": 1, "paths": ["b.py"]}]
        assert " M b.py\n" in s.text
        s.link.value("changes", [turn(1, row("b.py", status="undone"))])
        await s.sees("undone\n", "r redo")
        await s.misses("u undo")
        s.link.answers["undo/redo"] = {"turn": 1, "files": ["b.py"], "refused": [], "spared": []}
        await s.press("r")
        await s.sees("Done again: 1 file.")
        s.link.value("changes", [turn(1, row("b.py"))])
        s.link.answers["undo/accept"] = {"turn": 1, "files": ["b.py"]}
        await s.sees("a accept")
        await s.press("a")
        await s.sees("Accepted: 1 file.")
        s.link.value("changes", [turn(1, row("b.py", status="accepted"))])
        await s.sees("✓ kept")
        await s.press("a", "r", "up")
        await s.misses("undo turn")
        assert len(called(s, "undo/accept")) == len(called(s, "undo/redo")) == 1


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_l14_a_refusal_shows_what_a_person_wrote_since(tmp_path: Path, size: tuple[int, int]) -> None:
    async with stage(tmp_path, size=size) as s:
        await opened(s, turn(1, row("a.py"), row("b.py")))
        s.link.answers["undo/difference"] = {"difference": DIFFERENCE, "since": SINCE}
        refused = [{"path": "b.py", "reason": "it has been changed since", "difference": SINCE}]
        s.link.answers["undo/undo"] = {"turn": 1, "files": ["a.py"], "refused": refused, "spared": []}
        await s.press("u")
        await s.sees("Undo the whole turn, 2 files?")
        await s.press("n")
        await s.misses("Undo the whole turn")
        assert called(s, "undo/undo") == []
        await s.press("u", "y")
        await s.sees(
            "── b.py", "Changed since, not by this turn:", "+what a person wrote", "Undone: 1 file. b.py was left"
        )
        assert called(s, "undo/undo") == [{"sessionId": SESSION, "turn": 1}]


async def test_h10_by_mouse_a_row_is_chosen_shown_and_undone(tmp_path: Path) -> None:
    async with stage(tmp_path, size=(40, 15)) as s:
        await opened(s, turn(1, row("a.py"), row("b.py")))
        s.link.answers["undo/undo"] = {"turn": 1, "files": ["b.py"], "refused": [], "spared": []}
        place = next(at for at, line in enumerate(s.rows) if "b.py" in line)
        await s.pilot.click(offset=(5, place))
        await s.sees("Enter shows")
        await s.pilot.click(offset=(5, place))
        await s.sees("+new line")
        foot = next(at for at, line in enumerate(s.rows) if "u undo" in line)
        await s.pilot.click(offset=(s.rows[foot].index("u undo") + 2, foot))
        await s.sees("Undone: 1 file.")
        assert called(s, "undo/undo") == [{"sessionId": SESSION, "turn": 1, "paths": ["b.py"]}]


async def test_h10_a_turn_for_which_the_projection_has_no_room_is_read(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.answers["undo/changes"] = {"turns": [turn(1, row("many.py")), turn(2, row("b.py"))]}
        await opened(s, {"turn": 2, "count": 90, "files": [], "uncovered": []})
        await s.sees("Turn 2 · 1 file", "b.py", "Turn 1 · 1 file", "many.py")


async def test_h10_nothing_changed_and_a_refused_call_are_told(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await opened(s)
        await s.sees("The agent changed no file in this session.")
        await s.press("escape")
        await s.type("/changes now")
        await s.press("enter")
        await s.sees("/changes takes the number of a turn, not “now”.")
