"""A server inside this process, with streams and calls that a test makes up, and clients for it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import msgspec
from aiohttp import web
from websockets.asyncio.client import connect

from hd.server import login
from hd.server.app import Server
from hd.server.body import SILENCE_S
from hd.server.gate import Gate
from hd.server.rpc import Stream, Unary
from hd.server.sockets import Pulse
from tests.server.raw import KEY
from tests.support.daemon import LIMIT, Socket

SECRET = b"x" * 32
NOW = 1_000_000
SLOW = Pulse(interval=60.0, missed=3)


class Place:
    """A server on a free port, and clients for it."""

    def __init__(self, server: Server, gate: Gate, port: int) -> None:
        self.server = server
        self.gate = gate
        self.port = port
        host = f"127.0.0.1:{port}"
        self.cookie = f"{login.cookie_name(host)}={login.sign(SECRET, host, NOW)}"

    @asynccontextmanager
    async def socket(self) -> AsyncIterator[Socket]:
        headers = {"Cookie": self.cookie}
        url = f"ws://127.0.0.1:{self.port}/api/remote.mux"
        async with connect(url, additional_headers=headers, compression=None) as connection:
            socket = Socket(connection)
            reader = asyncio.create_task(socket.read())
            yield socket
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)

    async def get(self, path: str, cookie: str = "") -> bytes:
        """The whole answer to a GET, head and body."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        head = f"Host: 127.0.0.1:{self.port}\r\nConnection: close\r\n" + (f"Cookie: {cookie}\r\n" if cookie else "")
        writer.write(f"GET {path} HTTP/1.1\r\n{head}\r\n".encode())
        async with asyncio.timeout(LIMIT):
            answer = await reader.read()
        writer.close()
        return answer

    async def deaf(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """An upgraded connection that reads nothing and answers no ping."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1000)
        writer.write(
            f"GET /api/remote.mux HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: Upgrade\r\n"
            f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n"
            f"Cookie: {self.cookie}\r\n\r\n".encode()
        )
        return reader, writer


class Idle:
    """A daemon that has nothing to say and nothing to lose."""

    async def status(self) -> dict[str, str]:
        return {}

    async def demand_nothing_is_lost(self) -> None: ...


async def forget(secret: bytes) -> None:
    """A place whose new cookie secret is kept nowhere."""


@asynccontextmanager
async def place(
    streams: dict[str, Stream],
    *,
    pulse: Pulse = SLOW,
    unary: dict[str, Unary] | None = None,
    clock: Callable[[], int] = lambda: NOW,
    keep_secret: Callable[[bytes], Awaitable[None]] = forget,
    silence_s: float = SILENCE_S,
) -> AsyncIterator[Place]:
    gate = Gate(SECRET, "local", clock=clock, ticks=clock, stop=lambda: None, keep_secret=keep_secret)
    server = Server(gate, Idle(), unary or {}, streams, pulse=pulse, silence_s=silence_s)
    runner = web.AppRunner(server.application(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield Place(server, gate, runner.addresses[0][1])
    finally:
        async with asyncio.timeout(LIMIT):
            await runner.cleanup()


async def local(here: Place, command: str) -> bytes:
    return await exchanged(here, f"/api/local/{command}", "X-Hd-Secret: local", b"")


async def listed(here: Place) -> bytes:
    body = msgspec.json.encode(
        {"type": "client-request", "rpcId": "r", "method": "session/list", "payload": {"args": {"_request": {}}}}
    )
    return await exchanged(here, "/api/session/list", f"Cookie: {here.cookie}", body)


async def exchanged(here: Place, path: str, header: str, body: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
    writer.write(
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{here.port}\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\n{header}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
    async with asyncio.timeout(LIMIT):
        answer = await reader.read()
    writer.close()
    return answer
