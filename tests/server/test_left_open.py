"""What a kill between two writes leaves of a session must still be a session that works."""

from pathlib import Path
from typing import Any

import pytest

from hd.session.store.base import SessionRow
from hd.session.store.sqlite import SqliteStore
from tests.support.daemon import Daemon

EMPTY = "session-without-events"


@pytest.fixture
async def left_open(own: Daemon, folder: Path) -> Daemon:
    """A home in which a session was created and the daemon killed before its first events were written."""
    own.stop()
    store = await SqliteStore.open(own.home / "store" / "hd.db")
    await store.create_session(SessionRow(id=EMPTY, created_at=1, cwd=str(folder), updated_at=1))
    await store.close()
    return own.start()


async def test_such_a_session_can_be_given_a_preset(left_open: Daemon) -> None:
    for line in ("/permission", "/permission workspace-write"):
        args: dict[str, Any] = {"agentId": EMPTY, "line": line, "submittedAttachments": []}
        assert (await left_open.acall("commands/execute", **args))["result"]["kind"] == "success"
