"""Ten thousand short connections, of programs and clients that come, say a word and go, politely or not."""

import asyncio
import os
import time
from typing import Final

import msgspec

from tests.soak.host import Host, Vitals
from tests.soak.part import Load, Part, Report
from tests.support.daemon import Daemon

CONNECTIONS: Final = 10_000
WARM: Final = 400
AT_ONCE: Final = 16
READ_S: Final = 20.0
LEAKED_OBJECTS: Final = 0.05
"""Objects more for each connection that are still noise of caches: one leaked connection is dozens."""

LEAKED_MIB: Final = 8.0
KEY: Final = "dGhlIHNhbXBsZSBub25jZQ=="
HELLO: Final = msgspec.json.encode({"type": "open", "streamId": "e", "endpoint": "$events", "payload": {"args": {}}})
CLOSE: Final = b"\x88\x82\0\0\0\0\x03\xe8"


class Visitor:
    """Opens connections of five kinds in turn."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._host = f"Host: 127.0.0.1:{daemon.port}\r\nCookie: {daemon.cookie}\r\n"
        body = {"type": "client-request", "rpcId": "r", "method": "session/list", "payload": {"args": {"_request": {}}}}
        self._list = msgspec.json.encode(body)
        self._secret = (daemon.home / "run" / "secret").read_text().strip()

    async def visit(self, number: int) -> None:
        kinds = (self._call, self._hello, self._gone_in_the_middle, self._login, self._hello, self._half_a_request)
        async with asyncio.timeout(READ_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", self._daemon.port)
            try:
                await kinds[number % len(kinds)](reader, writer)
            finally:
                writer.transport.abort()

    async def _call(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A call, and a polite end."""
        head = f"POST /api/session/list HTTP/1.1\r\n{self._host}Content-Type: application/json\r\nConnection: close\r\n"
        writer.write(f"{head}Content-Length: {len(self._list)}\r\n\r\n".encode() + self._list)
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 200"), answer[:200]

    async def _login(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A new token by the home's secret, and a login with it, on one connection."""
        head = f"POST /api/local/token HTTP/1.1\r\n{self._host}x-hd-secret: {self._secret}\r\nContent-Length: 0\r\n\r\n"
        writer.write(head.encode())
        token = msgspec.json.decode(await _body(reader))["token"]
        writer.write(f"GET /?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{self._daemon.port}\r\n\r\n".encode())
        assert b" 303 " in await reader.readuntil(b"\r\n\r\n")

    async def _hello(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A socket: hello, the first item, and the closing handshake."""
        await self._opened(reader, writer)
        writer.write(CLOSE)
        rest = await reader.read()
        assert rest.endswith(b"\x88\x02\x03\xe8"), rest[-40:]

    async def _gone_in_the_middle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A socket whose client vanishes."""
        await self._opened(reader, writer)

    async def _half_a_request(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A request whose client vanishes behind half of its body."""
        head = f"POST /api/session/list HTTP/1.1\r\n{self._host}Content-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(self._list)}\r\n\r\n".encode() + self._list[:20])
        await writer.drain()

    async def _opened(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = f"GET /api/remote.mux HTTP/1.1\r\n{self._host}Connection: Upgrade\r\nUpgrade: websocket\r\n"
        writer.write(f"{head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n\r\n".encode())
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
        writer.write(bytes([0x81, 0x80 | len(HELLO)]) + b"\0\0\0\0" + HELLO)
        await reader.readuntil(b'"ready"')


async def _body(reader: asyncio.StreamReader) -> bytes:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    return await reader.readexactly(int(head.partition("content-length:")[2].partition("\r\n")[0]))


async def _visits(visitor: Visitor, count: int) -> None:
    numbers = iter(range(count))

    async def one_after_the_other() -> None:
        for number in numbers:
            await visitor.visit(number)

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(one_after_the_other())


async def run(host: Host, load: Load, report: Report) -> None:
    visitor, count = Visitor(host.daemon), load.count(CONNECTIONS, 100)
    await _visits(visitor, WARM)
    before = await host.vitals()
    began = time.monotonic()
    await _visits(visitor, count)
    seconds = time.monotonic() - began
    after = await host.vitals()
    _judge(report, before, after, count)
    report.figure("connections", count)
    report.figure("connections a second", count / seconds)
    report.figure("descriptors before and after", f"{before.descriptors} and {after.descriptors}")
    report.figure("tasks before and after", f"{before.tasks} and {after.tasks}")
    report.figure("objects before and after", f"{before.objects} and {after.objects}")
    report.figure("MiB before and after", f"{before.memory:.1f} and {after.memory:.1f}")
    report.figure("cores", os.cpu_count() or 0)


def _judge(report: Report, before: Vitals, after: Vitals, count: int) -> None:
    grown = after.grown(before)
    report.demand(
        after.descriptors <= before.descriptors, f"descriptors leaked: {before.descriptors} to {after.descriptors}"
    )
    report.demand(after.tasks <= before.tasks, f"tasks leaked: {before.tasks} to {after.tasks} ({grown})")
    more = after.objects - before.objects
    report.demand(more < max(2000, LEAKED_OBJECTS * count), f"{more} objects leaked ({grown})")
    report.demand(
        after.memory - before.memory < LEAKED_MIB, f"memory grew from {before.memory:.1f} to {after.memory:.1f} MiB"
    )


PART: Final = Part("connections", f"{CONNECTIONS} short connections", 180.0, run)
