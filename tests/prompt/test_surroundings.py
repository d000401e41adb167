"""What a session is told of the place it works in, of a real disk."""

import asyncio
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hd import surroundings
from hd.files.guard import Guard
from hd.files.tree import Seen, Tree
from hd.process.sandbox.probe import probe
from hd.process.sandbox.sandbox import Sandbox
from hd.prompt.tree import Told
from hd.protocol.projections.changes import CHANGES
from hd.protocol.projections.sandbox import SANDBOX
from hd.session.live import Header
from hd.surroundings import Surroundings


class Session:
    """As much of a session as is asked for its surroundings."""

    def __init__(self, folder: Path, told: Mapping[str, str] | None = None) -> None:
        self.id = "session-1"
        self.header = Header(self.id, 0, str(folder))
        self.values: dict[str, Any] = {
            "preset": "workspace-write",
            "plan": False,
            "sandbox": SANDBOX.initial,
            "changes": CHANGES.initial,
            "workspaceTree": Told(),
            "history": type("History", (), {"sections": told or {}}),
        }

    def value(self, key: str) -> Any:
        return self.values[key]


def around(home: Path, *sources: Any) -> Surroundings:
    day = datetime(2026, 3, 1, tzinfo=UTC)
    return Surroundings(Guard(), Sandbox(probe(), own=home, home=home), "/bin/sh", home, lambda: day, sources)


async def seen(folder: Path, home: Path) -> tuple[dict[str, str], str]:
    """The sections, and the tree."""
    place, session = around(home), Session(folder)
    await place.look(session)
    news = place.tree(session)
    return place.sections(session), news.text if news else ""


async def test_the_kind_of_the_project_and_its_tree_are_told(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "package.json").touch()
    sections, tree = await seen(tmp_path, Path("/nowhere"))
    assert sections["Project"] == "JavaScript (package.json), Python (pyproject.toml)"
    assert sections["Date"] == "2026-03-01 (Sunday)"
    assert "Tree" not in sections
    assert tree.endswith("./: package.json, pyproject.toml")


async def test_the_home_of_a_person_is_not_listed_and_that_is_said(tmp_path: Path) -> None:
    home = tmp_path / "home/me"
    (home / "diary.txt").parent.mkdir(parents=True)
    (home / "diary.txt").touch()
    for folder in (home, tmp_path):
        sections, tree = await seen(folder, home)
        assert sections["Tree"].startswith("not told: this folder holds a person's whole home")
        assert (tree, "Project" in sections) == ("", False)
    (home / "work").mkdir()
    (home / "work/a").touch()
    assert (await seen(home / "work", home))[1].endswith("./: a")


async def test_a_folder_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    sections, tree = await seen(tmp_path / "gone", Path("/nowhere"))
    assert (sections["Tree"], tree) == ("not told: this folder could not be read.", "")


async def test_a_slow_disk_holds_up_no_turn_and_makes_nothing_look_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "go.mod").touch()
    go, wait = os.pipe()
    real = Tree.look

    def slow(self: Tree, wanted: Any = ()) -> Seen:
        os.read(go, 1)
        return real(self, wanted)

    monkeypatch.setattr(Tree, "look", slow)
    monkeypatch.setattr(surroundings, "WAIT_S", 0.001)
    place, session = around(Path("/nowhere")), Session(tmp_path, told={"Project": "Go (go.mod)"})
    await place.look(session)
    assert place.tree(session) is None
    assert place.sections(session)["Project"] == "Go (go.mod)"
    assert not place.rests(session.id)
    os.write(wait, b"x")
    await asyncio.wait_for(place.close(), 10)
    news = place.tree(session)
    assert news is not None
    assert news.text.endswith("./: go.mod")
    assert place.rests(session.id)
    os.close(go)
    os.close(wait)


async def test_another_source_of_sections_plugs_in(tmp_path: Path) -> None:
    place = around(Path("/nowhere"), lambda session: {"Remembered": f"of {session.id}"})
    assert place.sections(Session(tmp_path))["Remembered"] == "of session-1"
