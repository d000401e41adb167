"""The live side of a replay: bare HTTP calls and sockets, whose frames are kept as they come."""

import asyncio
import http.client
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.conformance.tokens import Frame


@dataclass
class Answer:
    """What came back over HTTP; `body` is decoded where it is JSON, text or bytes otherwise."""

    status: int
    headers: Mapping[str, str]
    body: Any


def call(port: int, method: str, path: str, headers: Mapping[str, str], body: bytes | None, seconds: float) -> Answer:
    """One HTTP request with just these headers. Blocks."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("content-length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        raw = answer.read()
        kept = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, kept, decoded(raw, kept.get("content-type", "")))
    finally:
        connection.close()


def decoded(raw: bytes, content_type: str) -> Any:
    if "json" in content_type:
        return msgspec.json.decode(raw)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


@dataclass(eq=False)
class Pair:
    """A stream of the recording and the same stream of the daemon."""

    client: str
    endpoint: str
    recorded: list[Frame] = field(default_factory=list)
    live: list[Frame] = field(default_factory=list)


class Line:
    """One live socket. Frames go to the stream that has their id now; `closed` is (code, reason) once it is over."""

    def __init__(self, connection: ClientConnection, news: asyncio.Event) -> None:
        self.connection = connection
        self.streams: dict[str, Pair] = {}
        self.closed: tuple[int, str] | None = None
        self._news = news
        self._reader = asyncio.create_task(self._read(), name="a client's socket")

    @staticmethod
    async def open(port: int, headers: Mapping[str, str], news: asyncio.Event) -> "Line":
        """Connects; `InvalidStatus` where the daemon refuses."""
        address = f"ws://127.0.0.1:{port}/api/remote.mux"
        connection = await connect(address, additional_headers=dict(headers), compression=None, max_size=None)
        return Line(connection, news)

    async def _read(self) -> None:
        try:
            async for message in self.connection:
                frame = msgspec.json.decode(message)
                pair = self.streams.get(frame["streamId"])
                if pair is not None:
                    pair.live.append(frame)
                self._news.set()
        except ConnectionClosed:
            pass
        self.closed = (self.connection.close_code or 1006, self.connection.close_reason or "")
        self._news.set()

    async def close(self) -> None:
        await self.connection.close()
        await self._reader


async def refusal(port: int, headers: Mapping[str, str]) -> tuple[int, str]:
    """How the daemon answers to an upgrade with these headers: its status and text, 101 where it lets the client in."""
    try:
        async with connect(f"ws://127.0.0.1:{port}/api/remote.mux", additional_headers=dict(headers)):
            return 101, ""
    except InvalidStatus as refused:
        return refused.response.status_code, (refused.response.body or b"").decode()


async def until(holds: Callable[[], bool], news: asyncio.Event, seconds: float) -> bool:
    """Whether it came to be so in time; looked at again whenever something arrived."""
    try:
        async with asyncio.timeout(seconds):
            while not holds():
                news.clear()
                await news.wait()
    except TimeoutError:
        return holds()
    return True


async def pulse(port: int, cookie: str, count: int, seconds: float) -> list[str]:
    """The first things that a peer hears which answers nothing: `101`, then each ping in hex, or `end` if it is cut."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = ["GET /api/remote.mux HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade"]
    lines += ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", f"Cookie: {cookie}", "", ""]
    writer.write("\r\n".join(lines).encode())
    heard: list[str] = []
    try:
        async with asyncio.timeout(seconds):
            head = await reader.readuntil(b"\r\n\r\n")
            heard.append(head.split()[1].decode())
            while len(heard) < count and heard[-1] != "end":
                heard.append((await reader.read(64)).hex() or "end")
    except TimeoutError:
        pass
    finally:
        writer.close()
    return heard
