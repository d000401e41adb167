"""A house on a Monday in peak hours."""

from pathlib import Path

import pytest

from tests.house.conftest import mock
from tests.later.monday import Monday
from tests.support.mock_model import MockModel

__all__ = ["mock"]


@pytest.fixture
def monday(tmp_path: Path, mock: MockModel) -> Monday:
    return Monday(tmp_path, mock)
