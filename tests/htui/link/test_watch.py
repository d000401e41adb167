"""Streams that are wanted over reconnections, against the real daemon: drafts, and who follows a session."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from htui.errors import RemoteError
from tests.htui.link.test_daemon import local, new_session
from tests.htui.link.watching import Watch, running
from tests.support.daemon import Daemon
from tests.support.preloaded import PreloadedDaemon

pytestmark = pytest.mark.long


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Daemon]:
    daemon = PreloadedDaemon(tmp_path / "home", arguments=["--demo"])
    await asyncio.to_thread(daemon.start)
    try:
        yield daemon
    finally:
        await asyncio.to_thread(daemon.stop)


async def test_a_watch_goes_on_over_a_new_start_and_ends_when_it_is_closed(daemon: Daemon, tmp_path: Path) -> None:
    told = Watch()
    texts: asyncio.Queue[str] = asyncio.Queue()

    def take(items: list[Any]) -> None:
        texts.put_nowait(items[-1]["text"])

    async with running(local(daemon, told)) as link:
        await told.phase("online")
        session_id = await new_session(link, tmp_path / "proj")
        watch = link.watch("drafts/follow", take, sessionId=session_id)
        async with asyncio.timeout(20):
            assert await texts.get() == ""
            await link.call("drafts/set", sessionId=session_id, text="one", cursor=1)
            assert await texts.get() == "one"
            await asyncio.to_thread(daemon.kill)
            await told.phase("offline")
            await asyncio.to_thread(daemon.start)
            assert await texts.get() == "one"
            watch.close()
            watch.close()
            await link.call("drafts/set", sessionId=session_id, text="two", cursor=1)
            again = link.watch("drafts/follow", take, sessionId=session_id)
            assert await texts.get() == "two", "the closed one was told nothing"
            again.close()


async def test_what_a_host_does_not_offer_is_refused_once_and_disturbs_nothing(daemon: Daemon) -> None:
    told = Watch()
    refused: asyncio.Queue[RemoteError] = asyncio.Queue()
    async with running(local(daemon, told)) as link:
        await told.phase("online")
        link.watch("nobody/has", lambda items: None, refused.put_nowait)
        async with asyncio.timeout(20):
            assert (await refused.get()).code == "gateway/invocation-unavailable"
        assert link.status.phase == "online"


async def test_who_follows_a_session_is_counted(daemon: Daemon, tmp_path: Path) -> None:
    one, two = Watch(), Watch()
    async with running(local(daemon, one)) as link:
        await one.phase("online")
        session_id = await new_session(link, tmp_path / "proj")
        link.follow(session_id)
        await one.until(lambda: link.host.clients == {session_id: 1})
        async with running(local(daemon, two)) as other:
            other.follow(session_id)
            await one.until(lambda: link.host.clients == {session_id: 2})
            await two.until(lambda: other.host.clients == {session_id: 2})
        await one.until(lambda: link.host.clients == {session_id: 1})
