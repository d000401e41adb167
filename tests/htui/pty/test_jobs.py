"""A command that runs, seen from htui: listed, followed and stopped at a real daemon."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.htui.pty.test_daemon import htui
from tests.support.daemon import Daemon
from tests.support.preloaded import PreloadedDaemon

pytestmark = pytest.mark.long


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    with PreloadedDaemon(tmp_path / "home", arguments=["--demo"]) as running:
        yield running


def commands(daemon: Daemon) -> list[Any]:
    """What runs in the session that was prompted."""
    sessions = [row["sessionId"] for row in daemon.call("session/list", _request={})["items"]]
    return [one for each in sessions for one in daemon.call("process/list", request={"sessionId": each})["commands"]]


def test_a_command_is_watched_and_stopped(daemon: Daemon, tmp_path: Path) -> None:
    with htui(daemon, tmp_path) as t:
        t.wait_for("● Ready")
        t.send("/permission danger-full-access\r")
        t.wait_for("· /permission danger-full-access")
        t.send("run seq 1 60; echo to-the-end; sleep 600\r")
        t.wait_for("⚙ run_command")
        # A call is shown as soon as it is made; its command begins once the daemon has looked at the folder.
        t.wait(lambda _: commands(daemon))
        t.send("/ps\r")
        t.wait_for("Commands of this session")
        t.wait_for("◐ #1 ")
        t.send("1")
        t.wait_for("to-the-end")
        t.wait_for("s stops it")
        t.send("s")
        t.wait_for("y stops it")
        t.send("y")
        t.wait_for("stopped by a person")
        t.send("q")
        t.wait_for("● Ready")
