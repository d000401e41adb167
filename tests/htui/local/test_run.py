"""Commands on the machine of the client (row T22): real processes, bounded, and ended with all they started."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from htui.local.run import LocalRuns
from htui.present.jobs import KEPT

ENVIRON = {"PATH": os.environ["PATH"], "SHELL": "/bin/sh", "HTUI_TOKEN": "nobody-sees-me"}


@pytest.fixture
async def runs() -> AsyncIterator[LocalRuns]:
    found = LocalRuns(ENVIRON)
    yield found
    await found.close()


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.to_thread(os.sched_yield)


def alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    return False


async def test_t22_a_command_runs_in_its_folder_without_a_terminal_or_our_secrets(
    runs: LocalRuns, tmp_path: Path
) -> None:
    run = runs.start("pwd; env; cat; tty; printf 'half \\344\\275' >&2; exit 3", tmp_path)
    await until(lambda: not run.running)
    text = "\n".join(run.output.lines)
    assert run.output.lines[0] == str(tmp_path)
    assert "TERM=dumb" in text
    assert "nobody-sees-me" not in text
    assert "not a tty" in text
    assert text.rstrip("�").endswith("half ")
    assert run.code == 3


async def test_t22_stopping_ends_the_whole_group_also_what_ignores_it(runs: LocalRuns, tmp_path: Path) -> None:
    run = runs.start("trap '' TERM; sleep 300 & echo $! $$; wait; sleep 300", tmp_path)
    await until(lambda: len(run.output.lines) > 1)
    child, shell = map(int, run.output.lines[0].split())
    await run.stop()
    await until(lambda: not run.running)
    await until(lambda: not alive(child) and not alive(shell))
    assert run.code == -9


async def test_t22_what_a_command_leaves_behind_ends_with_it_and_holds_nobody_up(
    runs: LocalRuns, tmp_path: Path
) -> None:
    run = runs.start("sleep 300 & echo $!", tmp_path)
    await until(lambda: not run.running)
    await until(lambda: not alive(int(run.output.lines[0])))
    assert run.code == 0


async def test_t22_the_end_of_the_program_ends_the_command(tmp_path: Path) -> None:
    runs = LocalRuns(ENVIRON)
    run = runs.start("echo $$; sleep 300", tmp_path)
    await until(lambda: len(run.output.lines) > 1)
    await runs.close()
    assert not alive(int(run.output.lines[0]))


async def test_t22_output_is_bounded_from_its_beginning(runs: LocalRuns, tmp_path: Path) -> None:
    dropped: list[int] = []
    runs.watcher = dropped.append
    run = runs.start(
        "i=0; while [ $i -lt 9000 ]; do echo line $i of many that are long enough; i=$((i+1)); done", tmp_path
    )
    await until(lambda: not run.running)
    assert sum(map(len, run.output.lines)) <= KEPT
    assert run.output.lines[-2] == "line 8999 of many that are long enough"
    assert sum(dropped) + len(run.output.lines) == 9001


async def test_t22_what_cannot_be_started_says_why(runs: LocalRuns, tmp_path: Path) -> None:
    run = runs.start("true", tmp_path / "gone")
    await until(lambda: not run.running)
    assert "could not be started" in run.failed
    assert not LocalRuns({"HTUI_NO_SHELL": "1"}).allowed
