"""Screens and panels look as they did (`tests.htui.snapshots`)."""

from pathlib import Path

import pytest

from tests.htui.snapshots import FOLDER, SCENES, SIZES, file_of, taken
from tests.support.svg import difference, text_of

LARGE = SIZES[-1]


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTUI_CONFIG_DIR", str(tmp_path / "config"))


@pytest.mark.parametrize(
    "size", [*SIZES[:-1], pytest.param(LARGE, marks=pytest.mark.long)], ids=lambda size: f"{size[0]}x{size[1]}"
)
@pytest.mark.parametrize("name", SCENES)
async def test_a_screen_looks_as_it_did(name: str, size: tuple[int, int], tmp_path: Path) -> None:
    now, file = await taken(name, size, tmp_path), file_of(name, size)
    kept = file.read_text() if file.exists() else ""
    assert now == kept, f"{file.name}: python -m tests.htui.snapshots {name}\n{difference(kept, now)}"


def test_every_picture_is_of_a_scene() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {file_of(name, size).name for name in SCENES for size in SIZES}


ANSWERS = {"approval": "1 allow once", "question": "1 SQLite", "plan": "1 Approve", "terminal": "Ctrl+] leaves"}


@pytest.mark.parametrize("name", SCENES)
async def test_j13_every_screen_can_be_read_at_twenty_by_ten(name: str, tmp_path: Path) -> None:
    shown = await taken(name, (20, 10), tmp_path)
    assert ANSWERS.get(name, "") in text_of(shown)
    assert all(len(row) <= 20 for row in text_of(shown).split("\n"))
