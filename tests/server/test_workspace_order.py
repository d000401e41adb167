"""`workspace/*`: order, pins, names, the first workspace, and what followers are told."""

import os
from pathlib import Path
from typing import Any

import pytest

from hd.session.store.sqlite import SqliteStore
from hd.session.workspaces import MOST_WAITING, Workspaces
from tests.support.daemon import Daemon


async def workspace(daemon: Daemon, folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    return str((await daemon.acall("workspace/create", request={"path": str(folder)}))["workspace"]["workspaceId"])


async def code(daemon: Daemon, endpoint: str, **request: Any) -> tuple[str, dict[str, Any]]:
    error = daemon.result(endpoint, request=request)["error"]
    return error["code"], error["details"]


async def test_workspaces_are_moved(shared: Daemon, tmp_path: Path) -> None:
    one, two = [await workspace(shared, tmp_path / name) for name in ("one", "two")]
    async with shared.socket() as socket:
        follow = await socket.open("workspace/follow")
        await follow.item()
        request = {"workspaceId": one, "beforeWorkspaceId": two}
        ids = (await shared.acall("workspace/insertBefore", request=request))["workspaceIds"]
        assert ids[:2] == [one, two]
        assert await follow.item() == {"type": "order", "workspaceIds": ids}
        ids = (await shared.acall("workspace/insertBefore", request={"workspaceId": one}))["workspaceIds"]
        assert ids[-1] == one
        assert await follow.item() == {"type": "order", "workspaceIds": ids}
    gone = await code(shared, "workspace/insertBefore", workspaceId=one, beforeWorkspaceId="none")
    assert gone == ("workspace/not-found", {"workspaceId": "none"})


async def test_sessions_are_moved_within_their_workspace_only(shared: Daemon, tmp_path: Path) -> None:
    here, there = [await workspace(shared, tmp_path / name) for name in ("here", "there")]
    ids = [
        (await shared.acall("session/create", request={"workspaceId": place}))["sessionId"]
        for place in (here, here, there)
    ]
    old, new, stranger = ids
    async with shared.socket() as socket:
        follow = await socket.open("workspace/follow")
        await follow.item()
        request = {"workspaceId": here, "sessionId": old, "beforeSessionId": new}
        moved = (await shared.acall("workspace/insertSessionBefore", request=request))["workspace"]
        assert moved["sessionIds"] == [old, new]
        assert await follow.item() == {"type": "upsert", "workspace": moved}
    for session, before in ((stranger, None), (stranger, stranger), (old, stranger), ("none", None)):
        asked = {"workspaceId": here, "sessionId": session, **({"beforeSessionId": before} if before else {})}
        details = {"workspaceId": here, "sessionId": session}
        assert await code(shared, "workspace/insertSessionBefore", **asked) == ("workspace/move-invalid", details)


async def test_sessions_are_pinned(shared: Daemon, tmp_path: Path) -> None:
    place = await workspace(shared, tmp_path / "w")
    session = (await shared.acall("session/create", request={"workspaceId": place}))["sessionId"]
    async with shared.socket() as socket:
        follow = await socket.open("workspace/follow")
        await follow.item()
        pinned = await shared.acall("workspace/pinSession", request={"sessionId": session})
        assert session in pinned["pinnedSessionIds"]
        assert await follow.item() == {"type": "pinned", **pinned}
        again = await socket.open("workspace/follow")
        assert session in (await again.item())["value"]["pinnedSessionIds"]
        left = await shared.acall("workspace/unpinSession", request={"sessionId": session})
        assert session not in left["pinnedSessionIds"]
        assert await follow.item() == {"type": "pinned", **left}
    for endpoint in ("workspace/pinSession", "workspace/unpinSession"):
        assert (await code(shared, endpoint, sessionId="none"))[0] == "session/not-found"


async def test_two_workspaces_cannot_have_one_name(shared: Daemon, tmp_path: Path) -> None:
    one, two = [await workspace(shared, tmp_path / name) for name in ("first", "second")]
    await shared.acall("workspace/rename", request={"workspaceId": one, "title": "Shared name"})
    refused = await code(shared, "workspace/rename", workspaceId=two, title=" Shared  name ")
    assert refused == ("workspace/name-conflict", {"name": "Shared name"})
    await shared.acall("workspace/rename", request={"workspaceId": one, "title": "Shared name"})


def test_the_first_workspace_is_made_once(own: Daemon) -> None:
    made = own.call("workspace/initializeDefault")["workspace"]
    assert made["path"] == os.getcwd()
    assert "value" not in own.result("workspace/initializeDefault")
    own.call("workspace/delete", request={"workspaceId": made["workspaceId"]})
    assert "value" not in own.result("workspace/initializeDefault")


def test_who_has_a_workspace_gets_no_other(own: Daemon, folder: Path) -> None:
    own.call("workspace/create", request={"path": str(folder)})
    assert "value" not in own.result("workspace/initializeDefault")


@pytest.mark.parametrize("changes", [3, MOST_WAITING + 1])
async def test_a_reader_that_is_far_behind_gets_the_whole_state(tmp_path: Path, changes: int) -> None:
    store = await SqliteStore.open(tmp_path / "hd.db")
    try:
        workspaces = Workspaces(store)
        follow = workspaces.follow()
        await anext(follow)
        row, _ = await workspaces.create(str(tmp_path))
        await anext(follow)
        for number in range(changes):
            await workspaces.rename(row.id, f"name {number}")
        frames = await anext(follow)
        assert len(frames) == (changes if changes == 3 else 1)
        assert (b'"replace"' in frames[0]) is (changes != 3)
        assert f'"name {changes - 1}"'.encode() in frames[-1]
        workspaces.close()
        assert [frames async for frames in follow] == []
    finally:
        await store.close()
