"""The end of a daemon whose disk takes nothing more: asked for first, and never silent."""

import resource
from pathlib import Path

import msgspec
import pytest

from hd.errors import DONE, FAILED
from tests.cli.command import hd
from tests.support.daemon import Daemon

ROOM = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
NONE = (0, resource.RLIM_INFINITY)
"""A file may not be written at all, which looks to the daemon like a disk that refuses."""


def renamed(daemon: Daemon, session: str, title: str) -> None:
    """Records an event that the disk refuses."""
    result = daemon.result("session/rename", request={"sessionId": session, "title": title})
    assert (result["ok"], result["error"]["code"]) == (False, "store/full")


def title(daemon: Daemon, session: str) -> object:
    return daemon.call("session/projections", request={"sessionId": session})["values"]["title"]


@pytest.mark.long
async def test_i03_a_stop_that_would_lose_something_is_refused_until_there_is_room(home: Path, folder: Path) -> None:
    with Daemon(home, arguments=["--demo"]) as daemon:
        session = await daemon.new_session(folder)
        resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, NONE)
        renamed(daemon, session, "kept")
        ran = hd("stop", home=home)
        assert (ran.code, "not stopped, because something would be lost" in ran.sentence()) == (FAILED, True)
        assert str(home / "store" / "hd.db") in ran.err
        assert daemon.http("GET", "/health")[0] == 200
        resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, ROOM)
        ran = hd("stop", home=home)
        assert (ran.code, ran.out, ran.err) == (DONE, "Stopped.\n", "")
    with Daemon(home, arguments=["--demo"]) as daemon:
        assert title(daemon, session) == "kept"


@pytest.mark.long
async def test_i03_who_insists_is_told_what_is_lost(home: Path, folder: Path) -> None:
    started = hd("web", "--background", "--json", "--demo", "--port", "0", home=home)
    said = msgspec.json.decode(started.out)
    daemon = Daemon(home)
    daemon.port, daemon.token = said["port"], said["url"].partition("token=")[2]
    daemon.cookie = daemon.login()
    session = await daemon.new_session(folder)
    resource.prlimit(said["pid"], resource.RLIMIT_FSIZE, NONE)
    renamed(daemon, session, "lost")
    ran = hd("stop", "--force", home=home)
    assert ran.err.startswith("hd: What was recorded last is lost. ")
    assert ran.err.count("\n") == 1
    with Daemon(home, arguments=["--demo"]) as again:
        assert title(again, session) != "lost"


@pytest.mark.long
def test_the_last_words_of_a_daemon_in_the_background_are_passed_on(home: Path) -> None:
    assert hd("web", "--background", "--demo", "--port", "0", home=home).code == DONE
    database = home / "store" / "hd.db"
    # The footing looks once a second; the stop comes first or second, and the word is the same.
    database.rename(home / "store" / "aside.db")
    ran = hd("stop", home=home)
    if ran.code == FAILED:
        assert "was removed or replaced" in ran.sentence()
    log = (home / "logs" / "hd.log").read_text()
    assert "was removed or replaced" in log
    assert "was removed or replaced" in (home / "logs" / "start.log").read_text()
    assert "Traceback" not in log
