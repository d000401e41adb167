"""A whole house for each test: a real daemon, a strict model behind a real socket, a folder to work in."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.support.daemon import Daemon
from tests.support.mock_model import MockModel
from tests.support.preloaded import PreloadedDaemon


@pytest.fixture
async def mock() -> AsyncIterator[MockModel]:
    """The model; it must never have had to answer 400."""
    async with MockModel() as model:
        yield model
        assert model.violations == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


@pytest.fixture
def daemon(tmp_path: Path, mock: MockModel) -> Iterator[Daemon]:
    environment = {"DEEPSEEK_API_KEY": "sk-house-test-key", "DEEPSEEK_BASE_URL": mock.base_url}
    with PreloadedDaemon(tmp_path / "home", environment=environment) as running:
        yield running
