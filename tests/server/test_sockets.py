"""The carrier of streams inside this process: a quick pulse, made-up streams, and clients that misbehave in time."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from hd.server.sockets import Pulse
from tests.server.inside import Place, listed, local, place
from tests.server.raw import frame
from tests.support.daemon import LIMIT, Socket

QUICK = Pulse(interval=0.02, missed=3)
OPEN = frame(b'{"type":"open","streamId":"a","endpoint":"session/control","payload":{"args":{}}}')


class Flood:
    """A stream that never has an end, and knows whether it is still being read from."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.over = asyncio.Event()

    async def control(self) -> AsyncGenerator[list[bytes], None]:
        self.begun.set()
        try:
            while True:
                yield [b'"' + b"x" * 100_000 + b'"']
        finally:
            self.over.set()


class Quiet:
    """A stream of one item that then waits; `end` lets it say one more and finish."""

    def __init__(self) -> None:
        self.end = asyncio.Event()
        self.over = asyncio.Event()

    async def control(self) -> AsyncGenerator[list[bytes], None]:
        try:
            yield [b"1"]
            await self.end.wait()
            yield [b"2", b"3"]
        finally:
            self.over.set()


async def reached(event: asyncio.Event) -> None:
    async with asyncio.timeout(LIMIT):
        await event.wait()


async def test_a_silent_client_is_cut_and_its_streams_end() -> None:
    quiet = Quiet()
    async with place({"session/control": quiet.control}, pulse=QUICK) as here:
        reader, writer = await here.deaf()
        writer.write(OPEN)
        await reached(quiet.over)
        with suppress(ConnectionError):
            async with asyncio.timeout(LIMIT):
                while await reader.read(1 << 16):
                    pass
        writer.close()


async def test_a_client_that_answers_pings_may_be_silent_otherwise() -> None:
    quiet = Quiet()
    async with place({"session/control": quiet.control}, pulse=QUICK) as here, asyncio.timeout(LIMIT):
        reader, writer = await here.deaf()
        await reader.readuntil(b"\r\n\r\n")
        for _ in range(QUICK.missed * 4):
            assert await reader.readexactly(2) == b"\x89\x00"
            writer.write(frame(b"", opcode=10))
        writer.write(OPEN)
        quiet.end.set()
        assert b'"value":2' in await reader.readuntil(b"2}")
        writer.close()


async def test_i06_a_client_that_does_not_read_is_cut_although_it_blocks_the_pings() -> None:
    flood = Flood()
    async with place({"session/control": flood.control}, pulse=QUICK) as here:
        _, writer = await here.deaf()
        writer.write(OPEN)
        await reached(flood.begun)
        await reached(flood.over)
        writer.transport.abort()


async def test_a_daemon_that_ends_does_not_wait_for_a_client_that_does_not_read() -> None:
    flood = Flood()
    async with place({"session/control": flood.control}) as here:
        _, writer = await here.deaf()
        writer.write(OPEN)
        await reached(flood.begun)
    assert flood.over.is_set()
    writer.transport.abort()


async def test_what_streams_still_have_to_say_is_sent_before_the_end() -> None:
    quiet = Quiet()
    async with here_and_client(quiet) as (_, socket, stream):
        quiet.end.set()
    assert [await stream.item(), await stream.item()] == [2, 3]
    assert (await stream.frame())["type"] == "end"
    assert (socket.connection.close_code, socket.connection.close_reason) == (1001, "the daemon stops")


@asynccontextmanager
async def here_and_client(quiet: Quiet) -> AsyncIterator[tuple[Place, Socket, Any]]:
    """A place that ends before its client does."""
    ended = asyncio.Event()
    entered: asyncio.Queue[Any] = asyncio.Queue()

    async def client(here: Place) -> None:
        async with here.socket() as socket:
            stream = await socket.open("session/control")
            assert await stream.item() == 1
            entered.put_nowait((here, socket, stream))
            await socket.connection.wait_closed()
            await reached(ended)

    async with place({"session/control": quiet.control}) as here:
        running = asyncio.create_task(client(here))
        yield await asyncio.wait_for(entered.get(), LIMIT)
    ended.set()
    await running


async def test_a_stream_that_ends_after_all_may_be_opened_again() -> None:
    quiet = Quiet()
    quiet.end.set()
    async with place({"session/control": quiet.control}) as here, here.socket() as socket:
        for _ in range(3):
            stream = await socket.open("session/control", stream_id="same")
            assert [await stream.item() for _ in range(3)] == [1, 2, 3]
            assert (await stream.frame()) == {"type": "end", "streamId": "same"}


@pytest.mark.parametrize("error", [ConnectionResetError("upstream"), ValueError("defect"), TimeoutError()])
async def test_a_stream_that_fails_says_so_and_its_id_is_free(error: Exception) -> None:
    """A connection that a stream itself lost is its own failure, not the client's."""

    async def failing() -> AsyncGenerator[list[bytes], None]:
        yield [b"1"]
        raise error

    async with place({"session/control": failing}) as here, here.socket() as socket:
        for _ in range(3):
            stream = await socket.open("session/control", stream_id="same")
            assert await stream.item() == 1
            last = await stream.frame()
            assert (last["type"], last["error"]["code"]) == ("error", "gateway/internal")
            await socket.cancel(stream)


async def test_a_cancelled_stream_sends_nothing_even_when_its_end_fails() -> None:
    over = asyncio.Event()

    async def bad_end() -> AsyncGenerator[list[bytes], None]:
        try:
            yield [b"1"]
            await asyncio.Event().wait()
        finally:
            over.set()
            raise ValueError("on the way out")

    async with place({"session/control": bad_end}) as here, here.socket() as socket:
        stream = await socket.open("session/control", stream_id="same")
        await stream.item()
        await socket.cancel(stream)
        await reached(over)
        again = await socket.open("session/control", stream_id="same")
        assert await again.item() == 1
        barrier = await socket.open("nope/nope")
        await barrier.frame()
        assert (stream.waiting(), again.waiting()) == (0, 0)


async def test_after_the_stop_nothing_new_comes_in() -> None:
    async def summaries(_request: Any) -> Any:
        return {"items": []}

    async with place({}, unary={"session/list": summaries}) as here:
        assert (await listed(here)).startswith(b"HTTP/1.1 200")
        here.server.refuse()
        assert (await listed(here)).startswith(b"HTTP/1.1 503")
        assert (await local(here, "stop")).startswith(b"HTTP/1.1 200")
        assert (await local(here, "token")).startswith(b"HTTP/1.1 503")
        reader, writer = await here.deaf()
        async with asyncio.timeout(LIMIT):
            assert await reader.read(12) == b"HTTP/1.1 503"
        writer.close()
