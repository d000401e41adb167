"""Several terminals at one session: a draft outlives everything (case J16), and each says what the others decided."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.htui.pty.test_daemon import htui, pressed
from tests.support.daemon import Daemon
from tests.support.preloaded import PreloadedDaemon
from tests.support.terminal import Terminal

pytestmark = pytest.mark.long


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    running = PreloadedDaemon(tmp_path / "home", arguments=["--demo"]).start()
    yield running
    if running.process is not None:
        running.stop()


def session_of(daemon: Daemon) -> str:
    (row,) = daemon.call("session/list", _request={})["items"]
    return str(row["sessionId"])


def keeps(daemon: Daemon, session_id: str, text: str, terminal: Terminal) -> None:
    """Waits until the daemon has the draft, while the terminal is read."""

    def kept(t: Terminal) -> bool:
        t.read(0.05)
        return bool(daemon.call("drafts/get", sessionId=session_id)["text"] == text)

    terminal.wait(kept, f"the draft {text!r} at the daemon")


def test_j16_a_draft_outlives_both_programs_and_shows_on_another_machine(daemon: Daemon, tmp_path: Path) -> None:
    with htui(daemon, tmp_path) as t:
        t.wait_for("● Ready")
        session_id = session_of(daemon)
        t.send("half a thou")
        t.wait_for("❯ half a thou")
        keeps(daemon, session_id, "half a thou", t)
        t.kill(signal.SIGKILL)
    daemon.kill()
    daemon.start()
    (tmp_path / "elsewhere").mkdir()
    with htui(daemon, tmp_path / "elsewhere", session_id) as phone:
        phone.wait_for("❯ half a thou")
        phone.send("ght")
        keeps(daemon, session_id, "half a thought", phone)
    with htui(daemon, tmp_path, session_id) as t:
        t.wait_for("❯ half a thought")


def test_j16_two_terminals_at_one_session_show_one_draft(daemon: Daemon, tmp_path: Path) -> None:
    with htui(daemon, tmp_path) as one:
        one.wait_for("● Ready")
        session_id = session_of(daemon)
        with htui(daemon, tmp_path, session_id) as two:
            two.wait_for("● Ready")
            one.send("typed in one")
            two.wait_for("❯ typed in one")
            one.send("\r")
            two.wait_for("❯ You")
            two.wait(lambda t: "❯ typed in one" not in t.text, "the draft gone")


def test_what_one_terminal_decides_the_other_says(daemon: Daemon, tmp_path: Path) -> None:
    with htui(daemon, tmp_path) as one:
        one.wait_for("● Ready")
        session_id = session_of(daemon)
        with htui(daemon, tmp_path, session_id, columns=40, lines=15) as two:
            two.wait_for("2 clients")
            one.send("/permission read-only\r")
            two.wait_for("· /permission read-only")
            one.send("run echo it-ran | tee made\r")
            two.wait_for("? Allow run_command?")
            one.wait_for("? Allow run_command?")
            one.wait(lambda t: pressed(t, "1"), "the approval given")
            two.wait_for("Allowed once by another client")
            two.wait_for("● Ready")
        one.wait_for("● Ready")
        assert "another client" not in one.text
        one.wait(lambda t: "2 clients" not in t.text, "the other gone")
