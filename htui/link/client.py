"""One connection to a host: calls over HTTP and streams over one socket (WIRE 3 and 4).

A library on its own: connect, list, call, follow, close. It does not reconnect; `htui.link.link` does that with one
`Client` after the other.

    async with await Client.connect(resolve(None, os.environ), Auth.of(os.environ)) as client:
        print([entry.title for entry in await client.sessions()])
        async with client.stream("session/follow", request={...}) as items:
            async for item in items:
                ...
"""

import asyncio
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from hd.protocol.envelope import WireError
from hd.protocol.mux import ClientMux, Item
from htui.errors import HtuiError, LoginNeeded, ProtocolBroken, RemoteError, Unreachable
from htui.link import handshake, http
from htui.link.address import Address
from htui.link.http import Http, Ticket
from htui.link.login import Auth
from htui.link.stream import Stream
from htui.link.threads import beside
from htui.mirror.rows import SessionEntry, Workspace, session_row, workspace_row

if TYPE_CHECKING:
    from htui.link.heard import Heard

T = TypeVar("T")

QUIET = 12.0
"""Seconds without any sign of the host after which it is asked for one; hosts ping every 2 s (WIRE 4.3)."""

SIGN = 6.0
"""Seconds that it has to give one. A line that died without a word, as tunnels do, is noticed by nothing else."""

UNLIMITED = frozenset({"commands/execute"})
"""Calls that last as long as what they start."""


class Client:
    """A live connection, for one event loop. Its socket is read all the time, however slowly the streams are read.

    It ends when the socket is lost or `close` is called, and for good: connect again for another one.
    """

    def __init__(self, http_side: Http, socket: "Heard") -> None:
        self.address = http_side.address
        self._http = http_side
        self._socket = socket
        self._mux = ClientMux()
        self._streams: dict[str, Stream] = {}
        self._ids: dict[Stream, str] = {}
        self._outbox: asyncio.Queue[str] = asyncio.Queue()
        self._lost: asyncio.Future[HtuiError] = asyncio.get_running_loop().create_future()
        work = (self._read(), self._write(), self._listen())
        self._tasks = [asyncio.create_task(part) for part in work]
        self._closing: asyncio.Task[None] | None = None

    @classmethod
    async def connect(cls, address: Address, auth: Auth) -> "Client":
        """Logs in and opens the socket; being cancelled leaves nothing open.

        `LoginNeeded`, `Forbidden`, `Unreachable`, `ProtocolBroken`, `CookieFileUnsafe`.
        """
        kept = await beside(lambda: auth.kept(address))
        if kept is not None:
            try:
                return await cls._opened(address, kept.pair)
            except LoginNeeded:
                pass
        cookie = await beside(lambda: auth.renew(address))
        return await cls._opened(address, cookie.pair)

    @classmethod
    async def _opened(cls, address: Address, cookie: str) -> "Client":
        return cls(Http(address, cookie), await _socket(address, cookie))

    async def call(self, endpoint: str, /, **args: Any) -> Any:
        """The value of a call (WIRE 3), None when it has none; see `Http.call` for the errors. Never repeated.

        Being cancelled closes its connection, by which the host stops what can be stopped; `Unreachable` after `close`.
        """
        if self._closing is not None:
            raise Unreachable("The connection was closed: connect again to call.")
        ticket = Ticket()
        limit = None if endpoint in UNLIMITED else http.LIMIT
        return await beside(lambda: self._http.call(endpoint, args, limit=limit, ticket=ticket), ticket.abort)

    async def sessions(self) -> list[SessionEntry]:
        """All sessions of the host, the latest first; `ProtocolBroken` for an answer that is no list."""
        return _rows(await self.call("session/list", _request={}), session_row)

    async def workspaces(self) -> list[Workspace]:
        """The registered folders in the order of the host; errors as `sessions` has them, and those of a stream."""
        try:
            async with self.stream("workspace/follow") as items, asyncio.timeout(http.LIMIT):
                baseline = await anext(items, None)
        except TimeoutError:
            raise Unreachable(f"{self.address.origin} did not list its workspaces in time.") from None
        return _rows(baseline.get("value") if isinstance(baseline, Mapping) else None, workspace_row)

    def stream(self, endpoint: str, /, **args: Any) -> Stream:
        """Opens a stream at once; close it when it is no longer read."""
        stream = Stream(self._cancel)
        if self._lost.done():
            stream.finish(self._lost.result())
            return stream
        stream_id, frame = self._mux.open(endpoint, args)
        self._streams[stream_id] = stream
        self._ids[stream] = stream_id
        self._outbox.put_nowait(frame)
        return stream

    @property
    def over(self) -> bool:
        """True once the connection is lost or closed."""
        return self._lost.done()

    async def lost(self) -> HtuiError:
        """Waits until the connection is over and says why."""
        return await asyncio.shield(self._lost)

    async def close(self) -> None:
        """Ends all streams and closes the socket, waiting for the host a second at most.

        However often it is called, all wait for one end. A call that is on its way still gets its answer. Being
        cancelled cuts the socket, so that nothing stays open.
        """
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        try:
            await asyncio.shield(self._closing)
        except asyncio.CancelledError:
            self._socket.transport.abort()
            await asyncio.wait([self._closing])
            raise

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _close(self) -> None:
        self._over(Unreachable("The connection was closed."))
        self._http.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._socket.close()

    def _cancel(self, stream: Stream) -> None:
        stream_id = self._ids.pop(stream, None)
        if stream_id is None:
            return
        del self._streams[stream_id]
        frame = self._mux.cancel(stream_id)
        if frame is not None:
            self._outbox.put_nowait(frame)

    async def _write(self) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            while True:
                await self._socket.send(await self._outbox.get())
        except ConnectionClosed:
            pass  # the reader says why

    async def _listen(self) -> None:
        """Gives the connection up when the host keeps silent and does not even answer a ping."""
        from websockets.exceptions import ConnectionClosed

        loop = asyncio.get_running_loop()
        try:
            while True:
                await asyncio.sleep(max(0.0, self._socket.heard + QUIET - loop.time()))
                if loop.time() - self._socket.heard < QUIET:
                    continue
                async with asyncio.timeout(SIGN):
                    await (await self._socket.ping())
        except TimeoutError:
            self._over(Unreachable(f"{self.address.origin} fell silent: the line to it is dead, or it hangs."))
        except ConnectionClosed:
            pass  # the reader says why

    async def _read(self) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            while True:
                text = await self._socket.recv()
                if isinstance(text, bytes):
                    raise ProtocolBroken("The host sent a binary frame.")
                self._received(text)
        except ConnectionClosed as error:
            self._over(Unreachable(_closing(self.address, error.rcvd.code if error.rcvd else None)))
        except HtuiError as error:
            self._over(error)

    def _received(self, text: str) -> None:
        try:
            found = self._mux.receive(text)
        except ValueError as error:
            raise ProtocolBroken(f"The connection broke the rules: {error}.") from error
        if found is None or self._lost.done():
            return
        stream = self._streams[found.stream_id]
        if isinstance(found, Item):
            stream.put(found.value, len(text))
            return
        del self._streams[found.stream_id], self._ids[stream]
        stream.finish(None if found.error is None else _remote(found.error))

    def _over(self, error: HtuiError) -> None:
        if not self._lost.done():
            self._lost.set_result(error)
        for stream in self._streams.values():
            stream.finish(error)
        self._streams.clear()
        self._ids.clear()


async def _socket(address: Address, cookie: str) -> "Heard":
    from websockets.exceptions import WebSocketException

    from htui.link.heard import connected

    try:
        return await connected(address.socket_url, ping_interval=None, max_queue=1024, **handshake.options(cookie))
    except (WebSocketException, OSError) as error:
        raise handshake.failed(address, error) from error


def _rows(value: object, read: Callable[[object], T | None]) -> list[T]:
    items = value.get("items") if isinstance(value, Mapping) else None
    if not isinstance(items, list):
        raise ProtocolBroken("The host answered with something that is no list.")
    return [row for row in map(read, items) if row is not None]


def _remote(error: WireError) -> RemoteError:
    return RemoteError(error.code, error.message, error.details)


def _closing(address: Address, code: int | None) -> str:
    if code is None:
        return f"The connection to {address.origin} was lost."
    return f"{address.origin} closed the connection (code {code})."
