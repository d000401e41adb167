"""A phone's way through a turn at a real daemon: its changes rejected and done again, its terminal used (H10, X12)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.htui.pty.test_daemon import htui
from tests.support.daemon import Daemon
from tests.support.model_process import model_url as model_url
from tests.support.preloaded import PreloadedDaemon

pytestmark = pytest.mark.long


@pytest.fixture
def daemon(tmp_path: Path, model_url: str) -> Iterator[Daemon]:
    environment = {"DEEPSEEK_API_KEY": "sk-house-test-key", "DEEPSEEK_BASE_URL": model_url}
    with PreloadedDaemon(tmp_path / "home", environment=environment) as running:
        yield running


def test_h10_x12_changes_and_a_terminal_on_a_small_screen(daemon: Daemon, tmp_path: Path) -> None:
    with htui(daemon, tmp_path, columns=40, lines=15) as t:
        t.wait_for("● Ready")
        t.send("/permission danger-full-access\r")
        t.wait_for("From now on")
        t.send('[[tool write_file {"path": "a.txt", "content": "one\\n"}]]\r')
        t.wait_for("1 file changed · /changes")
        (made,) = tmp_path.rglob("a.txt")
        t.send("\x07")
        t.wait_for("Turn 1 · 1 file")
        t.send("\x1b[B\r")
        t.wait_for("+one")
        t.send("u")
        t.wait_for("Undone: 1 file.")
        t.wait(lambda _: not made.exists())
        t.wait_for("r redo")
        t.send("r")
        t.wait_for("Done again: 1 file.")
        assert made.read_text() == "one\n"
        made.write_text("mine\n")
        t.wait_for("a accept")
        t.send("u")
        t.wait_for("a.txt was left as it is")
        t.wait_for("+mine")
        assert made.read_text() == "mine\n"
        t.send("q")
        t.wait_for("Turn 1")
        t.send("q")
        t.wait_for("● Ready")
        t.send('[[tool run_in_terminal {"command": "echo listening on port 9; sh"}]]\r')
        t.wait_for("✓ run_in_terminal")
        t.send("/attach 1\r")
        t.wait_for("Ctrl+] leaves")
        t.send("stty size\r")
        t.wait_for("14 40")
        t.resize(60, 20)
        t.wait(lambda term: "Ctrl+] leaves" in term.rows[-1])
        t.send("stty size; printf '\\033]0;x\\007\\033[31mred'\r")
        t.wait_for("19 60")
        t.wait_for("\nred")
        t.send("\x1d")
        t.wait_for("● Ready")
        t.send("/attach 1\r")
        t.wait_for("19 60")
        t.send("\x04")
        t.wait_for("Ended: exit code: 0")
    assert b"\x1b]0;x" not in t.raw
