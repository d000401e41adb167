import asyncio
from collections.abc import Callable
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


async def until(condition: Callable[[], bool], within_s: float = 5.0) -> None:
    """Waits for a condition by giving way to the loop; a condition that never holds fails the test."""
    async with asyncio.timeout(within_s):
        while not condition():
            await asyncio.sleep(0.005)


def alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
