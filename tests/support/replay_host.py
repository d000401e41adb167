"""A host for tests of the client: scripted by hand, or playing back a recording of an official harness.

It keeps to the wire (login, fence, envelopes, multiplexer) and decides nothing: a test says what each call answers and
what each stream sends. `FakeHost.playing` takes that out of a recording.
"""

import asyncio
import base64
import hashlib
import socket
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Self

import msgspec
from aiohttp import WSMsgType, web

from hd.protocol import codes
from hd.protocol.envelope import WireError, failure, parse_request, success
from hd.protocol.mux import Opened, ServerMux
from tests.support.recordings import RecordedStream, Recording

TOKEN = "a-token-of-the-test"

Unary = Callable[[Mapping[str, Any]], Any]


class Channel:
    """One stream that a client opened, from the host's side."""

    def __init__(self, socket: web.WebSocketResponse, mux: ServerMux, opened: Opened) -> None:
        self.endpoint = opened.endpoint
        self.args: Mapping[str, Any] = opened.payload["args"]
        self._socket = socket
        self._mux = mux
        self._id = opened.stream_id
        self.cancelled = asyncio.Event()

    async def item(self, value: Any) -> None:
        await self._socket.send_str(self._mux.item(self._id, msgspec.json.encode(value)).decode())

    async def end(self) -> None:
        frame = self._mux.end(self._id)
        if frame is not None:
            await self._socket.send_str(frame.decode())

    async def error(self, code: str, message: str = "refused") -> None:
        frame = self._mux.error(self._id, WireError(code, message, {}))
        if frame is not None:
            await self._socket.send_str(frame.decode())


Streaming = Callable[[Channel], Awaitable[None]]


async def stay(channel: Channel) -> None:
    """A stream that sends nothing more."""
    await channel.cancelled.wait()


def items(*values: Any) -> Streaming:
    """A stream that sends `values` and stays open."""

    async def send(channel: Channel) -> None:
        for value in values:
            await channel.item(value)
        await stay(channel)

    return send


def refusal(code: str) -> Streaming:
    async def send(channel: Channel) -> None:
        await channel.error(code)

    return send


READY = {"type": "ready", "clientId": "client-1", "host": {"home": "/home/dev"}}
BASELINE = {"type": "baseline", "value": {"projections": {}}}
NO_WORKSPACES = {"type": "baseline", "value": {"items": [], "archivedSessionIds": []}}


class FakeHost:
    """An aiohttp server on a free port of loopback, in the event loop of the test.

    `unary` and `streams` say what is answered, by endpoint; what is in neither is refused as a real host would.
    `calls` and `opened` hold what clients asked for. `refuse` is a status that every `/api` request gets instead.
    """

    def __init__(self) -> None:
        self.token: str | None = TOKEN
        self.secret: str | None = None
        self.refuse: int | None = None
        self.logins = 0
        self.cookies: set[str] = set()
        self.calls: list[tuple[str, Mapping[str, Any]]] = []
        self.opened: list[Channel] = []
        self.unary: dict[str, Unary] = {
            "session/list": lambda args: {"items": []},
            "session/modelCatalog": lambda args: {"groups": [], "failures": [], "routableProviders": []},
            "$events/result": lambda args: msgspec.UNSET,
        }
        self.streams: dict[str, Streaming] = {
            "$events": items(READY),
            "session/control": items(BASELINE),
            "workspace/follow": items(NO_WORKSPACES),
        }
        self.url = ""
        self.changed = asyncio.Condition()
        self._sockets: set[web.WebSocketResponse] = set()
        self._runner: web.AppRunner | None = None
        self._port = 0
        self._door: socket.socket | None = None

    async def __aenter__(self) -> Self:
        await self.listen()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def listen(self) -> None:
        """Starts to listen; after `stop` on the same port as before."""
        app = web.Application()
        app.router.add_get("/", self._login)
        app.router.add_get("/api/remote.mux", self._mux)
        app.router.add_post("/api/local/token", self._local_token)
        app.router.add_post("/api/{method:.+}", self._call)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        self._door = socket.create_server(("127.0.0.1", self._port), backlog=128)
        await web.SockSite(self._runner, self._door).start()
        self._port = self._door.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"

    async def stop(self) -> None:
        await self.drop()
        if self._runner is not None and self._door is not None:
            # asyncio loses a connection, and its transport unclosed, that it accepted in the turn of its loop in which
            # the server closes. So nothing is accepted any more first, and what was is let in.
            asyncio.get_running_loop().remove_reader(self._door)
            for _ in range(3):
                await asyncio.sleep(0)
            await self._runner.cleanup()
            self._runner = self._door = None

    async def drop(self) -> None:
        """Cuts every socket without a close frame, as a lost line does."""
        for transport in self._transports():
            transport.abort()

    def freeze(self) -> None:
        """Reads no socket any more and so answers no ping, as a stopped process does."""
        for transport in self._transports():
            transport.pause_reading()

    def _transports(self) -> list[asyncio.Transport]:
        requests = [socket._req for socket in self._sockets]
        return [request.transport for request in requests if request is not None and request.transport is not None]

    async def until(self, condition: Callable[[], Any]) -> None:
        """Waits until something that clients did makes `condition` true."""
        async with asyncio.timeout(10), self.changed:
            await self.changed.wait_for(condition)

    def count(self, endpoint: str) -> int:
        """How often `endpoint` was called or opened."""
        called = sum(1 for name, _ in self.calls if name == endpoint)
        return called + sum(1 for channel in self.opened if channel.endpoint == endpoint)

    def channel(self, endpoint: str) -> Channel:
        """The stream of `endpoint` that was opened last."""
        return next(channel for channel in reversed(self.opened) if channel.endpoint == endpoint)

    async def _tell(self) -> None:
        async with self.changed:
            self.changed.notify_all()

    async def _login(self, request: web.Request) -> web.Response:
        self.logins += 1
        if self.token is None or request.query.get("token") != self.token:
            return web.Response(status=401, text="unauthorized")
        authority = base64.urlsafe_b64encode(hashlib.sha256(request.host.encode()).digest()).rstrip(b"=").decode()
        pair = f"dsh-auth-{authority}=v1.payload.signature{self.logins}"
        self.cookies.add(pair)
        headers = {"location": "/", "set-cookie": f"{pair}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict"}
        return web.Response(status=303, headers=headers)

    async def _local_token(self, request: web.Request) -> web.Response:
        if self.secret is None or request.headers.get("x-hd-secret") != self.secret:
            return web.Response(status=403, text="forbidden")
        return web.json_response({"token": self.token})

    def _fence(self, request: web.Request) -> web.Response | None:
        if self.refuse is not None:
            return web.Response(status=self.refuse, text="refused")
        return None if request.headers.get("cookie") in self.cookies else web.Response(status=401, text="unauthorized")

    async def _call(self, request: web.Request) -> web.Response:
        fenced = self._fence(request)
        if fenced is not None:
            return fenced
        call = parse_request(await request.json(), request.match_info["method"])
        self.calls.append((call.method, call.args))
        await self._tell()
        answer = self.unary.get(call.method)
        if answer is None:
            return web.Response(status=404, text="not found")
        try:
            value = answer(call.args)
            if asyncio.iscoroutine(value):
                value = await value
            body = success(call.rpc_id, value)
        except WireError as error:
            body = failure(call.rpc_id, error)
        await self._tell()
        return web.Response(body=body, content_type="application/json")

    async def _mux(self, request: web.Request) -> web.StreamResponse:
        fenced = self._fence(request)
        if fenced is not None:
            return fenced
        socket = web.WebSocketResponse(compress=False, max_msg_size=0)
        await socket.prepare(request)
        self._sockets.add(socket)
        mux, channels = ServerMux(), dict[str, Channel]()
        try:
            async with asyncio.TaskGroup() as group:
                async for message in socket:
                    if message.type is not WSMsgType.TEXT:
                        break
                    found = mux.receive(message.data)
                    if isinstance(found, Opened):
                        channel = channels[found.stream_id] = Channel(socket, mux, found)
                        self.opened.append(channel)
                        group.create_task(self._play(channel))
                    elif found is not None:
                        channels.pop(found.stream_id).cancelled.set()
                    await self._tell()
                for channel in channels.values():
                    channel.cancelled.set()
        finally:
            self._sockets.discard(socket)
            await self._tell()
        return socket

    async def _play(self, channel: Channel) -> None:
        streaming = self.streams.get(channel.endpoint)
        try:
            if streaming is None:
                await channel.error(codes.INVOCATION_UNAVAILABLE)
            else:
                await streaming(channel)
        except ConnectionError:
            pass  # the client went

    @classmethod
    def playing(cls, recording: Recording) -> "FakeHost":
        """A host that answers as the recorded one did.

        The n-th time that a stream is opened (for a session: of that session) it sends what it sent the n-th time, and
        the last recorded answer of a call is repeated once they run out.
        """
        host = cls()
        for endpoint in {stream.endpoint for stream in recording.streams}:
            host.streams[endpoint] = _played([s for s in recording.streams if s.endpoint == endpoint])
        for method, results in recording.results.items():
            host.unary[method] = _answered(results)
        return host


def _played(recorded: list[RecordedStream]) -> Streaming:
    left = list(recorded)

    async def send(channel: Channel) -> None:
        wanted = RecordedStream("", channel.endpoint, channel.args).session_id
        stream = next((s for s in left if s.session_id == wanted), None)
        if stream is None:
            await stay(channel)
            return
        left.remove(stream)
        for value in stream.items:
            await channel.item(value)
        if stream.error is not None:
            await channel.error(str(stream.error.get("code")), str(stream.error.get("message")))
        elif stream.ended:
            await channel.end()
        else:
            await stay(channel)

    return send


def _answered(results: list[Mapping[str, Any]]) -> Unary:
    left = list(results)

    def answer(args: Mapping[str, Any]) -> Any:
        result = left.pop(0) if len(left) > 1 else left[0]
        if result["ok"]:
            return result.get("value", msgspec.UNSET)
        error = result["error"]
        raise WireError(error["code"], error["message"], error.get("details") or {})

    return answer
