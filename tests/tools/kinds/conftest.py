"""What the tests of the file tools share."""

from pathlib import Path

import pytest

from tests.tools.kinds.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "work").mkdir()
    return Desk(tmp_path / "work")
