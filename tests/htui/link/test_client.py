"""The life of a client as a library: what closing, cancelling and a host that goes away do to what is open."""

import asyncio
import gc
import socket
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from htui.errors import AnswerLost, HtuiError, ProtocolBroken, RemoteError, Unreachable
from htui.link.address import Address
from htui.link.client import Client
from htui.link.login import Auth
from tests.htui.link.watching import linked
from tests.support.replay_host import TOKEN, FakeHost, items, refusal


@pytest.fixture
async def host() -> AsyncIterator[FakeHost]:
    async with FakeHost() as host:
        yield host


async def connected(host: FakeHost) -> Client:
    return await Client.connect(Address(host.url, TOKEN), Auth())


def is_shut(client: Client) -> bool:
    return client._socket.connection_lost_waiter.done()


async def never(args: Any) -> None:
    await asyncio.Event().wait()


async def outcome(work: Awaitable[Any]) -> Any:
    try:
        return await work
    except (HtuiError, asyncio.CancelledError) as error:
        return type(error)


async def test_it_closes_itself_at_the_end_of_a_block(host: FakeHost) -> None:
    with pytest.raises(RemoteError) as refused:
        async with await connected(host) as client:
            await client.call("nobody/knows")
    assert refused.value.code == "gateway/invocation-unavailable"
    assert is_shut(client)
    assert client.over


async def test_it_lists_sessions_and_workspaces(host: FakeHost) -> None:
    row = {"sessionId": "s1", "running": True, "projections": {"asOfSeq": 1, "values": {"title": "a title"}}}
    folder = {"workspaceId": "w1", "path": "/home/dev/project", "sessionIds": ["s1"]}
    host.unary["session/list"] = lambda args: {"items": [row, {"no": "id"}]}
    host.streams["workspace/follow"] = items(
        {"type": "baseline", "value": {"items": [folder], "archivedSessionIds": []}}
    )
    async with await connected(host) as client:
        (entry,) = await client.sessions()
        assert (entry.session_id, entry.title, entry.running) == ("s1", "a title", True)
        (workspace,) = await client.workspaces()
        assert (workspace.workspace_id, workspace.title, workspace.session_ids) == ("w1", "project", ("s1",))
        await host.until(lambda: host.channel("workspace/follow").cancelled.is_set())
        host.unary["session/list"] = lambda args: {"items": None}
        host.streams["workspace/follow"] = refusal("gateway/method-unavailable")
        assert await outcome(client.sessions()) is ProtocolBroken
        assert await outcome(client.workspaces()) is RemoteError


async def test_all_who_close_wait_for_the_same_end(host: FakeHost) -> None:
    client = await connected(host)
    ends = [asyncio.create_task(client.close()) for _ in range(3)]
    await ends[1]
    assert is_shut(client)
    assert await asyncio.gather(*ends, client.close()) == [None] * 4
    assert isinstance(await client.lost(), Unreachable)


async def test_one_who_no_longer_waits_for_the_end_leaves_nothing_open(host: FakeHost) -> None:
    client = await connected(host)
    host.freeze()
    first, second = asyncio.create_task(client.close()), asyncio.create_task(client.close())
    await client.lost()
    assert not is_shut(client), "a frozen host does not say goodbye"
    first.cancel()
    assert await outcome(first) is asyncio.CancelledError
    assert is_shut(client)
    await second


async def test_a_frozen_host_does_not_hold_up_the_end(host: FakeHost) -> None:
    client = await connected(host)
    host.freeze()
    async with asyncio.timeout(10):
        await client.close()
    assert is_shut(client)


class SlowHost(FakeHost):
    """Takes connections and does not answer the handshake."""

    async def _mux(self, request: web.Request) -> web.StreamResponse:
        self.calls.append(("handshake", {}))
        await self._tell()
        await asyncio.Event().wait()
        raise AssertionError


async def test_connecting_can_be_cancelled() -> None:
    async with SlowHost() as host:
        connecting = asyncio.create_task(connected(host))
        await host.until(lambda: host.count("handshake"))
        connecting.cancel()
        assert await outcome(connecting) is asyncio.CancelledError


async def test_nothing_is_sent_after_the_end(host: FakeHost) -> None:
    client = await connected(host)
    await client.close()
    with pytest.raises(Unreachable, match="connect again"):
        await client.call("session/prompt", request={})
    with pytest.raises(Unreachable, match="closed"):
        await anext(client.stream("session/control"))
    assert (host.calls, host.opened) == ([], [])


async def test_a_call_on_its_way_gets_its_answer_although_the_client_is_closed(host: FakeHost) -> None:
    answer = asyncio.Event()

    async def late(args: Any) -> Any:
        await answer.wait()
        return {"accepted": True}

    host.unary["session/prompt"] = late
    client = await connected(host)
    call = asyncio.create_task(client.call("session/prompt", request={}))
    await host.until(lambda: host.count("session/prompt"))
    await client.close()
    answer.set()
    assert await call == {"accepted": True}


async def test_a_reader_that_waits_is_told_of_the_end(host: FakeHost) -> None:
    host.streams["long"] = items(1)
    client = await connected(host)
    stream = client.stream("long")
    assert await anext(stream) == 1
    waiting = asyncio.create_task(anext(stream))
    await client.close()
    assert await outcome(waiting) is Unreachable
    stream.close()
    await stream.aclose()


async def test_a_host_that_goes_in_the_middle_of_calls_is_told_by_what_they_do(host: FakeHost) -> None:
    host.unary |= {"session/prompt": never, "session/list": never}
    async with await connected(host) as client:
        prompt = asyncio.create_task(outcome(client.call("session/prompt", request={})))
        listing = asyncio.create_task(outcome(client.call("session/list", _request={})))
        await host.until(lambda: host.count("session/prompt") and host.count("session/list"))
        await host.stop()
        assert (await prompt, await listing) == (AnswerLost, Unreachable)
        assert isinstance(await client.lost(), Unreachable)
        assert await outcome(client.call("session/list", _request={})) is Unreachable


async def test_several_readers_share_a_stream_and_one_that_leaves_takes_nothing_with_it(host: FakeHost) -> None:
    go_on = asyncio.Event()

    async def later(channel: Any) -> None:
        await go_on.wait()
        for number in range(3):
            await channel.item(number)
        await channel.end()

    host.streams["count"] = later
    async with await connected(host) as client:
        stream = client.stream("count")
        readers = [asyncio.create_task(outcome(anext(stream))) for _ in range(4)]
        await host.until(lambda: host.opened)
        readers[1].cancel()
        assert await readers[1] is asyncio.CancelledError
        go_on.set()
        assert sorted([await readers[place] for place in (0, 2, 3)]) == [0, 1, 2]
        with pytest.raises(StopAsyncIteration):
            await anext(stream)


async def test_a_link_that_ends_while_its_connection_closes_leaves_nothing_open(host: FakeHost, tmp_path: Path) -> None:
    async with linked(host, tmp_path) as (link, watch):
        await watch.phase("online")
        assert link._generation is not None
        client = link._generation.client
        host.freeze()
        link._generation.fail(Unreachable("for the test"))
        await client.lost()
        assert not is_shut(client)
    assert is_shut(client)


@pytest.mark.parametrize("turns", range(5))
async def test_a_host_that_stops_lets_go_of_those_who_are_just_coming_in(turns: int) -> None:
    """However many turns of the loop the connection is old; what is left open fails the run as a warning."""
    host = FakeHost()
    await host.listen()
    with socket.create_connection(("127.0.0.1", int(host.url.rpartition(":")[2]))):
        for _ in range(turns):
            await asyncio.sleep(0)
        await host.stop()
    gc.collect()
