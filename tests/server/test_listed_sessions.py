"""Case I07: what is listed can be opened, and where it cannot, the list says so."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.support.daemon import Daemon, is_event

DAMAGED = "(its log is damaged)"


async def turn(daemon: Daemon, session: str) -> None:
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "[[fast]]")
        await follow.until(is_event("turn/end"))


async def listed(daemon: Daemon) -> dict[str, dict[str, Any]]:
    rows = (await daemon.acall("session/list", _request={}))["items"]
    return {row["sessionId"]: row for row in rows}


async def opened(daemon: Daemon, session: str) -> dict[str, Any]:
    """What a follow begins with, and if that is a snapshot, what comes when the session is in memory."""
    async with daemon.socket() as socket:
        frame: dict[str, Any] = await (await socket.follow(session)).frame()
        return frame


def change(home: Path, statement: str, session: str) -> None:
    (database,) = (home / "store").glob("*.db")
    with sqlite3.connect(database) as connection:
        (number,) = connection.execute("SELECT number FROM session WHERE id = ?", (session,)).fetchone()
        changed = connection.execute(statement, (number << 32, (number + 1) << 32))
        assert changed.rowcount > 0
    connection.close()


async def test_i07_every_listed_session_can_be_opened_and_no_other(own: Daemon, folder: Path) -> None:
    first = await own.new_session(folder)
    await turn(own, first)
    fork = (await own.acall("session/fork", request={"sessionId": first}))["sessionId"]
    archived = await own.new_session(folder)
    await own.acall("workspace/archiveSession", request={"sessionId": archived})
    for _ in range(2):
        rows = await listed(own)
        assert rows.keys() == {first, fork, archived}
        for session, row in rows.items():
            assert (await opened(own, session))["value"]["type"] == "snapshot"
            assert row["agentAvailable"] is True
        own.stop()
        own.start()
        own.login()
    assert (await opened(own, "session-of-nobody"))["error"]["code"] == "session/not-found"


@pytest.mark.long
@pytest.mark.parametrize(
    ("damage", "seen_in_the_list_at_once"),
    [
        ("DELETE FROM event WHERE place >= ? AND place < ?", True),
        ("DELETE FROM event WHERE place >= ? + 3 AND place < ?", True),
        ("UPDATE event SET body = '{' WHERE place >= ? + 3 AND place < ?", False),
    ],
    ids=["all gone", "cut", "not readable"],
)
async def test_i07_a_session_without_its_body_is_labelled_and_the_others_work(
    own: Daemon, folder: Path, damage: str, seen_in_the_list_at_once: bool
) -> None:
    broken, whole = await own.new_session(folder), await own.new_session(folder)
    await turn(own, broken)
    await turn(own, whole)
    own.stop()
    change(own.home, damage, broken)
    own.start()
    own.login()
    if seen_in_the_list_at_once:
        assert (await listed(own))[broken]["projections"]["values"]["title"].endswith(DAMAGED)
    refused = own.result("session/rename", request={"sessionId": broken, "title": "x"})["error"]
    assert refused["code"] != "session/not-found"
    assert "log of this session" in refused["message"]
    assert "doctor" in refused["message"]
    row = (await listed(own))[broken]
    assert row["projections"]["values"]["title"].endswith(DAMAGED)
    assert row["agentAvailable"] is False
    await turn(own, whole)
    assert (await listed(own))[whole]["agentAvailable"] is True
