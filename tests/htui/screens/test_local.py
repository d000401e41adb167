"""`!COMMAND` and Ctrl+O (row T22)."""

from pathlib import Path

import pytest

from htui.screens.local import LocalScreen
from htui.screens.session import SessionScreen
from tests.htui.screens.stage import stage


@pytest.mark.parametrize("size", [(80, 24), (20, 10)])
async def test_t22_a_command_is_run_here_shown_and_come_back_to(tmp_path: Path, size: tuple[int, int]) -> None:
    async with stage(tmp_path, size=size) as s:
        s.app.directory = tmp_path
        await s.type("!echo he''re; printf '\\033[2Jx'; exit 4")
        await s.press("enter")
        await s.until(lambda: isinstance(s.app.screen, LocalScreen))
        await s.sees("here", "␛[2Jx", "exit code 4", "Esc goes back")
        await s.press("escape")
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))
        assert not any(name == "session/prompt" for name, _ in s.link.calls)
        assert s.chat.editor.empty
        await s.press("ctrl+o")
        await s.sees("exit code 4")


async def test_t22_one_at_a_time_and_it_can_be_stopped(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.app.directory = tmp_path
        await s.type("!echo begun; sleep 300")
        await s.press("enter")
        await s.sees("begun", "running", "Ctrl+C stops it", "on this machine")
        await s.press("escape")
        await s.type("!echo second")
        await s.press("enter")
        await s.sees("A command runs here already", "!echo second")
        await s.press("ctrl+o")
        await s.press("ctrl+c")
        await s.sees("ended by signal 15")


async def test_t22_where_it_is_switched_off_or_empty_nothing_runs(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.type("!")
        await s.press("enter")
        await s.sees("runs a command on this machine, and not at the host")
        s.app.local.allowed = False
        await s.type("date")
        await s.press("enter")
        await s.sees("switched off", "!date")
        assert s.app.local.last is None


async def test_output_without_end_in_one_line_is_shown_and_can_be_stopped(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.app.directory = tmp_path
        await s.type("!cat /dev/zero")
        await s.press("enter")
        await s.sees("␀␀␀", "running")
        await s.press("ctrl+c")
        await s.sees("ended by signal 15")


async def test_the_screen_that_goes_leaves_the_one_that_came_for_the_same_command(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.app.directory = tmp_path
        await s.type("!sleep 300")
        await s.press("enter")
        await s.sees("running")
        first = s.app.screen
        assert s.app.local.last is not None
        s.app.back()
        s.app.lay(LocalScreen(s.app, s.app.local.last))
        await s.until(lambda: not first.is_attached and s.app.screen is not first)
        assert s.app.local.watcher is not None
