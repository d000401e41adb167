"""Single calls and the client as a library: errors, kept connections, streams."""

import asyncio
import os
import socket
import threading
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from htui.errors import AnswerLost, Forbidden, Lagging, LoginNeeded, ProtocolBroken, RemoteError, Unreachable
from htui.link import client as client_module
from htui.link import http, stream
from htui.link.address import Address, resolve
from htui.link.client import Client
from htui.link.cookies import CookieFolder
from htui.link.http import Http
from htui.link.login import Auth, with_cookie
from htui.link.once import first_item
from tests.support.replay_host import TOKEN, Channel, FakeHost, items, refusal, stay


@asynccontextmanager
async def connected(host: FakeHost) -> AsyncIterator[Client]:
    client = await Client.connect(Address(host.url, TOKEN), Auth())
    try:
        yield client
    finally:
        await client.close()


async def test_connect_list_call_and_close() -> None:
    async with FakeHost() as host:
        host.unary["session/list"] = lambda args: {"items": [args]}
        async with connected(host) as client:
            assert await client.call("session/list", _request={"a": 1}) == {"items": [{"_request": {"a": 1}}]}
            assert await client.call("$events/result", clientId="c") is None
        assert isinstance(await client.lost(), Unreachable)
        await client.close()


async def test_a_cookie_is_kept_and_used_again_and_renewed_when_it_is_refused(tmp_path: Path) -> None:
    auth = Auth(CookieFolder(tmp_path / "auth"))
    async with FakeHost() as host:
        address = Address(host.url, TOKEN)
        await (await Client.connect(address, auth)).close()
        await (await Client.connect(address, auth)).close()
        assert host.logins == 1
        host.cookies.clear()
        await (await Client.connect(address, auth)).close()
        assert host.logins == 2
        host.cookies.clear()
        with pytest.raises(LoginNeeded):
            await Client.connect(Address(host.url), auth)


async def test_the_local_secret_opens_the_door_when_the_token_is_old(tmp_path: Path) -> None:
    async with FakeHost() as host:
        host.secret = "a-secret"
        run = tmp_path / "run"
        run.mkdir()
        (run / "daemon.json").write_bytes(msgspec.json.encode({"url": host.url, "pid": os.getpid()}))
        (run / "secret").write_text("a-secret\n")
        (run / "secret").chmod(0o600)
        for environ in ({}, {"HTUI_TOKEN": "used-up"}):
            address = resolve(None, {**environ, "HD_HOME": str(tmp_path)})
            await (await Client.connect(address, Auth())).close()
        (run / "secret").chmod(0o644)
        with pytest.raises(LoginNeeded):
            await Client.connect(resolve(None, {"HD_HOME": str(tmp_path)}), Auth())


async def test_connections_are_kept_and_a_closed_one_is_noticed() -> None:
    async with FakeHost() as host, connected(host) as client:
        await client.call("session/list", _request={})
        idle = client._http._idle[0][1]
        await client.call("session/list", _request={})
        assert client._http._idle[0][1] is idle
        await host.stop()
        with pytest.raises(Unreachable, match="Nothing listens"):
            await client.call("session/prompt", request={})


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, LoginNeeded), (403, Forbidden), (404, RemoteError), (500, RemoteError), (302, ProtocolBroken)],
)
async def test_answers_that_are_no_envelope(status: int, kind: type[Exception]) -> None:
    async with FakeHost() as host, connected(host) as client:
        host.refuse = status
        with pytest.raises(kind):
            await client.call("session/list", _request={})


class Server(threading.Thread):
    """Accepts connections and answers each request with the next of `answers`, None to close instead."""

    def __init__(self, *answers: bytes | None) -> None:
        super().__init__(daemon=True)
        self.requests = 0
        self.heard = b""
        self._answers = answers
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = Address(f"http://127.0.0.1:{self._socket.getsockname()[1]}")
        self.start()

    def run(self) -> None:
        with self._socket:
            connection = None
            for answer in self._answers:
                connection = connection or self._socket.accept()[0]
                self.heard = connection.recv(65536)
                while self.heard.startswith(b"POST") and not self.heard.endswith(b"}"):
                    self.heard += connection.recv(65536)
                self.requests += 1
                if answer is None:
                    connection.close()
                    connection = None
                else:
                    connection.sendall(answer)
            if connection is not None:
                connection.close()


def answer(body: bytes, status: int = 200, encoding: bytes = b"identity") -> bytes:
    head = b"HTTP/1.1 %d X\r\ncontent-length: %d\r\ncontent-encoding: %b\r\n\r\n"
    return head % (status, len(body), encoding) + body


LONG = b"long ".ljust(1_000_000, b"x")


@pytest.mark.parametrize(("body", "encoding"), [(LONG, b"identity"), (zlib.compress(LONG, wbits=31), b"gzip")])
def test_a_long_answer_may_be_packed(body: bytes, encoding: bytes) -> None:
    server = Server(answer(body, 500, encoding))
    with closing(Http(server.address, "c")) as client, pytest.raises(RemoteError, match=r"HTTP 500.: long x"):
        client.call("session/list", {})
    server.join()
    assert b"accept-encoding: gzip\r\n" in server.heard.lower()


@pytest.mark.parametrize(
    ("body", "encoding"), [(zlib.compress(LONG, wbits=31)[:-9], b"gzip"), (b"{}", b"gzip"), (b"{}", b"br")]
)
def test_an_answer_that_cannot_be_unpacked_is_a_lost_one(body: bytes, encoding: bytes) -> None:
    for endpoint, error in (("session/list", Unreachable), ("session/prompt", AnswerLost)):
        server = Server(answer(body, 200, encoding))
        with closing(Http(server.address, "c")) as client:
            with pytest.raises(error):
                client.call(endpoint, {})
            assert client._idle == []
        server.join()
        assert server.requests == 1


@pytest.mark.parametrize("attack", ["\x1b]52;c;cm0gLXJm\x07", "\x1b]0;owned\x07", "\x1b[2J", "\x9b2J", "\u202e"])
def test_what_a_host_fails_with_is_only_text(attack: str) -> None:
    server = Server(answer(f"see {attack} here".encode(), 500))
    with closing(Http(server.address, "c")) as client, pytest.raises(RemoteError, match=r"see .* here") as failed:
        client.call("session/list", {})
    server.join()
    assert failed.value.message.isprintable()


@pytest.mark.parametrize(
    "body",
    [
        b"no json",
        b"[]",
        b'{"type":"server-response","rpcId":"another","result":{"ok":true}}',
        b"\xff",
    ],
)
def test_an_answer_to_another_call_is_refused(body: bytes) -> None:
    server = Server(answer(body))
    client = Http(server.address, "c")
    with pytest.raises(ProtocolBroken):
        client.call("session/list", {})
    client.close()
    server.join()


def test_a_lost_answer_is_told_by_what_the_call_does_and_never_sent_again() -> None:
    server = Server(None)
    with pytest.raises(AnswerLost):
        Http(server.address, "c").call("session/prompt", {})
    server.join()
    assert server.requests == 1
    server = Server(None)
    with pytest.raises(Unreachable):
        Http(server.address, "c").call("session/list", {})
    server.join()
    assert server.requests == 1


def test_a_host_that_keeps_silent_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = Address(f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(AnswerLost, match="time limit"):
            Http(address, "c").call("session/prompt", {}, limit=0.05)
        with pytest.raises(Unreachable, match="time limit"):
            Http(address, "c").call("session/list", {}, limit=0.05)


async def test_a_cancelled_call_does_not_wait_for_the_host() -> None:
    async def never(args: Any) -> None:
        await asyncio.Event().wait()

    async with FakeHost() as host, connected(host) as client:
        host.unary["commands/execute"] = never
        call = asyncio.create_task(client.call("commands/execute", line="/compact"))
        await host.until(lambda: host.count("commands/execute"))
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


async def test_streams_end_fail_and_are_cancelled() -> None:
    async def three(channel: Channel) -> None:
        for number in range(3):
            await channel.item(number)
        await channel.end()

    async with FakeHost() as host, connected(host) as client:
        host.streams.update({"count": three, "bad": refusal("some/code"), "long": items(1, 2)})
        assert [item async for item in client.stream("count")] == [0, 1, 2]
        with pytest.raises(RemoteError) as refused:
            await anext(client.stream("bad"))
        assert refused.value.code == "some/code"
        async with client.stream("long", a=1) as opened:
            assert await anext(opened) == 1
        await host.until(lambda: host.channel("long").cancelled.is_set())
        assert host.channel("long").args == {"a": 1}
        with pytest.raises(StopAsyncIteration):
            await anext(opened)


async def test_a_stream_that_is_read_too_slowly_is_given_up_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stream, "BOUND", 1000)
    async with FakeHost() as host, connected(host) as client:
        host.streams.update({"flood": items(*["x" * 100] * 20), "calm": items("fine")})
        flood = client.stream("flood")
        await host.until(lambda: host.opened and host.channel("flood").cancelled.is_set())
        with pytest.raises(Lagging):
            await anext(flood)
        assert await anext(client.stream("calm")) == "fine"


async def test_a_lost_connection_ends_the_streams_after_what_came() -> None:
    async with FakeHost() as host, connected(host) as client:
        host.streams["long"] = items(1)
        opened = client.stream("long")
        assert await anext(opened) == 1
        await host.drop()
        with pytest.raises(Unreachable):
            await anext(opened)
        with pytest.raises(Unreachable):
            await anext(client.stream("long"))


async def test_i04_a_line_that_died_without_a_word_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "QUIET", 0.02)
    monkeypatch.setattr(client_module, "SIGN", 0.5)
    async with FakeHost() as host, connected(host) as client:
        host.streams["long"] = items(1)
        opened = client.stream("long")
        assert await anext(opened) == 1
        host.freeze()
        lost = await client.lost()
        assert "fell silent" in str(lost)
        with pytest.raises(Unreachable):
            await anext(opened)


@pytest.mark.parametrize("frame", ["no json", "[]", '{"type":"strange"}'])
async def test_a_frame_of_another_language_ends_the_connection(frame: str) -> None:
    async def talk(channel: Channel) -> None:
        await channel._socket.send_str(frame)
        await stay(channel)

    async with FakeHost() as host, connected(host) as client:
        host.streams["odd"] = talk
        client.stream("odd")
        assert isinstance(await client.lost(), ProtocolBroken)


async def test_the_first_item_without_an_event_loop() -> None:
    async with FakeHost() as host:
        address = Address(host.url, TOKEN)
        host.streams["bad"] = refusal("some/code")

        def look(endpoint: str) -> Any:
            return with_cookie(address, Auth(), lambda client: first_item(client, endpoint))

        assert (await asyncio.to_thread(look, "workspace/follow"))["type"] == "baseline"
        with pytest.raises(RemoteError):
            await asyncio.to_thread(look, "bad")


async def test_what_answers_but_is_no_host_is_told() -> None:
    server = Server(answer(b"<html>hello</html>"))
    with pytest.raises(ProtocolBroken, match="is no hd"):
        await Client.connect(Address(server.address.origin, "token"), Auth())
    server.join()


def test_an_address_without_a_listener_says_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = Address(f"http://127.0.0.1:{free.getsockname()[1]}")
    with pytest.raises(Unreachable, match="hd web"):
        http.connected(address)
