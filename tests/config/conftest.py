"""A prepared home in a fresh folder."""

from pathlib import Path

import pytest

from hd.config.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.prepare()
    return home
