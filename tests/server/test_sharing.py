"""What several clients of one person share: drafts, who is there, and who answered."""

import asyncio
from pathlib import Path

import pytest

from tests.support.daemon import Daemon

DELETE = '[[tool delete_file {"path":"a.txt"}]]'
NOBODY = {"text": "", "cursor": 0, "revision": 0, "updatedAt": None, "by": ""}


def test_a_draft_outlives_a_kill(own: Daemon, folder: Path) -> None:
    session = asyncio.run(own.new_session(folder))
    assert own.call("drafts/get", sessionId=session) == NOBODY
    first = own.call("drafts/set", sessionId=session, text="half a thought ✍", cursor=4)
    own.kill()
    own.start()
    draft = own.call("drafts/get", sessionId=session)
    assert (draft["text"], draft["cursor"], draft["revision"]) == ("half a thought ✍", 4, first["revision"])
    second = own.call("drafts/set", sessionId=session, text="", cursor=9, clientId="phone")
    assert second["revision"] > first["revision"]
    assert own.call("drafts/get", sessionId=session) == NOBODY


async def test_a_draft_begun_on_one_client_is_finished_on_another(shared: Daemon, folder: Path) -> None:
    session = await shared.new_session(folder)
    async with shared.socket() as other:
        follow = await other.open("drafts/follow", sessionId=session)
        assert await follow.item() == NOBODY
        await shared.acall("drafts/set", sessionId=session, text="begun", cursor=99, clientId="laptop")
        seen = await follow.item()
        assert (seen["text"], seen["cursor"], seen["by"]) == ("begun", 5, "laptop")
        await asyncio.gather(
            *(shared.acall("drafts/set", sessionId=session, text=f"text {n}", cursor=0) for n in range(20))
        )
        kept = await shared.acall("drafts/get", sessionId=session)
        last = await follow.until(lambda item: item["revision"] == kept["revision"])
        assert last == kept
        late = await other.open("drafts/follow", sessionId=session)
        assert await late.item() == kept


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"text": "x" * 1_000_001, "cursor": 0}, "gateway/input-invalid"),
        ({"text": "x", "cursor": -1}, "gateway/bad-request"),
        ({"text": 1, "cursor": 0}, "gateway/input-invalid"),
        ({"cursor": 0}, "gateway/arguments-invalid"),
    ],
)
async def test_what_is_no_draft(shared: Daemon, folder: Path, arguments: dict[str, object], code: str) -> None:
    session = await shared.new_session(folder)
    refused = await asyncio.to_thread(lambda: shared.result("drafts/set", sessionId=session, **arguments))
    assert refused["error"]["code"] == code


async def test_a_session_that_is_not_there_has_no_draft(shared: Daemon) -> None:
    for endpoint, more in (("drafts/get", {}), ("drafts/set", {"text": "x", "cursor": 0})):
        refused = shared.result(endpoint, sessionId="session-none", **more)
        assert refused["error"]["code"] == "session/not-found"
    async with shared.socket() as socket:
        follow = await socket.open("drafts/follow", sessionId="session-none")
        assert (await follow.frame())["error"]["code"] == "session/not-found"


async def test_who_follows_is_seen_by_the_others(shared: Daemon, folder: Path) -> None:
    session = await shared.new_session(folder)
    async with shared.socket() as watching, shared.socket() as following:
        presence = await watching.open("presence/follow")
        assert session not in (await presence.item())["sessions"]
        client_id = (await (await following.open("$events")).item())["clientId"]
        streams = [await following.follow(session) for _ in range(2)]
        seen = await presence.until(lambda item: session in item["sessions"])
        (entry,) = seen["sessions"][session]
        assert entry["clientId"] == client_id
        assert entry["since"] > 0
        for stream in streams:
            await stream.item()
            await following.cancel(stream)
        gone = await presence.until(lambda item: session not in item["sessions"])
        assert session not in gone["sessions"]


async def test_it_is_logged_which_client_answered(own: Daemon, folder: Path) -> None:
    (folder / "a.txt").write_text("x")
    session = await own.new_session(folder)
    async with own.socket() as one, own.socket() as other:
        mine, theirs = await one.open("$events"), await other.open("$events")
        client_id = (await mine.item())["clientId"]
        follow = await other.follow(session)
        await own.prompt(session, DELETE)
        asked = await mine.until(lambda item: item["type"] == "waterfall")
        outcome = {"kind": "result", "value": "rejected"}
        await own.acall("$events/result", clientId=client_id, eventId=asked["eventId"], outcome=outcome)
        cancelled = await theirs.until(lambda item: item["type"] == "cancel")
        assert cancelled == {"type": "cancel", "eventId": asked["eventId"]}
        item = await follow.until(lambda item: item.get("event", {}).get("type") == "approval/decided")
        assert item["event"]["data"]["by"] == client_id
        assert item["event"]["data"]["outcome"] == "rejected"
