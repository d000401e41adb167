"""The list of saved prompts on the screen (row T13)."""

from pathlib import Path

import pytest

from htui.screens.prompts import PromptsScreen
from htui.screens.session import SessionScreen
from tests.htui.screens.stage import Stage, stage


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HTUI_CONFIG_DIR", str(tmp_path / "config"))
    return tmp_path / "config"


async def listed(s: Stage) -> None:
    await s.type("/prompt")
    await s.press("enter")
    await s.until(lambda: isinstance(s.app.screen, PromptsScreen))


@pytest.mark.parametrize("size", [(80, 24), (20, 10)])
async def test_t13_a_prompt_is_saved_chosen_and_not_sent(tmp_path: Path, size: tuple[int, int]) -> None:
    async with stage(tmp_path, size=size) as s:
        await s.type("/prompt Run the tests")
        await s.press("enter")
        await s.sees("Saved")
        await listed(s)
        await s.sees("▲ Write", "Run the tests")
        await s.press("down", "enter")
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))
        assert s.chat.editor.text == "Run the tests"
        assert not any(name == "session/prompt" for name, _ in s.link.calls)


async def test_t13_prompts_are_edited_pinned_and_removed(tmp_path: Path, folder: Path) -> None:
    async with stage(tmp_path) as s:
        await listed(s)
        await s.press("down", "e")
        await s.type(" Now")
        await s.press("enter")
        await s.misses("Read the changes that are not committed as somebody who did not write them. List · shipped")
        await s.press("p")
        await s.sees("▲ Read the changes")
        await s.press("d")
        await s.sees("d once more removes it")
        await s.press("d")
        await s.misses("Read the changes")
        assert '"removed"' in (folder / "prompts.json").read_text()
        await s.press("down", "e", "escape")
        await s.sees("Esc back")
        await s.press("escape")
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))


async def test_t13_a_damaged_file_is_told_and_the_shipped_ones_are_there(tmp_path: Path, folder: Path) -> None:
    folder.mkdir()
    (folder / "prompts.json").write_text("no json")
    async with stage(tmp_path, size=(120, 24)) as s:
        await listed(s)
        await s.sees("cannot be read", "▲ Write")
