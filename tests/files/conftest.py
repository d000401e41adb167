"""A workspace and its file layer."""

from pathlib import Path

import pytest

from hd.files.layer import FileLayer


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def layer(root: Path) -> FileLayer:
    return FileLayer(root)
