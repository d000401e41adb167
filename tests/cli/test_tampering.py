"""What becomes of a home whose files somebody changed: a clear word where it matters, and nothing else is lost.

One row a file and a damage, against real processes. The database has its rows in `test_web.py` too, the ways to damage
a key in `tests/config/test_keys.py`.
"""

import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from hd.errors import DONE, FAILED, UNREACHABLE, USAGE
from tests.cli.command import Ran, environment, finish, hd, start
from tests.cli.conftest import KEY
from tests.support.daemon import LIMIT, ROOT, Daemon

ELSEWHERE = "what lies elsewhere"
LATER = b'{"version":99,"url":"http://127.0.0.1:1","machine":7,"more":[1,2]}'
PASSING = ("run/lock", "run/daemon.json", "run/secret", "logs/hd.log", "logs/start.log")
"""What only counts while its daemon runs, or is there to be read by people: a start makes it anew."""


def damage(path: Path, how: str) -> None:
    """Puts something else in the place of a file, in one step; `empty` and the like are closed to others."""
    whole = path.read_bytes() if path.is_file() else b""
    contents = {
        "empty": b"",
        "garbage": b"\x00\xff{]" * 100,
        "truncated": whole[: len(whole) // 2],
        "later": LATER,
        "open to others": whole,
    }
    made = path.with_name("in-the-making")
    match how:
        case "missing":
            path.unlink(missing_ok=True)
            return
        case "a folder":
            path.unlink(missing_ok=True)
            path.mkdir()
            (path / "mine").write_text(ELSEWHERE)
            return
        case "a link":
            target = path.parent.parent.with_name(f"elsewhere-{path.name}")
            target.write_text(ELSEWHERE)
            made.symlink_to(target)
        case "a dangling link":
            made.symlink_to(path.parent.parent.with_name("nothing") / "there")
        case _:
            made.write_bytes(contents[how])
            made.chmod(0o666 if how == "open to others" else 0o600)
    made.replace(path)


def modes(root: Path) -> dict[str, int]:
    """Of all that lies below, by its path."""
    return {str(path.relative_to(root)): stat.S_IMODE(path.lstat().st_mode) for path in root.rglob("*")}


def sessions(daemon: Daemon) -> list[str]:
    return [row["sessionId"] for row in daemon.call("session/list", _request={})["items"]]


@pytest.fixture
async def used(home: Path, folder: Path) -> str:
    """A session in a home that was left in order, with a key in the store."""
    with Daemon(home, arguments=["--demo"]) as daemon:
        session = await daemon.new_session(folder)
    assert hd("key", "set", home=home, typed=KEY).code == DONE
    return session


# Before a start.


@pytest.mark.long
@pytest.mark.parametrize("how", ["missing", "empty", "garbage", "truncated", "later", "open to others"])
def test_what_passes_is_made_anew_and_nothing_is_lost(home: Path, used: str, how: str) -> None:
    for name in PASSING:
        damage(home / name, how)
    with Daemon(home) as daemon:
        assert sessions(daemon) == [used]
        assert hd("token", home=home).code == DONE
        assert hd("status", home=home).code == DONE
        found = modes(home)
        assert {name: found[name] for name in ("run/daemon.json", "run/secret")} == dict.fromkeys(
            ("run/daemon.json", "run/secret"), 0o600
        )
    assert hd("status", home=home).code == UNREACHABLE


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "how"),
    [(f"run/{name}", "a folder") for name in ("lock", "daemon.json", "secret")]
    + [("run/lock", "a link"), ("run/lock", "a dangling link")]
    + [("store/hd.db", how) for how in ("a folder", "a link", "a dangling link")]
    + [(name, "a file") for name in ("run", "store", "logs", "spill", "uploads")],
)
def test_what_is_in_the_way_is_named_and_left_alone(home: Path, used: str, name: str, how: str) -> None:
    path = home / name
    if how == "a file":
        shutil.rmtree(path)
        path.write_text(ELSEWHERE)
    else:
        damage(path, how)
    before = modes(home)
    ran = hd("web", "--demo", "--port", "0", home=home)
    assert (ran.code, str(path) in ran.sentence()) == (FAILED, True)
    assert {path: mode for path, mode in modes(home).items() if path in before} == before
    if how == "a file":
        assert path.read_text() == ELSEWHERE
    elif how != "a dangling link":
        place = path / "mine" if how == "a folder" else path
        assert place.read_text() == ELSEWHERE


@pytest.mark.long
@pytest.mark.parametrize("how", ["a folder", "a link", "a dangling link"])
def test_a_log_that_cannot_be_written_is_no_reason_not_to_start(home: Path, used: str, how: str) -> None:
    damage(home / "logs" / "hd.log", how)
    with Daemon(home, arguments=["--demo"]) as daemon:
        assert sessions(daemon) == [used]
    if how == "a link":
        assert (home / "logs" / "hd.log").read_text() == ELSEWHERE


@pytest.mark.parametrize("how", ["a folder", "a link"])
def test_nor_is_the_log_of_a_start_written_through_a_link(home: Path, used: str, how: str) -> None:
    path = home / "logs" / "start.log"
    damage(path, how)
    ran = hd("web", "--background", "--demo", "--port", "0", home=home)
    assert (ran.code, str(path) in ran.sentence()) == (FAILED, True)
    assert (path / "mine" if how == "a folder" else path).read_text() == ELSEWHERE


@pytest.mark.long
@pytest.mark.parametrize("how", ["missing", "empty"])
def test_without_a_database_there_is_a_new_one(home: Path, used: str, how: str) -> None:
    damage(home / "store" / "hd.db", how)
    with Daemon(home, arguments=["--demo"]) as daemon:
        assert sessions(daemon) == []
    assert modes(home)["store/hd.db"] == 0o600


# The key.


@pytest.mark.long
@pytest.mark.parametrize("name", ["store/key.json", ".key"])
@pytest.mark.parametrize(
    "how", ["empty", "garbage", "truncated", "later", "a folder", "a link", "a dangling link", "open to others"]
)
def test_a_key_that_cannot_be_read_is_told_and_entered_again(home: Path, name: str, how: str) -> None:
    assert hd("key", "set", home=home, typed=KEY).code == DONE
    damage(home / name, how)
    told = hd("key", "status", home=home)
    assert told.code == FAILED
    assert (told.out + told.err).count("\n") == 1
    assert str(home / name) in told.out + told.err
    assert KEY not in told.out + told.err
    again = hd("key", "set", home=home, typed=KEY)
    if how == "a folder":
        assert (again.code, str(home / name) in again.sentence()) == (FAILED, True)
        return
    assert again.code == DONE
    assert hd("key", "status", home=home).code == DONE
    assert modes(home)[name] == 0o600
    link = home.with_name(f"elsewhere-{Path(name).name}")
    assert not link.exists() or link.read_text() == ELSEWHERE


@pytest.mark.long
@pytest.mark.parametrize("name", ["store/key.json", ".key"])
def test_a_daemon_does_not_start_with_such_a_key_and_loses_nothing(home: Path, used: str, name: str) -> None:
    damage(home / name, "garbage")
    for command in (["web", "--port", "0"], ["run", "hello"]):
        ran = hd(*command, home=home)
        assert (ran.code, "hd key set" in ran.sentence()) == (USAGE, True)
    doctor = hd("doctor", home=home)
    assert (doctor.code, "hd key set" in doctor.out) == (FAILED, True)
    assert hd("key", "set", home=home, typed=KEY).code == DONE
    with Daemon(home) as daemon:
        assert sessions(daemon) == [used]
        assert hd("doctor", home=home).code == DONE


# Who may read it.


@pytest.mark.long
@pytest.mark.parametrize("mask", [0o000, 0o277])
async def test_what_is_made_is_closed_to_others_from_its_first_moment(home: Path, folder: Path, mask: int) -> None:
    old = os.umask(mask)
    try:
        assert hd("key", "set", home=home, typed=KEY).code == DONE
        with Daemon(home) as daemon:
            await daemon.new_session(folder)
            found = modes(home)
        background = hd("web", "--background", "--port", "0", "--demo", home=home)
        found |= modes(home)
        assert (background.code, hd("stop", home=home).code) == (DONE, DONE)
    finally:
        os.umask(old)
    assert {"store/hd.db", "store/key.json", ".key", "run/lock", "run/secret", "logs/hd.log"} <= set(found)
    for name, mode in found.items():
        assert mode & 0o077 == 0, name
        assert mode in (0o700, 0o600, 0o600 & ~mask, 0o700 & ~mask), (name, oct(mode))
    assert stat.S_IMODE(home.stat().st_mode) & 0o077 == 0


def as_somebody() -> list[str]:
    """What stands before a command so that permissions hold for it; root is let through everywhere otherwise."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root is let through everywhere here")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@pytest.mark.long
@pytest.mark.parametrize("name", ["run/lock", "store/hd.db", "store/key.json", ".key"])
def test_a_file_that_may_not_be_read_is_named(home: Path, used: str, name: str) -> None:
    path = home / name
    path.chmod(0)
    command = [*as_somebody(), sys.executable, "-m", "hd", "web", "--port", "0"]
    done = subprocess.run(command, cwd=ROOT, env=environment(home), capture_output=True, text=True, timeout=LIMIT)
    ran = Ran(done.returncode, done.stdout, done.stderr)
    assert str(path) in ran.sentence()
    assert path.stat().st_mode & 0o777 == 0
    path.chmod(0o600)
    with Daemon(home) as daemon:
        assert sessions(daemon) == [used]


# While it runs.


def ended(daemon: Daemon) -> Ran:
    """What the daemon said at its end."""
    assert isinstance(daemon.process, subprocess.Popen)
    out, err = daemon.process.communicate(timeout=LIMIT)
    code = daemon.process.returncode
    daemon.process = None
    return Ran(code, out.decode(), err.decode())


@pytest.mark.long
@pytest.mark.parametrize("what", ["", "run/lock", "store/hd.db"])
@pytest.mark.parametrize("replaced", [False, True])
async def test_a_home_that_goes_under_a_daemon_ends_it_with_a_word(
    home: Path, folder: Path, what: str, replaced: bool
) -> None:
    daemon = Daemon(home, arguments=["--demo"]).start()
    session = await daemon.new_session(folder)
    place, aside = home / what, home.with_name("aside")
    place.rename(aside)
    if replaced:
        (shutil.copytree if aside.is_dir() else shutil.copy2)(aside, place)
    said = ended(daemon)
    assert said.code == FAILED
    assert "was removed or replaced while it was in use" in said.sentence()
    before = modes(home) if home.exists() else {}
    assert hd("status", home=home).code == UNREACHABLE
    # What took its place is as it was put there, and what went can be put back.
    assert (modes(home) if home.exists() else {}) == before
    if place.is_dir():
        shutil.rmtree(place)
    aside.rename(place)
    with Daemon(home, arguments=["--demo"]) as again:
        assert sessions(again) == [session]


@pytest.mark.long
@pytest.mark.parametrize("how", ["missing", "garbage", "later", "a link", "open to others"])
async def test_what_a_daemon_published_comes_back(home: Path, how: str) -> None:
    with Daemon(home, arguments=["--demo"]) as daemon:
        before = {name: (home / "run" / name).read_bytes() for name in ("daemon.json", "secret")}
        for name in before:
            damage(home / "run" / name, how)
        while not all(restored(home / "run" / name, content) for name, content in before.items()):
            os.sched_yield()
        assert hd("token", home=home).code == DONE
        assert daemon.http("GET", "/health")[0] == 200
        assert hd("stop", home=home).code == DONE


def restored(path: Path, content: bytes) -> bool:
    try:
        state = path.lstat()
        return stat.S_ISREG(state.st_mode) and stat.S_IMODE(state.st_mode) == 0o600 and path.read_bytes() == content
    except OSError:
        return False


@pytest.mark.long
async def test_what_a_turn_needs_is_made_again(home: Path, folder: Path, model: dict[str, str]) -> None:
    with Daemon(home, environment=model) as daemon:
        for name in ("spill", "uploads", "scratch", "logs"):
            shutil.rmtree(home / name, ignore_errors=True)
        ran = hd("run", "--json", "--workspace", str(folder), "[[shell seq 100000]]", home=home)
        assert (ran.code, ran.err) == (DONE, "")
        session = ran.lines()[-1]["sessionId"]
        status, _, body = daemon.http(
            "POST",
            f"/api/session/uploadFileBinary?sessionId={session}&name=a.txt",
            body=b"text",
            headers={"Content-Type": "application/octet-stream", "Cookie": daemon.cookie},
        )
        assert (status, msgspec.json.decode(body)["ok"]) == (200, True)
        assert {modes(home)[name] for name in ("spill", "uploads") if (home / name).exists()} == {0o700}


# What it says about itself.


@pytest.mark.long
def test_status_and_doctor_tell_the_daemon_s_key_and_not_the_caller_s(home: Path, model: dict[str, str]) -> None:
    with Daemon(home, environment=model):
        for more in ({}, {"DEEPSEEK_API_KEY": "two words"}):
            (document,) = hd("status", "--json", home=home, more=more).lines()
            assert document["key"] == {"configured": True, "source": "environment", "problem": None}
            assert "API key: from the environment" in hd("status", home=home, more=more).out
            doctor = hd("doctor", home=home, more=more)
            assert (doctor.code, "API key: from the environment" in doctor.out) == (DONE, True)
    with Daemon(home):
        (document,) = hd("status", "--json", home=home, more=model).lines()
        assert document["key"] == {"configured": False, "source": None, "problem": None}
        assert "API key: none; the demo serves" in hd("status", home=home, more=model).out


@pytest.mark.long
def test_a_daemon_that_does_not_answer_is_told_as_that(home: Path) -> None:
    with Daemon(home, arguments=["--demo"]) as daemon:
        os.kill(daemon.pid, signal.SIGSTOP)
        try:
            asked = [start(command, home=home) for command in ("status", "doctor")]
            status, doctor = [finish(process) for process in asked]
        finally:
            os.kill(daemon.pid, signal.SIGCONT)
        assert status.code == UNREACHABLE
        assert f"(process {daemon.pid}" in status.out
        assert "does not answer" in status.err
        assert status.err.count("\n") == 1
        assert (doctor.code, "does not answer" in doctor.out) == (FAILED, True)
        assert hd("status", home=home).code == DONE
