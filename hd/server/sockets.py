"""The carrier of streams: one WebSocket, many logical streams (WIRE 4)."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Mapping

from aiohttp import WSMsgType, web

from hd.protocol.mux import CLOSE_BINARY, Cancelled, MuxViolation, Opened, ServerMux
from hd.server.rpc import Stream, open_stream, wire_error

_log = logging.getLogger(__name__)

PING_INTERVAL = 2.0
SILENCE_LIMIT = 20.0
"""Seconds without any frame of the client after which it is taken for gone. Longer than the official six, because a
pong has to queue behind data on a slow link."""

MAX_FRAME = 1024 * 1024
MAX_STREAMS = 512


class Socket:
    """One client's socket. Every stream is a task of `run`'s group; a failing stream touches no other one."""

    def __init__(self, streams: Mapping[str, Stream]) -> None:
        self._streams = streams
        self._mux = ServerMux()
        self._ws = web.WebSocketResponse(autoping=False, compress=False, max_msg_size=MAX_FRAME, timeout=1.0)
        self._serving: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._sending = asyncio.Lock()
        self._heard = 0.0

    async def run(self, request: web.Request) -> web.WebSocketResponse:
        await self._ws.prepare(request)
        self._heard = time.monotonic()
        self._own(asyncio.create_task(self._ping(), name="ping"))
        try:
            await self._receive()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        return self._ws

    def _own(self, task: asyncio.Task[None]) -> asyncio.Task[None]:
        """Keeps a task until it is over, cancelled ones too, so that `run` can wait for all of them."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """For a daemon that ends."""
        await self._ws.close(code=1001, message=b"the daemon stops")

    async def _receive(self) -> None:
        async for message in self._ws:
            self._heard = time.monotonic()
            if message.type is WSMsgType.PING:
                await self._ws.pong(message.data)
            elif message.type is WSMsgType.TEXT:
                try:
                    self._act(message.data)
                except MuxViolation as violation:
                    await self._ws.close(code=violation.code, message=violation.reason.encode())
            elif message.type is WSMsgType.BINARY:
                await self._ws.close(code=CLOSE_BINARY, message=b"text messages required")

    def _act(self, text: str) -> None:
        asked = self._mux.receive(text)
        if isinstance(asked, Opened):
            if len(self._tasks) > MAX_STREAMS:
                raise MuxViolation(reason="too many streams")
            task = asyncio.create_task(self._serve(asked), name=f"stream {asked.endpoint}")
            self._serving[asked.stream_id] = self._own(task)
        elif isinstance(asked, Cancelled):
            self._serving.pop(asked.stream_id).cancel()

    async def _serve(self, opened: Opened) -> None:
        """Sends the stream's items until it ends, fails or is cancelled; after a cancel nothing more is sent."""
        stream_id = opened.stream_id
        last: bytes | None
        try:
            items = open_stream(self._streams, opened.endpoint, opened.payload)
            async with contextlib.aclosing(items) as batches:
                async for batch in batches:
                    await self._send([self._mux.item(stream_id, value) for value in batch])
            last = self._mux.end(stream_id)
        except ConnectionError:
            return
        except Exception as error:
            last = self._mux.error(stream_id, wire_error(error))
        finally:
            if self._serving.get(stream_id) is asyncio.current_task():
                del self._serving[stream_id]
        if last is not None:
            with contextlib.suppress(ConnectionError):
                await self._send([last])

    async def _send(self, frames: list[bytes]) -> None:
        # One writer at a time keeps the frames of a batch together and lets the streams of a slow socket take turns.
        async with self._sending:
            for frame in frames:
                await self._ws.send_frame(frame, WSMsgType.TEXT)

    async def _ping(self) -> None:
        while time.monotonic() - self._heard < SILENCE_LIMIT:
            await asyncio.sleep(PING_INTERVAL)
            with contextlib.suppress(ConnectionError):
                await self._ws.ping()
        _log.info("a client fell silent; its socket is closed")
        transport = self._ws._req.transport if self._ws._req else None
        if transport is not None:
            transport.abort()
