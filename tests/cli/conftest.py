"""A home for each test, and one model in a process of its own for all of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import hd
from tests.support.model_process import model_url

__all__ = ["model_url"]

KEY = "cli-key-that-nobody-may-see"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home that does not exist yet; a daemon that a test leaves running is stopped."""
    path = tmp_path / "home"
    yield path
    if (path / "run" / "daemon.json").exists():
        hd("stop", home=path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


@pytest.fixture
def model(model_url: str) -> dict[str, str]:
    """The environment of a command that speaks with the scripted model."""
    return {"DEEPSEEK_API_KEY": KEY, "DEEPSEEK_BASE_URL": model_url}
