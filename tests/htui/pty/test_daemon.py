"""htui and hd together: a folder, a prompt, an approval, a question, and coming back (the first five minutes)."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.daemon import Daemon
from tests.support.preloaded import PreloadedDaemon
from tests.support.terminal import Terminal

pytestmark = pytest.mark.long


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    running = PreloadedDaemon(tmp_path / "home", arguments=["--demo"]).start()
    yield running
    running.stop()


def htui(daemon: Daemon, tmp_path: Path, *arguments: str, columns: int = 80, lines: int = 24) -> Terminal:
    folder = tmp_path / "proj"
    folder.mkdir(exist_ok=True)
    (folder / "hello.py").write_text("print('hello')\n")
    environ = {
        "HTUI_URL": f"http://127.0.0.1:{daemon.port}/?token={daemon.token}",
        "HTUI_STATE_DIR": str(tmp_path / "state"),
        "HTUI_AUTH_DIR": str(tmp_path / "auth"),
        "HD_HOME": str(tmp_path / "nobody"),
    }
    code = "import sys; from htui.cli import main; sys.exit(main(sys.argv[1:]))"
    return Terminal([sys.executable, "-c", code, *arguments], cwd=folder, environ=environ, columns=columns, lines=lines)


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
def test_the_first_five_minutes(daemon: Daemon, tmp_path: Path, size: tuple[int, int]) -> None:
    with htui(daemon, tmp_path, columns=size[0], lines=size[1]) as t:
        t.wait_for("New session")
        t.wait_for("● Ready")
        t.send("explain hello.py\r")
        t.wait_for("✓ read_file")
        t.wait_for("● Ready")
        t.send("/permission read-only\r")
        t.wait_for("read-only")
        t.send("run echo it-ran | tee made\r")
        t.wait_for("? Allow run_command?")
        t.wait_for("$ echo it-ran | tee made")
        t.wait(lambda t: pressed(t, "1"), "the approval given")
        t.wait_for("✓ run_command")
        t.wait_for("● Ready")
        t.send("ask me\r")
        t.wait_for("? Question")
        t.wait(lambda t: pressed(t, "2"), "the question answered")
        t.wait_for("Find a word")
        t.wait_for("● Ready")
        t.send("\x03")
        assert t.wait_end() == 0
    with htui(daemon, tmp_path, columns=size[0], lines=size[1]) as t:
        t.wait_for("● Ready")
        t.send("/resume\r")
        t.wait_for("● explain hello.py")
        t.send("explain\r")
        t.wait_for("Find a word")


def pressed(terminal: Terminal, key: str) -> bool:
    """Presses a key of a card, which takes none at first, until the card is gone; what was typed too early goes."""
    if "Needs you" not in terminal.text:
        return True
    if not terminal.read(0.1):
        terminal.send(f"\x7f{key}")
    return False


def test_a_turn_goes_on_without_its_terminal(daemon: Daemon, tmp_path: Path) -> None:
    with htui(daemon, tmp_path) as t:
        t.wait_for("● Ready")
        t.send("/permission read-only\r")
        t.wait_for("read-only")
        t.send("run echo it-ran | tee made\r")
        t.wait_for("? Allow run_command?")
        t.send("/quit\r")
        assert t.wait_end() == 0
        found = re.search(rb"The turn goes on at the host. Come back to it with: htui ([0-9a-f]{8})", bytes(t.raw))
        assert found is not None
        name = found[1].decode()
    with htui(daemon, tmp_path, name) as t:
        t.wait_for("? Allow run_command?")
        t.wait(lambda t: pressed(t, "2"), "the approval denied")
        t.wait_for("✗ run_command")


def test_t4_a_daemon_that_comes_back_is_found_again(daemon: Daemon, tmp_path: Path) -> None:
    with htui(daemon, tmp_path) as t:
        t.wait_for("● Ready")
        t.send("explain hello.py\r")
        t.wait_for("✓ read_file")
        t.wait_for("● Ready")
        port = daemon.port
        daemon.stop()
        t.wait_for("! Offline")
        t.send("still typing")
        t.wait_for("❯ still typing")
        daemon.start(port=port)
        t.wait_for("● Ready")
        t.wait_for("❯ still typing")
        t.wait_for("✓ read_file")
