"""The link against the real daemon with its offline model: a turn, a crash in between, and the local login."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from htui.link.address import resolve
from htui.link.link import Link
from htui.link.login import Auth
from htui.mirror import SessionMirror
from tests.htui.link.watching import Watch, running
from tests.support.daemon import Daemon
from tests.support.preloaded import PreloadedDaemon
from tests.support.strict_follower import StrictFollower

pytestmark = pytest.mark.long


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Daemon]:
    daemon = PreloadedDaemon(tmp_path / "home", arguments=["--demo"])
    await asyncio.to_thread(daemon.start)
    try:
        yield daemon
    finally:
        if daemon.process is not None:
            await asyncio.to_thread(daemon.stop)


def local(daemon: Daemon, watch: Watch) -> Link:
    """A link without URL and token: the daemon of this home is found, and its secret opens the door."""
    watch.link = Link(resolve(None, {"HD_HOME": str(daemon.home)}), Auth(), watch, chance=lambda: 0.0)
    return watch.link


async def new_session(link: Link, folder: Path) -> str:
    folder.mkdir()
    made = await link.call("workspace/create", request={"path": str(folder)})
    created = await link.call("session/create", request={"workspaceId": made["workspace"]["workspaceId"]})
    return str(created["sessionId"])


async def prompt(link: Link, session_id: str, text: str) -> str:
    request_id = str(uuid4())
    content = [{"type": "text", "text": text}]
    request = {"sessionId": session_id, "requestId": request_id, "mode": "queue", "content": content}
    assert await link.call("session/prompt", request=request) == {"accepted": True}
    return request_id


def answers(mirror: SessionMirror) -> int:
    return sum(1 for row in mirror.rows if row.kind == "user" and not mirror.running)


def answered(mirror: SessionMirror) -> bool:
    return not mirror.running and any(row.kind == "assistant" for row in mirror.rows)


async def test_a_turn_is_shown_while_it_runs_and_after_it(daemon: Daemon, tmp_path: Path) -> None:
    watch = Watch()
    async with running(local(daemon, watch)) as link:
        await watch.phase("online")
        session_id = await new_session(link, tmp_path / "project")
        mirror = link.follow(session_id)
        await watch.until(lambda: mirror.loaded)
        request_id = await prompt(link, session_id, "hello")
        await watch.until(lambda: answered(mirror))
        (asked,) = [row for row in mirror.rows if row.kind == "user"]
        assert (asked.text, asked.request_id) == ("hello", request_id)
        assert not mirror.live
        assert mirror.unknown == 0
        await watch.until(lambda: link.host.workspaces and link.host.sessions)
        assert link.host.workspaces[0].session_ids == (session_id,)
        await watch.until(lambda: (entry := link.host.session(session_id)) and not entry.running and not entry.blank)
        assert mirror.value("sessionStats")["turns"] == 1


async def test_i06_two_links_show_the_same_and_one_that_comes_late_as_well(daemon: Daemon, tmp_path: Path) -> None:
    first, second = Watch(), Watch()
    async with running(local(daemon, first)) as one, running(local(daemon, second)) as two:
        await first.phase("online")
        await second.phase("online")
        session_id = await new_session(one, tmp_path / "project")
        here, there = one.follow(session_id), two.follow(session_id)
        await first.until(lambda: here.loaded)
        await prompt(one, session_id, "hello from here")
        await second.until(lambda: answered(there))
        await prompt(two, session_id, "hello from there")
        await first.until(lambda: answers(here) == 2)
        await first.until(lambda: not here.running and here.cursor == there.cursor)
        await second.until(lambda: not there.running and here.cursor == there.cursor)
        late = Watch()
        async with running(local(daemon, late)) as three:
            mirror = three.follow(session_id)
            await late.until(lambda: mirror.cursor == here.cursor)
            assert list(mirror.rows) == list(here.rows) == list(there.rows)


async def test_a_daemon_that_was_killed_and_started_elsewhere_is_found_again(daemon: Daemon, tmp_path: Path) -> None:
    watch = Watch()
    async with running(local(daemon, watch)) as link:
        await watch.phase("online")
        session_id = await new_session(link, tmp_path / "project")
        mirror = link.follow(session_id)
        await prompt(link, session_id, "hello")
        await watch.until(lambda: answered(mirror))
        # Followers see a fact a moment before it is on disk; the answer of a call comes after that.
        await link.call("session/rename", request={"sessionId": session_id, "title": "kept"})
        before, origin = list(mirror.rows), link.address.origin
        await asyncio.to_thread(daemon.kill)
        await watch.phase("offline")
        assert list(mirror.rows) == before, "what was shown stays while offline"
        await asyncio.to_thread(daemon.start)
        loads = mirror.loads
        await watch.until(lambda: mirror.loads > loads)
        assert link.status.phase == "online"
        assert link.address.origin != origin
        assert list(mirror.rows)[: len(before)] == before


async def test_what_the_daemon_sends_stands_before_the_strict_follower(daemon: Daemon, tmp_path: Path) -> None:
    watch = Watch()
    async with running(local(daemon, watch)) as link:
        await watch.phase("online")
        session_id = await new_session(link, tmp_path / "project")
        follower = StrictFollower()
        request = {"address": {"kind": "session", "sessionId": session_id}, "assistantStream": True}
        async with link.stream("session/follow", request=request) as items:
            follower.apply(await anext(items))
            await prompt(link, session_id, "hello")
            while not follower.rows or follower.running:
                follower.apply(await anext(items))
        assert [row.kind for row in follower.rows if row.kind == "assistant"]
        assert all(row.done for row in follower.rows)
