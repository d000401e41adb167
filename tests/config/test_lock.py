"""One daemon a home: races, deaths, left-behind files."""

import asyncio
import json
import os
import signal
import stat
import sys

import pytest

from hd.config.home import Home
from hd.config.lock import Daemon, acquire, control_secret, running
from hd.errors import HomeBusy

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
