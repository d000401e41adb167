"""A house on a Monday in peak hours."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.later.monday import Monday
from tests.support.mock_model import MockModel


@pytest.fixture
async def mock() -> AsyncIterator[MockModel]:
    """The model; it must never have had to answer 400."""
    async with MockModel() as model:
        yield model
        assert model.violations == []


@pytest.fixture
def monday(tmp_path: Path, mock: MockModel) -> Monday:
    return Monday(tmp_path, mock)
