"""Commands in a real terminal of their own."""

import asyncio
import os
import threading
from pathlib import Path

import pytest

from hd.process.child import Screen
from hd.process.run import Hand, Ran, Runner
from hd.process.terminal import Terminal
from tests.process.conftest import alive, until


class Stage:
    """A command that runs in a terminal while a test types."""

    def __init__(self, runner: Runner, workspace: Path, command: str) -> None:
        self.said = ""
        self.hand: Hand | None = None
        self.stop = asyncio.Event()
        self.task = asyncio.create_task(
            runner.run(
                command,
                cwd=workspace,
                run_id="terminal-1",
                timeout_s=None,
                on_output=self._hear,
                stop=self.stop,
                screen=Screen(columns=101, rows=33),
                on_start=self._begun,
            )
        )

    def _hear(self, text: str) -> None:
        self.said += text

    def _begun(self, hand: Hand) -> None:
        self.hand = hand

    async def line(self, line: str) -> None:
        await until(lambda: self.hand is not None and line in self.hand.line)

    def type(self, text: str) -> None:
        assert self.hand is not None
        assert self.hand.type(text)

    async def ran(self) -> Ran:
        async with asyncio.timeout(20):
            return await self.task


async def test_h8_it_is_a_terminal_of_its_own_with_a_size(runner: Runner, workspace: Path) -> None:
    stage = Stage(
        runner, workspace, "tty; stty size; test -t 0 && test -t 2; echo $?; ps -o tty= -p $$; echo $TERM; exit 5"
    )
    ran = await stage.ran()
    name, size, both, controlling, kind = ran.output.splitlines()
    assert (size, both, kind, ran.exit_code) == ("33 101", "0", "xterm-256color", 5)
    assert name == f"/dev/{controlling.strip()}"
    assert stage.said == ran.output
    assert "".join(runner.spills.blocks("terminal-1") or ()) == ran.output


async def test_h8_a_program_that_asks_is_answered(runner: Runner, workspace: Path) -> None:
    stage = Stage(runner, workspace, "read -p 'name? ' name; echo \"hello $name\"")
    await stage.line("name? ")
    stage.type("world\r")
    assert "hello world\n" in (await stage.ran()).output


async def test_h8_ctrl_c_reaches_the_program(runner: Runner, workspace: Path) -> None:
    stage = Stage(runner, workspace, "trap 'echo caught; exit 7' INT; printf 'waiting '; while :; do sleep 0.05; done")
    await stage.line("waiting ")
    stage.type("\x03")
    ran = await stage.ran()
    assert (ran.exit_code, "caught" in ran.output) == (7, True)


async def test_h8_an_end_of_input_ends_a_reader(runner: Runner, workspace: Path) -> None:
    stage = Stage(runner, workspace, "printf 'now '; cat; echo over")
    await stage.line("now ")
    stage.type("\x04")
    assert (await stage.ran()).output.endswith("over\n")


async def test_h8_stopped_it_ends_with_all_that_it_started(runner: Runner, workspace: Path) -> None:
    stage = Stage(runner, workspace, "setsid sleep 300 & echo $!; sleep 301 & echo $!; wait")
    await until(lambda: stage.said.count("\n") >= 2)
    stage.stop.set()
    ran = await stage.ran()
    assert ran.stopped
    assert not any(alive(int(pid)) for pid in stage.said.split())


async def test_h8_dangerous_output_is_cleaned(runner: Runner, workspace: Path) -> None:
    command = r"printf '\033[2J\033]52;c;aGk=\007\033]0;title\007\033[31mred\033[0m\x07\x9b1m\n'"
    assert (await Stage(runner, workspace, command).ran()).output.startswith("red")
    assert "\x1b" not in (await Stage(runner, workspace, command).ran()).output


async def test_h8_a_virtual_environment_of_the_workspace_is_active(runner: Runner, workspace: Path) -> None:
    programs = workspace / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "activate").touch()
    (programs / "python").write_text("#!/bin/sh\necho mine\n")
    (programs / "python").chmod(0o755)
    stage = Stage(runner, workspace, "python; echo $VIRTUAL_ENV")
    assert (await stage.ran()).output == f"mine\n{workspace / '.venv'}\n"


async def test_no_descriptor_and_no_thread_is_left(runner: Runner, workspace: Path) -> None:
    await Stage(runner, workspace, "true").ran()
    before = len(os.listdir("/proc/self/fd")), threading.active_count()
    await asyncio.gather(*(Stage(runner, workspace, "true").ran() for _ in range(4)))
    with pytest.raises(OSError):
        await Stage(runner, workspace / "gone", "true").ran()
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == before


async def test_d05_a_flood_in_a_terminal_can_be_stopped(runner: Runner, workspace: Path) -> None:
    stage = Stage(runner, workspace, "yes")
    await until(lambda: len(stage.said) > 1_000_000)
    stage.stop.set()
    ran = await stage.ran()
    assert ran.truncated
    assert len(ran.output) < 300_000


async def told(*pieces: str) -> Terminal:
    pages: list[str] = []
    terminal = Terminal("x", 0, pages.append)
    for piece in pieces:
        terminal.hear(piece)
    await terminal.spoken(0.05)
    terminal.pages += pages
    return terminal


@pytest.mark.parametrize(
    "pieces, how",
    [
        (["loading\n"], "waiting"),
        (["Server listen", "ing on :3000\n"], "started"),
        (["Server listening on :3000"], "waiting"),
        (["Traceback (most recent call last):\n", "ready on port 3000\n"], "failed"),
        (["ready on port 3000\n", "Error: listen EADDRINUSE\n"], "failed"),
    ],
)
async def test_h8_how_a_terminal_stands_is_read_from_whole_lines(pieces: list[str], how: str) -> None:
    assert (await told(*pieces)).seen(1).how == how


async def test_h8_an_address_is_offered_once() -> None:
    terminal = await told("at http://localhost:1/ and http://0.0.0.0:2\n", "at http://localhost:1/\n")
    assert terminal.pages == ["http://localhost:1/", "http://127.0.0.1:2"]


@pytest.mark.parametrize(
    "pieces",
    [["http", "://localhost:1/\n"], ["http:", "//localhost:1/\n"], ["x\nhttp://localh", "ost:1/\n"]],
)
async def test_h8_an_address_behind_the_answer_is_offered_too(pieces: list[str]) -> None:
    pages: list[str] = []
    terminal = Terminal("x", 0, pages.append)
    terminal.hear("ready on port 1\n")
    await terminal.spoken(0.01)
    for piece in ["flood\n" * 1000, *pieces, "flood\n" * 1000]:
        terminal.hear(piece)
    assert pages == ["http://localhost:1/"]
    assert terminal.seen(1).how == "started"
