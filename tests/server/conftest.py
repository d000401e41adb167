"""One daemon with a scripted model for all tests from outside that leave it as they found it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.daemon import Daemon
from tests.support.model_process import model_url
from tests.support.preloaded import PreloadedDaemon

__all__ = ["model_url"]

KEY = "house-key-that-no-log-may-show"


@pytest.fixture(scope="session")
def shared(model_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """The daemon of all tests that do not stop it."""
    environment = {"DEEPSEEK_API_KEY": KEY, "DEEPSEEK_BASE_URL": model_url}
    with Daemon(tmp_path_factory.mktemp("shared") / "home", environment=environment) as daemon:
        yield daemon


@pytest.fixture
def own(model_url: str, tmp_path: Path) -> Iterator[Daemon]:
    """A daemon for one test, which may do with it what it wants."""
    environment = {"DEEPSEEK_API_KEY": KEY, "DEEPSEEK_BASE_URL": model_url}
    with PreloadedDaemon(tmp_path / "home", environment=environment) as daemon:
        yield daemon


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


@pytest.fixture
async def session(shared: Daemon, folder: Path) -> str:
    """A new session in `folder`."""
    return await shared.new_session(folder)
