"""The terminal is clean whatever ends the program (cases J08, J22, row T8)."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.htui.pty.running import ROOT, htui, ready
from tests.support.terminal import Terminal, modes_left_on

MAIN_SCREEN = {7, 25}
"""Modes that are on in a terminal at rest: wrapping and the cursor."""


def assert_clean(terminal: Terminal, before: list[object]) -> None:
    raw = bytes(terminal.raw)
    assert modes_left_on(raw) <= MAIN_SCREEN
    assert raw.count(b"\x1b[>") <= raw.count(b"\x1b[<u")
    assert raw.rindex(b"\x1b[?25h") > raw.rindex(b"\x1b[?25l")
    assert raw.rindex(b"\x1b[?7h") > raw.rindex(b"\x1b[?7l")
    assert terminal.tty() == before


@pytest.mark.parametrize("way", ["quit", "ctrl+c", "SIGTERM", "SIGHUP", "SIGINT"])
def test_j08_the_terminal_is_clean_after_every_way_out(tmp_path: Path, way: str) -> None:
    with htui("chat", tmp_path) as t:
        before = t.tty()
        ready(t)
        assert t.tty() != before
        if way == "quit":
            t.send("/quit\r")
        elif way == "ctrl+c":
            t.send("\x03")
        else:
            t.kill(signal.Signals[way])
        assert t.wait_end() == 0
        assert_clean(t, before)


def test_j08_leaving_while_a_turn_runs_says_that_it_goes_on(tmp_path: Path) -> None:
    with htui("running", tmp_path) as t:
        before = t.tty()
        t.wait_for("run_command")
        t.send("/quit\r")
        assert t.wait_end() == 0
        assert_clean(t, before)
        assert b"The turn goes on at the host. Come back to it with: htui 00000000" in t.raw


def test_j24_the_second_press_leaves_without_waiting_for_the_host(tmp_path: Path) -> None:
    with htui("running", tmp_path) as t:
        t.wait_for("run_command")
        t.send("\x03")
        t.wait_for("Stopping")
        t.send("\x03")
        assert t.wait_end() == 0
        assert b"The turn goes on" not in t.raw


def test_j08_a_defect_leaves_a_clean_terminal_and_a_log(tmp_path: Path) -> None:
    with htui("defect", tmp_path) as t:
        before = t.tty()
        assert t.wait_end() == 1
        assert_clean(t, before)
        assert b"htui ended by a defect (RuntimeError)" in t.raw
        assert b"Traceback" not in t.raw
        assert "a defect of the test" in (tmp_path / "htui.log").read_text()


def test_j08_a_defect_at_the_start_leaves_a_clean_terminal(tmp_path: Path) -> None:
    with htui("no such scene", tmp_path) as t:
        before = t.tty()
        assert t.wait_end() == 1
        assert modes_left_on(bytes(t.raw)) <= MAIN_SCREEN
        assert t.tty() == before


def test_j08_a_terminal_that_goes_away_ends_the_program(tmp_path: Path) -> None:
    with htui("chat", tmp_path) as t:
        ready(t)
        t.send("a draft")
        t.wait_for("a draft")
        t.process.fileobj.close()
        t.process.wait()
        assert not t.process.isalive()
        assert list((tmp_path / "drafts").iterdir())


def run(tmp_path: Path, **environ: str) -> Terminal:
    argv = [sys.executable, "-c", "import sys; from htui.cli import main; sys.exit(main([]))"]
    state = {"HTUI_STATE_DIR": str(tmp_path), "HD_HOME": str(tmp_path), "HTUI_AUTH_DIR": str(tmp_path / "auth")}
    return Terminal(argv, cwd=ROOT, environ={**state, **environ})


def test_t24_a_terminal_that_cannot_place_text_is_told(tmp_path: Path) -> None:
    with run(tmp_path, TERM="dumb") as t:
        assert t.wait_end() == 2
        assert b"TERM is dumb" in t.raw
        assert b"\x1b" not in t.raw


def test_ctrl_z_stops_only_where_a_shell_takes_over(tmp_path: Path) -> None:
    with htui("chat", tmp_path) as t:
        ready(t)
        t.send("\x1aafter")
        t.wait_for("❯ after")


def test_ctrl_z_gives_the_terminal_to_the_shell_and_fg_takes_it_back(tmp_path: Path) -> None:
    environ = {"HTUI_STATE_DIR": str(tmp_path), "PS1": "shell> ", "ENV": ""}
    with Terminal(["/bin/sh", "-i"], cwd=ROOT, environ=environ) as t:
        t.wait_for("shell>")
        t.send(f"{sys.executable} -m tests.support.htui_scene chat\r")
        ready(t)
        t.send("a draft")
        t.wait_for("❯ a draft")
        t.send("\x1a")
        t.wait(lambda t: modes_left_on(bytes(t.raw)) <= MAIN_SCREEN, "the modes off")
        t.wait(lambda t: bytes(t.raw).rstrip().endswith(b"shell>"), "the shell")
        t.send("echo $((40 + 2))\r")
        t.wait(lambda t: b"42" in t.raw)
        t.send("fg\r")
        t.wait(lambda t: 1049 in modes_left_on(bytes(t.raw)), "the program again")
        t.wait_for("❯ a draft")
        t.send("\x03\x03")
        t.wait(lambda t: modes_left_on(bytes(t.raw)) <= MAIN_SCREEN, "the modes off")


def test_j08_a_terminal_that_takes_nothing_does_not_hold_the_program(tmp_path: Path) -> None:
    with htui("history", tmp_path) as t:
        t.wait_for("answer 4999 with bold and code")
        for _ in range(200):
            t.send("\x1b[5~")
        t.kill(signal.SIGTERM)
        t.process.wait()
        assert t.process.exitstatus == 0


def test_the_program_loads_nothing_that_it_may_never_need() -> None:
    unwanted = {"pygments", "markdown_it", "httpx", "aiohttp", "websockets", "cryptography", "pricing"}
    code = "import sys, htui.app; print(*{name.split('.')[0] for name in sys.modules}, 'rich.markdown' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not unwanted & set(found.stdout.split())
    assert "True" not in found.stdout
