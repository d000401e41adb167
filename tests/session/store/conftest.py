"""A store on a fresh file, with a clock that only moves when it is told to."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hd.session.store.base import SessionRow
from hd.session.store.sqlite import SqliteStore

NOW = 1_790_000_000_123


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "hd.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    opened = await SqliteStore.open(path, clock=lambda: NOW)
    await opened.create_session(SessionRow("session-a", NOW))
    yield opened
    await opened.close()
