"""The link and the login: what stops it, what it tries again."""

import os
from pathlib import Path

import msgspec
import pytest

from htui.errors import LoginNeeded
from htui.link import link as link_module
from htui.link.address import Address
from htui.link.link import Link
from htui.link.login import Auth
from tests.htui.link.watching import Watch, linked, running
from tests.support.replay_host import TOKEN, FakeHost


async def test_without_a_token_the_link_asks_for_a_login_and_waits(tmp_path: Path) -> None:
    async with FakeHost() as host, linked(host, tmp_path, token=None) as (link, watch):
        await watch.phase("login")
        assert "asks for a login" in link.status.reason
        assert link.status.next_try_in is None
        link.retry(f"http://elsewhere/?token={TOKEN}")
        await watch.phase("online")


async def test_k04_a_refused_login_is_told_from_a_host_that_is_not_there(tmp_path: Path) -> None:
    async with FakeHost() as host, linked(host, tmp_path, token="wrong") as (link, watch):
        await watch.phase("login")
        assert "refused the token" in link.status.reason
        assert "wrong" not in link.status.reason


async def test_a_host_that_is_not_there_is_tried_again_and_again(tmp_path: Path) -> None:
    host = FakeHost()
    await host.listen()
    await host.stop()
    async with linked(host, tmp_path) as (link, watch):
        await watch.phase("offline")
        assert "hd web" in link.status.reason
        await watch.until(lambda: link.status.attempt == 2)
        await host.listen()
        await watch.phase("online")
        await host.stop()


async def test_a_login_that_ends_while_connected_is_renewed_once(tmp_path: Path) -> None:
    async with FakeHost() as host, linked(host, tmp_path) as (link, watch):
        await watch.phase("online")
        host.cookies.clear()
        with pytest.raises(LoginNeeded):
            await link.call("session/list", _request={})
        await watch.phase("offline")
        link.retry()
        await watch.phase("online")
        assert host.logins == 2


async def test_a_forbidden_host_stops_the_link(tmp_path: Path) -> None:
    async with FakeHost() as host:
        host.refuse = 403
        async with linked(host, tmp_path) as (link, watch):
            await watch.phase("offline")
            assert link.status.next_try_in is None


async def test_a_daemon_that_is_started_here_meanwhile_opens_its_own_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "LOOK_AGAIN", 0.01)
    async with FakeHost() as host:
        watch = Watch()
        watch.link = Link(Address(host.url, None, tmp_path, given=False), Auth(), watch)
        async with running(watch.link):
            await watch.phase("login")
            host.secret = "a-secret"
            run = tmp_path / "run"
            run.mkdir()
            (run / "secret").touch(0o600)
            (run / "secret").write_text("a-secret")
            (run / "daemon.json").write_bytes(msgspec.json.encode({"url": host.url, "pid": os.getpid()}))
            await watch.phase("online")
            assert watch.phases().count("offline") == 0
