"""The carrier of streams: one WebSocket, many logical streams (WIRE 4)."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from aiohttp import WSMsgType, web

from hd.protocol import codes
from hd.protocol.envelope import WireError
from hd.protocol.ids import new_id
from hd.protocol.mux import CLOSE_BINARY, CLOSE_VIOLATION, Cancelled, MuxViolation, Opened, ServerMux
from hd.server.login import Caller
from hd.server.rpc import Stream, open_stream, wire_error

_log = logging.getLogger(__name__)

MAX_FRAME = 1024 * 1024
MAX_STREAMS = 512

DRAIN_S = 1.0
"""How long a daemon that ends waits for what is still to be sent, and then once more for the closing itself."""


@dataclass(frozen=True, slots=True)
class Pulse:
    """A ping every `interval` seconds; a client that sent no frame for `missed` of them is taken for gone.

    Pings are counted, not seconds, so that a daemon that was held up or asleep cuts nobody for its own silence.
    """

    interval: float
    missed: int


PULSE = Pulse(interval=2.0, missed=10)
"""Twenty seconds, longer than the official six, because a pong has to queue behind data on a slow link."""


class _Gone(Exception):
    """The client cannot be written to any more. Not an error of the stream that noticed."""


class Socket:
    """One client's socket. Every stream is a task of its own; a failing stream touches no other one."""

    def __init__(self, streams: Mapping[str, Stream], pulse: Pulse, caller: Caller) -> None:
        self._streams = streams
        self._caller = replace(caller, connection=new_id())
        self._pulse = pulse
        self._mux = ServerMux()
        self._ws = web.WebSocketResponse(autoping=False, compress=False, max_msg_size=MAX_FRAME, timeout=DRAIN_S)
        self._serving: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._sending = asyncio.Lock()
        self._unanswered = 0
        self._transport: asyncio.Transport | None = None
        self._dismissed = False

    async def run(self, request: web.Request) -> web.WebSocketResponse:
        """Serves the socket until it is closed, and returns when all of its streams are over."""
        await self._ws.prepare(request)
        self._transport = request.transport
        if self._dismissed:
            await self.dismiss()
        watch = asyncio.create_task(self._watch(), name="pulse")
        try:
            await self._receive()
        finally:
            for task in (watch, *self._tasks):
                task.cancel()
            await asyncio.gather(watch, *self._tasks, return_exceptions=True)
        return self._ws

    async def close(self) -> None:
        """For a daemon that ends: what the streams still have to say is sent, within bounds, then the socket closes."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=DRAIN_S)
        await self._end(1001, "the daemon stops")

    async def dismiss(self) -> None:
        """For a login that was revoked: nothing more is said, and the socket closes."""
        self._dismissed = True
        if self._ws.prepared:
            for task in self._tasks:
                task.cancel()
            await self._end(CLOSE_VIOLATION, "the login was revoked")

    async def _end(self, code: int, reason: str) -> None:
        """Closes with a code; a client that does not take it in time is cut off."""
        try:
            async with asyncio.timeout(DRAIN_S):
                await self._ws.close(code=code, message=reason.encode())
        except TimeoutError:
            self._cut()

    def _cut(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    async def _receive(self) -> None:
        async for message in self._ws:
            self._unanswered = 0
            try:
                if message.type is WSMsgType.PING:
                    await self._ws.pong(message.data)
                elif message.type is WSMsgType.TEXT:
                    await self._act(message.data)
                elif message.type is WSMsgType.BINARY:
                    raise MuxViolation(CLOSE_BINARY, "text messages required")
            except MuxViolation as violation:
                await self._end(violation.code, violation.reason)
            except (ConnectionError, _Gone):
                self._cut()

    async def _act(self, text: str) -> None:
        asked = self._mux.receive(text)
        if isinstance(asked, Opened):
            if len(self._tasks) >= MAX_STREAMS:
                too_many = WireError(
                    codes.BAD_REQUEST, f"This socket has {MAX_STREAMS} streams open already; cancel one first.", {}
                )
                # Sent from here, so that a client that does not read its refusals is not read from either.
                await self._send(self._mux.error(asked.stream_id, too_many))
                return
            task = asyncio.create_task(self._serve(asked), name=f"stream {asked.endpoint}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            self._serving[asked.stream_id] = task
        elif isinstance(asked, Cancelled):
            # It is over before the next frame is looked at, so cancelled streams cannot pile up behind live ones.
            task = self._serving.pop(asked.stream_id)
            task.cancel()
            await asyncio.wait({task})

    async def _serve(self, opened: Opened) -> None:
        """Sends the stream's items until it ends, fails or is cancelled; after a cancel nothing more is sent."""
        stream_id = opened.stream_id
        try:
            items = open_stream(self._streams, opened.endpoint, opened.payload, self._caller)
            async with contextlib.aclosing(items) as batches:
                async for batch in batches:
                    await self._send(*(self._mux.item(stream_id, value) for value in batch))
            last = self._last(stream_id, None)
        except _Gone:
            return
        except Exception as error:
            last = self._last(stream_id, wire_error(error))
        with contextlib.suppress(_Gone):
            await self._send(last)

    def _last(self, stream_id: str, error: WireError | None) -> bytes | None:
        """The frame that ends the stream of this task; None when it was cancelled, for its id may live again."""
        if self._serving.get(stream_id) is not asyncio.current_task():
            return None
        del self._serving[stream_id]
        return self._mux.end(stream_id) if error is None else self._mux.error(stream_id, error)

    async def _send(self, *frames: bytes | None) -> None:
        # One writer at a time keeps the frames of a batch together and lets the streams of a slow socket take turns.
        async with self._sending:
            for frame in frames:
                if frame is None:
                    continue
                try:
                    await self._ws.send_frame(frame, WSMsgType.TEXT)
                except ConnectionError as error:
                    raise _Gone from error

    async def _watch(self) -> None:
        """Pings. A client that does not read blocks even a ping, so that has a bound as well."""
        while self._unanswered < self._pulse.missed:
            await asyncio.sleep(self._pulse.interval)
            self._unanswered += 1
            with contextlib.suppress(ConnectionError, TimeoutError):
                async with asyncio.timeout(self._pulse.interval):
                    await self._ws.ping()
        _log.info("a client fell silent; its socket is closed")
        self._cut()
