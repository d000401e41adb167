"""One daemon a home: races, deaths, left-behind files."""

import asyncio
import errno
import fcntl
import json
import os
import signal
import stat
import sys

import msgspec
import pytest

from hd.config.footing import Footing
from hd.config.home import Home
from hd.config.lock import Daemon, Holder, acquire, control_secret, holder, running
from hd.errors import HomeBusy, HomeGone, HomeUnusable

HERE = Daemon("http://127.0.0.1:3080", "127.0.0.1", 3080, os.getpid(), "0.1.0", 1_790_000_000_000)


class Racer:
    """The other process of a race, spoken to by lines."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, home: Home) -> "Racer":
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-m", "tests.config.racer", str(home.root))
        return cls(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe))

    def tell(self, command: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{command}\n".encode())

    async def answer(self) -> str:
        assert self.process.stdout is not None
        async with asyncio.timeout(30):
            return (await self.process.stdout.readline()).decode().strip()

    async def end(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.communicate()


@pytest.mark.long
async def test_of_two_starts_one_wins_and_the_other_names_it_fifty_times(home: Home) -> None:
    racers = [await Racer.start(home), await Racer.start(home)]
    try:
        for port in range(1, 51):
            for racer in racers:
                racer.tell(str(port))
            answers = sorted([await racer.answer() for racer in racers])
            assert answers == [f"lost http://127.0.0.1:{port}", "won"]
            for racer in racers:
                racer.tell("release")
            assert [await racer.answer() for racer in racers] == ["released", "released"]
            assert not home.daemon.exists()
    finally:
        for racer in racers:
            await racer.end()


async def test_a_killed_daemon_leaves_nothing_that_counts(home: Home) -> None:
    racer = await Racer.start(home)
    racer.tell("4000")
    assert await racer.answer() == "won"
    found = running(home)
    assert found is not None
    assert (found.url, found.pid) == ("http://127.0.0.1:4000", racer.process.pid)
    racer.process.send_signal(signal.SIGKILL)
    await racer.end()
    assert home.daemon.exists()
    assert running(home) is None
    with acquire(home) as lock:
        assert not home.daemon.exists()
        lock.publish(HERE)
        assert running(home) == HERE


def test_a_record_of_a_process_that_does_not_hold_the_lock_is_ignored(home: Home) -> None:
    with acquire(home) as lock:
        lock.publish(Daemon("http://127.0.0.1:1", "127.0.0.1", 1, os.getppid(), "0", 1))
        assert running(home) is None
        with pytest.raises(HomeBusy, match="does not say where it listens"):
            acquire(home, wait_s=0)
        home.daemon.write_bytes(b"{torn")
        assert running(home) is None


def test_the_record_has_the_agreed_form_and_no_secret(home: Home) -> None:
    with acquire(home) as lock:
        secret = lock.new_secret()
        lock.publish(HERE)
        assert json.loads(home.daemon.read_bytes()) == {
            "url": "http://127.0.0.1:3080",
            "host": "127.0.0.1",
            "port": 3080,
            "pid": os.getpid(),
            "version": "0.1.0",
            "startedAt": 1_790_000_000_000,
        }
        with pytest.raises(HomeBusy, match=rf"http://127.0.0.1:3080 \(process {os.getpid()}\)"):
            acquire(home)
        assert control_secret(home) == secret
        assert len(secret) == 43
        for file in (home.daemon, home.secret, home.lock):
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not home.daemon.exists()
    assert control_secret(home) is None
    assert running(home) is None


def test_a_secret_that_others_could_have_written_is_not_used(home: Home) -> None:
    with acquire(home) as lock:
        lock.new_secret()
        home.secret.chmod(0o644)
        with pytest.raises(PermissionError, match="chmod 600"):
            control_secret(home)


def test_a_home_that_was_never_used_has_no_daemon(home: Home) -> None:
    home.lock.unlink(missing_ok=True)
    assert running(home) is None
    assert not home.lock.exists()


def test_releasing_twice_is_harmless(home: Home) -> None:
    lock = acquire(home)
    lock.release()
    with acquire(home):
        lock.release()
        with pytest.raises(HomeBusy):
            acquire(home, wait_s=0)


# Who holds it.


def test_a_command_that_holds_the_home_is_named_at_once(home: Home) -> None:
    with acquire(home, "run"):
        assert running(home) is None
        held = holder(home)
        assert held is not None
        assert (held.pid, held.purpose) == (os.getpid(), "run")
        with pytest.raises(HomeBusy, match=rf"`hd run` \(process {os.getpid()}\) has the home .* until its turn ends"):
            acquire(home, wait_s=60)
    assert holder(home) is None
    assert home.lock.read_bytes() == b""


@pytest.mark.parametrize("left", [b"", b"123\n", b"{torn", b"\xff" * 5000, b'{"pid":1,"machine":"x","purpose":"web"}'])
def test_what_stands_in_a_lock_that_nobody_holds_means_nothing(home: Home, left: bytes) -> None:
    home.lock.write_bytes(left)
    assert (running(home), holder(home)) == (None, None)
    with acquire(home) as lock:
        lock.publish(HERE)
        assert running(home) == HERE


def test_a_process_id_that_was_used_again_is_no_daemon(home: Home) -> None:
    home.lock.write_bytes(msgspec.json.encode(Holder(os.getpid(), os.uname().nodename, "web")))
    home.daemon.write_bytes(msgspec.json.encode(HERE))
    assert running(home) is None
    acquire(home).release()


# A home that goes.


@pytest.mark.parametrize("replaced", [False, True])
def test_a_lock_of_a_home_that_went_is_known_and_touches_no_other(home: Home, replaced: bool) -> None:
    lock = acquire(home)
    lock.publish(HERE)
    assert lock.is_in_place()
    home.root.rename(home.root.with_name("moved"))
    if replaced:
        home.prepare()
        with acquire(home) as other:
            other.publish(HERE)
            assert not lock.is_in_place()
            lock.release()
            assert running(home) == HERE
    else:
        assert not lock.is_in_place()
        lock.release()
        assert not home.root.exists()


def test_a_footing_names_what_went(home: Home) -> None:
    with home.database.open("wb") as database:
        footing = Footing(home.lock, home.database)
        footing.check()
        database.write(b"more")
        database.flush()
        footing.check()
        home.database.unlink()
        with pytest.raises(HomeGone, match=r"hd\.db was removed or replaced"):
            footing.check()
        home.database.write_bytes(b"another")
        with pytest.raises(HomeGone, match=r"hd\.db was removed or replaced"):
            footing.check()


# Network disks.


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_disk_that_knows_no_locks_is_refused(home: Home, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def flock(descriptor: int, kind: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(HomeUnusable, match="network disk; set HD_HOME to a folder on a local one"):
        acquire(home)
    home.daemon.write_bytes(b"kept")
    with pytest.raises(HomeUnusable):
        running(home)
    assert home.daemon.read_bytes() == b"kept"


@pytest.mark.parametrize("disk", ["nfs4", None])
def test_on_a_network_disk_another_machine_s_lock_counts_although_it_cannot_be_seen(
    home: Home, monkeypatch: pytest.MonkeyPatch, disk: str | None
) -> None:
    monkeypatch.setattr("hd.config.lock.network_disk", lambda path: disk)
    left = msgspec.json.encode(Holder(4711, "elsewhere", "web"))
    home.lock.write_bytes(left)
    if disk is None:
        acquire(home).release()
        return
    with pytest.raises(HomeBusy, match=r"process 4711 on the machine elsewhere.*delete .*lock"):
        acquire(home)
    assert home.lock.read_bytes() == left
    home.lock.unlink()
    acquire(home).release()
    # One that was given back is free for everybody.
    acquire(home).release()
