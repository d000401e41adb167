"""`session/*` and `workspace/*` as calls and streams (WIRE 6, 7, 10)."""

import asyncio
import os
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from hd.errors import BadRequest, WorkspaceInvalidPath
from hd.server.routes.sessions import made_directory, plain_title, usable_id
from tests.support.daemon import Daemon, Stream, is_event

ENDED = is_event("turn/end")
OPENING = ["permission/preset", "sandbox/mode", "approval/policy"]


def create(daemon: Daemon, **request: Any) -> dict[str, Any]:
    return daemon.result("session/create", request=request)


def summary(daemon: Daemon, session: str) -> dict[str, Any]:
    items = daemon.call("session/list", _request={})["items"]
    (found,) = [item for item in items if item["sessionId"] == session]
    return dict(found)


# Creation.


def test_a_session_is_made_in_a_workspace_and_goes_to_its_front(shared: Daemon, folder: Path) -> None:
    workspace = shared.call("workspace/create", request={"path": str(folder)})["workspace"]
    made = [shared.call("session/create", request={"workspaceId": workspace["workspaceId"]}) for _ in range(3)]
    assert all(set(one) == {"sessionId", "agentPreset"} and one["agentPreset"] == "standard" for one in made)
    ids = [one["sessionId"] for one in made]
    assert all(one.startswith("session-") for one in ids)
    again = shared.call("workspace/create", request={"path": str(folder)})
    assert again["created"] is False
    assert again["workspace"]["sessionIds"] == ids[::-1]
    assert {key: summary(shared, ids[0])[key] for key in ("running", "blank", "cwd", "agentAvailable")} == {
        "running": False,
        "blank": True,
        "cwd": str(folder),
        "agentAvailable": True,
    }


async def test_a_new_session_begins_with_three_facts(shared: Daemon, session: str) -> None:
    assert [event["type"] for event in await shared.log(session)] == OPENING


def test_an_own_id_may_be_used_again_for_the_same_folder_only(shared: Daemon, folder: Path, tmp_path: Path) -> None:
    own = f"session-☃-{uuid4()}"
    for _ in range(3):
        assert create(shared, cwd=str(folder), sessionId=own)["value"]["sessionId"] == own
    other = tmp_path / "other"
    error = create(shared, cwd=str(other), sessionId=own)["error"]
    assert error["code"] == "session/conflict"
    assert error["details"] == {"sessionId": own, "requestedCwd": str(other), "existingCwd": str(folder)}
    items = shared.call("session/list", _request={})["items"]
    assert sum(item["sessionId"] == own for item in items) == 1


async def test_many_clients_that_make_the_same_session_at_once_get_one(shared: Daemon, folder: Path) -> None:
    own = f"session-{uuid4()}"
    request = {"cwd": str(folder), "sessionId": own}
    made = await asyncio.gather(*(shared.acall("session/create", request=request) for _ in range(8)))
    assert {one["sessionId"] for one in made} == {own}
    assert [event["type"] for event in await shared.log(own)] == OPENING


def test_a_missing_directory_is_made(shared: Daemon, tmp_path: Path) -> None:
    """WIRE 10 has it so; the folder of a workspace that is gone is another matter."""
    path = tmp_path / "not" / "yet" / "there"
    session = create(shared, cwd=str(path))["value"]["sessionId"]
    assert path.is_dir()
    assert summary(shared, session)["cwd"] == str(path)


def test_the_folder_of_a_workspace_is_not_made_again(shared: Daemon, folder: Path) -> None:
    workspace = shared.call("workspace/create", request={"path": str(folder)})["workspace"]["workspaceId"]
    folder.rmdir()
    error = create(shared, workspaceId=workspace)["error"]
    assert (error["code"], error["details"]) == ("workspace/invalid-path", {"path": str(folder)})
    assert not folder.exists()


def test_without_a_place_it_is_where_the_daemon_was_started(shared: Daemon) -> None:
    session = create(shared)["value"]["sessionId"]
    assert summary(shared, session)["cwd"] == os.getcwd()


@pytest.mark.parametrize(
    ("request_fields", "code"),
    [
        ({"workspaceId": "nope"}, "workspace/not-found"),
        ({"workspaceId": "nope", "cwd": "/tmp"}, "gateway/bad-request"),
        ({"cwd": ""}, "workspace/invalid-path"),
        ({"cwd": "relative"}, "workspace/invalid-path"),
        ({"cwd": "/dev/null"}, "workspace/invalid-path"),
        ({"cwd": "/dev/null/x"}, "workspace/invalid-path"),
        ({"cwd": "/proc/nothing/can/be/made/here"}, "workspace/invalid-path"),
        ({"cwd": "/tmp/\0"}, "workspace/invalid-path"),
        ({"cwd": "/" + "x" * 300}, "workspace/invalid-path"),
        ({"cwd": "~nobody-of-this-name/x"}, "workspace/invalid-path"),
        ({"cwd": 5}, "gateway/input-invalid"),
        ({"sessionId": ""}, "gateway/input-invalid"),
        ({"sessionId": "x" * 201}, "gateway/bad-request"),
        ({"sessionId": "a\nb"}, "gateway/bad-request"),
        ({"agentPreset": "nope"}, "agent-preset/not-found"),
        ({"agentPreset": 5}, "gateway/input-invalid"),
    ],
)
def test_a_session_that_cannot_be_made(shared: Daemon, request_fields: dict[str, Any], code: str) -> None:
    before = len(shared.call("session/list", _request={})["items"])
    assert create(shared, **request_fields)["error"]["code"] == code
    assert len(shared.call("session/list", _request={})["items"]) == before


def test_an_unknown_preset_is_told_which_there_are(shared: Daemon) -> None:
    error = create(shared, agentPreset="nope")["error"]
    assert error["details"] == {"agentPreset": "nope", "available": ["standard"]}
    assert create(shared, agentPreset="standard")["ok"]


def test_a_directory_is_made_with_its_parents_and_a_file_is_none(tmp_path: Path) -> None:
    assert made_directory(str(tmp_path / "a" / "b")) == (tmp_path / "a" / "b").resolve()
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "x"):
        with pytest.raises(WorkspaceInvalidPath):
            made_directory(str(path))
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert made_directory(str(tmp_path / "link")) == tmp_path / "a"


def test_ids_that_a_client_chose() -> None:
    assert usable_id(None) is None
    assert usable_id("session-1") == "session-1"
    for bad in ("a\tb", "a\u202eb", "x" * 201):
        with pytest.raises(BadRequest):
            usable_id(bad)


# Lists and titles.


async def test_the_list_has_who_was_prompted_last_first(shared: Daemon, folder: Path) -> None:
    first, second = await shared.new_session(folder), await shared.new_session(folder)
    async with shared.socket() as socket:
        follow = await socket.follow(first)
        await shared.prompt(first, "[[fast]]")
        await follow.until(ENDED)
    items = shared.call("session/list", _request={"cursor": "ignored"})["items"]
    order = [item["sessionId"] for item in items]
    assert order.index(first) < order.index(second)
    assert [item["updatedAt"] for item in items] == sorted((item["updatedAt"] for item in items), reverse=True)
    prompted = summary(shared, first)
    assert (prompted["blank"], prompted["running"]) == (False, False)
    assert prompted["projections"]["kind"] == "sequenced"
    assert prompted["projections"]["values"]["title"] == "[[fast]]"


def test_a_title_is_one_line_of_what_can_be_seen(shared: Daemon, session: str) -> None:
    value = shared.call("session/rename", request={"sessionId": session, "title": "  My \n  title\t "})
    assert value == {"title": "My title", "seq": 3}
    assert summary(shared, session)["projections"]["values"]["title"] == "My title"
    long = shared.call("session/rename", request={"sessionId": session, "title": "x" * 500})
    assert long["title"] == "x" * 200
    for blank in ("", "   ", "\n\t", "\u200b\u200d", "\x1b", "\u202e"):
        error = shared.result("session/rename", request={"sessionId": session, "title": blank})["error"]
        assert (error["code"], error["details"]) == ("session/title-invalid", {"sessionId": session})
    missing = shared.result("session/rename", request={"sessionId": "none", "title": "x"})["error"]
    assert missing["code"] == "session/not-found"


def test_what_cannot_be_seen_is_left_out_of_a_title() -> None:
    assert plain_title("a\x1b]0;b\x07c") == "a]0;bc"
    assert plain_title("א\u202eב") == "אב"
    assert plain_title("你好 🎉") == "你好 🎉"


# Pages.


@pytest.fixture
async def spoken(shared: Daemon, session: str) -> str:
    """A session of four turns."""
    async with shared.socket() as socket:
        follow = await socket.follow(session)
        for number in range(4):
            await shared.prompt(session, f"[[fast]] {number}")
            await follow.until(ENDED)
    return session


def page(daemon: Daemon, session: str, **request: Any) -> dict[str, Any]:
    address = {"kind": "session", "sessionId": session}
    return daemon.result("session/page", request={"address": address, **request})


async def test_pages_join_without_a_gap_down_to_the_first_event(shared: Daemon, spoken: str) -> None:
    log = await shared.log(spoken)
    last = log[-1]["seq"]
    for messages in (1, 2, 3, 50):
        found: list[dict[str, Any]] = []
        before: dict[str, int] = {}
        more = True
        while more:
            value = page(shared, spoken, throughSeq=last, maxMessages=messages, **before)["value"]
            events = [record["event"] for record in value["records"]]
            assert all(record["type"] == "event" for record in value["records"])
            assert events
            found = events + found
            before = {"beforeSeq": events[0]["seq"]}
            more = value["hasMore"]
        assert found == log


@pytest.mark.parametrize(
    ("request_fields", "code"),
    [
        ({"throughSeq": 99999}, "gateway/bad-request"),
        ({"throughSeq": -2}, "gateway/bad-request"),
        ({"throughSeq": 1.5}, "gateway/bad-request"),
        ({"throughSeq": 3, "beforeSeq": -1}, "gateway/bad-request"),
        ({"throughSeq": 3, "beforeSeq": 0.5}, "gateway/bad-request"),
        ({"throughSeq": 3, "maxMessages": 0}, "gateway/bad-request"),
        ({"throughSeq": 3, "maxMessages": -5}, "gateway/bad-request"),
        ({"throughSeq": "3"}, "gateway/input-invalid"),
        ({}, "gateway/input-invalid"),
    ],
)
def test_a_page_that_cannot_be(shared: Daemon, spoken: str, request_fields: dict[str, Any], code: str) -> None:
    assert page(shared, spoken, **request_fields)["error"]["code"] == code


def test_pages_at_the_edges(shared: Daemon, spoken: str) -> None:
    empty = {"records": [], "hasMore": False}
    assert page(shared, spoken, throughSeq=-1)["value"] == empty
    assert page(shared, spoken, throughSeq=3, beforeSeq=0)["value"] == empty
    seqs = [r["event"]["seq"] for r in page(shared, spoken, throughSeq=3, beforeSeq=99999)["value"]["records"]]
    assert seqs == [0, 1, 2, 3]
    huge = page(shared, spoken, throughSeq=3, beforeSeq=10**30, maxMessages=10**30)["value"]
    assert len(huge["records"]) == 4
    for address in ({"kind": "session"}, {"kind": "x"}, {}, {"kind": "session", "sessionId": 5}):
        error = shared.result("session/page", request={"address": address, "throughSeq": 1})["error"]
        assert error["details"] == {"endpoint": "session/page", "field": "request"}
    assert page(shared, "session-none", throughSeq=1)["error"]["code"] == "session/not-found"


async def test_a_follow_shows_the_newest_messages_and_says_that_there_are_more(shared: Daemon, spoken: str) -> None:
    async with shared.socket() as socket:
        snapshot = await (await socket.follow(spoken, maxMessages=2)).item()
        assert set(snapshot) == {
            "type",
            "header",
            "cursor",
            "records",
            "hasMore",
            "projections",
            "assistantStream",
        }
        assert snapshot["hasMore"] is True
        assert snapshot["records"][-1]["event"]["seq"] == snapshot["cursor"]
        assert snapshot["projections"]["asOfSeq"] == snapshot["cursor"]
        kinds = [record["event"]["type"] for record in snapshot["records"]]
        assert (kinds.count("user/message"), kinds.count("assistant/message")) == (1, 1)
        plain = await socket.open("session/follow", request={"address": {"kind": "session", "sessionId": spoken}})
        whole = await plain.item()
        assert "assistantStream" not in whole
        assert whole["hasMore"] is False


# Workspaces.


async def next_frames(stream: Stream, count: int) -> list[dict[str, Any]]:
    return [await stream.item() for _ in range(count)]


async def test_the_life_of_a_workspace_as_its_followers_see_it(shared: Daemon, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    async with shared.socket() as socket:
        follow = await socket.open("workspace/follow")
        baseline = await follow.item()
        assert baseline["type"] == "baseline"
        assert set(baseline["value"]) == {"items", "archivedSessionIds", "pinnedSessionIds"}
        first = (await shared.acall("workspace/create", request={"path": str(one)}))["workspace"]
        assert first["title"] == "one"
        assert set(first) == {"workspaceId", "path", "title", "sessionIds", "createdAt", "updatedAt"}
        upsert, order = await next_frames(follow, 2)
        assert upsert == {"type": "upsert", "workspace": first}
        assert order["workspaceIds"][0] == first["workspaceId"]
        second = (await shared.acall("workspace/create", request={"path": f"{two}/"}))["workspace"]
        assert second["path"] == str(two)
        _, order = await next_frames(follow, 2)
        assert order["workspaceIds"][:2] == [second["workspaceId"], first["workspaceId"]]

        again = await shared.acall("workspace/create", request={"path": f"{one}/./"})
        assert (again["created"], again["workspace"]) == (False, first)
        name = {"workspaceId": first["workspaceId"], "title": "  Al  pha "}
        renamed = (await shared.acall("workspace/rename", request=name))["workspace"]
        assert renamed["title"] == "Al pha"
        assert await follow.item() == {"type": "upsert", "workspace": renamed}

        session = (await shared.acall("session/create", request={"workspaceId": first["workspaceId"]}))["sessionId"]
        assert (await follow.item())["workspace"]["sessionIds"] == [session]
        delete = {"workspaceId": first["workspaceId"]}
        assert await shared.acall("workspace/delete", request=delete) == {"deleted": True}
        order, remove = await next_frames(follow, 2)
        assert first["workspaceId"] not in order["workspaceIds"]
        assert remove == {"type": "remove", **delete}
        # The session stays, without a workspace, and so do the files.
        assert summary(shared, session)["cwd"] == str(one)
        assert one.is_dir()
        assert shared.result("workspace/delete", request=delete)["error"] == {
            "code": "workspace/not-found",
            "message": "There is no such workspace.",
            "details": delete,
        }


@pytest.mark.parametrize("path", ["", "rel", "/nothing/here", "/dev/null", "/tmp/\0", "./", "/" + "x" * 5000])
def test_a_workspace_that_cannot_be(shared: Daemon, path: str) -> None:
    error = shared.result("workspace/create", request={"path": path})["error"]
    assert (error["code"], error["details"]) == ("workspace/invalid-path", {"path": path})


def test_two_names_of_one_directory_are_one_workspace(shared: Daemon, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    made = shared.call("workspace/create", request={"path": str(folder)})
    same = shared.call("workspace/create", request={"path": str(tmp_path / "link")})
    assert (made["created"], same["created"]) == (True, False)
    assert same["workspace"]["workspaceId"] == made["workspace"]["workspaceId"]


def test_a_workspace_keeps_a_title(shared: Daemon, folder: Path) -> None:
    workspace = shared.call("workspace/create", request={"path": str(folder)})["workspace"]["workspaceId"]
    for blank in ("", "  ", "\n"):
        error = shared.result("workspace/rename", request={"workspaceId": workspace, "title": blank})["error"]
        assert (error["code"], error["details"]) == ("gateway/bad-request", {})
    missing = shared.result("workspace/rename", request={"workspaceId": "none", "title": "x"})["error"]
    assert missing["code"] == "workspace/not-found"


# The archive.


async def test_i13_work_is_not_hidden_while_it_goes_on(shared: Daemon, session: str) -> None:
    async with shared.socket() as socket:
        workspaces = await socket.open("workspace/follow")
        await workspaces.item()
        follow = await socket.follow(session)
        await shared.prompt(session, "[[stall]]")
        await follow.until(lambda item: item["type"] == "assistant-stream")
        error = shared.result("workspace/archiveSession", request={"sessionId": session})["error"]
        assert error["code"] == "session/agent-busy"
        archive = {"sessionId": session, "stopActivity": True}
        archived = (await shared.acall("workspace/archiveSession", request=archive))["archivedSessionIds"]
        assert session in archived
        end = await follow.until(ENDED)
        assert end["event"]["data"]["reason"]["kind"] == "aborted"
        assert await workspaces.item() == {"type": "archived", "archivedSessionIds": archived}
        again = await shared.acall("workspace/archiveSession", request={"sessionId": session})
        assert again["archivedSessionIds"] == archived
        assert summary(shared, session)["running"] is False
        left = await shared.acall("workspace/unarchiveSession", request={"sessionId": session})
        assert session not in left["archivedSessionIds"]


def test_the_archive_takes_no_session_that_is_not_there(shared: Daemon) -> None:
    for endpoint in ("workspace/archiveSession", "workspace/unarchiveSession"):
        error = shared.result(endpoint, request={"sessionId": "session-none"})["error"]
        assert error["code"] == "session/not-found"


# The live state.


async def test_the_live_state_of_all_sessions(shared: Daemon, folder: Path) -> None:
    async with shared.socket() as socket:
        control = await socket.open("session/control")
        baseline = (await control.item())["value"]
        assert set(baseline) == {"projections", "queues", "jobs"}
        session = await shared.new_session(folder)
        frame = await control.until(lambda item: item["sessionId"] == session)
        assert set(frame) == {"type", "sessionId", "key", "seq", "value"}
        shared.call("session/rename", request={"sessionId": session, "title": "named"})
        frame = await control.until(lambda item: item.get("key") == "title" and item["sessionId"] == session)
        assert (frame["value"], frame["seq"]) == ("named", 3)
        other = await socket.open("session/control")
        block = (await other.item())["value"]["projections"][session]
        assert (block["asOfSeq"], block["values"]["title"]) == (3, "named")


def test_a_commands_list_and_what_is_no_command(shared: Daemon, session: str) -> None:
    commands = shared.call("commands/list", agentId=session)
    assert "permission" in [command["name"] for command in commands]
    for line in ("", "hello", "/", "/nope", "permission read-only", "//permission"):
        result = shared.result("commands/execute", agentId=session, line=line, submittedAttachments=[])
        assert result == {"ok": True}


@pytest.mark.parametrize(
    ("line", "kind", "now"),
    [
        ("/permission", "success", "workspace-write"),
        ("/permission read-only", "success", "read-only"),
        ("  /permission   danger-full-access ", "success", "danger-full-access"),
        ("/permission bogus", "error", "workspace-write"),
    ],
)
def test_the_permission_command(shared: Daemon, session: str, line: str, kind: str, now: str) -> None:
    value = shared.call("commands/execute", agentId=session, line=line, submittedAttachments=[])
    assert set(value) == {"commandId", "result"}
    assert value["result"]["kind"] == kind
    values = shared.call("session/projections", request={"sessionId": session})["values"]
    assert values["permissions"]["currentValue"] == now
