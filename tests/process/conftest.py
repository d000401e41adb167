import asyncio
import os
import select
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from hd.process.run import Runner

HOME = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(mark=f"home-{tmp_path.name}", spills=tmp_path / "spills", parent=HOME)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


class Ear:
    """A named pipe that a process tells something by, and that a test waits at."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self._pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def hear(self, within_s: float = 10) -> str:
        """What was written at once; fails the test when nothing comes."""
        ready, _, _ = select.select([self._pipe], [], [], within_s)
        assert ready, "nothing was heard"
        return os.read(self._pipe, 4096).decode()

    async def heard(self) -> str:
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self._pipe, ready.set_result, None)
        try:
            await asyncio.wait_for(ready, 10)
        finally:
            loop.remove_reader(self._pipe)
        return self.hear()

    def close(self) -> None:
        os.close(self._pipe)


@pytest.fixture
def ear(tmp_path: Path) -> Iterator[Ear]:
    made = Ear(tmp_path / "ear")
    yield made
    made.close()


async def until(condition: Callable[[], bool], within_s: float = 20) -> None:
    """Waits for a condition by giving way to the loop; a condition that never holds fails the test."""
    async with asyncio.timeout(within_s):
        while not condition():
            await asyncio.sleep(0)


def alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
