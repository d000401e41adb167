"""HTTP towards a provider: the one module that knows httpx.

httpx is imported at the first request or by `warm`, because it and the TLS context take a tenth of a second that a
command without a model should not pay. The response is read by a task of its own: what arrives while the reader of the
answer is busy comes to it as one piece, so a burst of events costs one step and not one for each.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

from hd.llm.failure import connect_timeout, stalled, transport

if TYPE_CHECKING:
    import httpx

MAX_BUFFERED: Final = 4 * 1024 * 1024
"""Bytes that are read ahead; beyond that the provider has to wait."""

WRITE_S: Final = 60.0
CLOSE_S: Final = 5.0
"""Seconds that closing a connection may take."""


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers of an answer; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").lower()


class Answer:
    """An open response. The first piece is awaited like any other, so `take` is all there is to it."""

    def __init__(self, head: Head, pieces: AsyncGenerator[bytes, None]) -> None:
        self.head = head
        self._parts: list[bytes] = []
        self._size = 0
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._ended = False
        self._problem: Exception | None = None
        self._reader = asyncio.create_task(self._read(pieces), name="provider answer")

    async def take(self) -> bytes:
        """All bytes that arrived since the last call, at least one; `b""` at the end. ProviderError TRANSPORT."""
        await self._news.wait()
        piece = b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        self._room.set()
        if not self._ended:
            self._news.clear()
        if not piece and self._problem is not None:
            raise transport(_name_of(self._problem)) from None
        return piece

    async def body(self, limit: int) -> bytes:
        """The first `limit` bytes of the rest."""
        parts: list[bytes] = []
        while limit > 0 and (piece := await self.take()):
            parts.append(piece[:limit])
            limit -= len(piece)
        return b"".join(parts)

    async def settle(self, seconds: float) -> None:
        """Waits a little for the end of the response, so that its connection can serve the next request."""
        self._room.set()
        await asyncio.wait((self._reader,), timeout=seconds)

    async def close(self) -> None:
        self._reader.cancel()
        await asyncio.wait((self._reader,))

    async def _read(self, pieces: AsyncGenerator[bytes, None]) -> None:
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    self._parts.append(piece)
                    self._size += len(piece)
                    self._news.set()
                    if self._size > MAX_BUFFERED:
                        self._room.clear()
                        await self._room.wait()
        except Exception as problem:  # Whatever it is, it is the reader's of the answer, who gets it after the bytes.
            self._problem = problem
        finally:
            self._ended = True
            self._news.set()


class Carrier:
    """A pool of kept-alive HTTP/1.1 connections to one address. `connect_s` bounds the way up to the connection."""

    def __init__(self, base_url: str, *, connect_s: float = 10.0) -> None:
        self._base = base_url
        self._connect_s = connect_s
        self._client: httpx.AsyncClient | None = None
        self._making = asyncio.Lock()

    async def warm(self) -> None:
        """Loads what the first request needs, off the event loop."""
        await self._ready()

    async def _ready(self) -> "httpx.AsyncClient":
        async with self._making:
            if self._client is None:
                self._client = await asyncio.to_thread(self._new_client)
            return self._client

    @asynccontextmanager
    async def open(
        self, method: str, path: str, *, headers: Mapping[str, str], body: bytes | None = None, head_s: float
    ) -> AsyncIterator[Answer]:
        """Sends a request and gives its answer, which is closed at the end. ProviderError TRANSPORT or TIMEOUT.

        `head_s` bounds the time until the status has arrived.
        """
        client = await self._ready()
        import httpx

        request = client.build_request(method, self._base + path, headers=dict(headers), content=body)
        try:
            async with asyncio.timeout(head_s):
                response = await client.send(request, stream=True)
        except (httpx.ConnectTimeout, httpx.PoolTimeout):
            raise connect_timeout(self._connect_s) from None
        except TimeoutError:
            raise stalled(head_s, 0) from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as problem:
            raise transport(_name_of(problem)) from None
        try:
            encoded = "content-encoding" in response.headers
            pieces = response.aiter_bytes() if encoded else response.aiter_raw()
            answer = Answer(
                Head(response.status_code, dict(response.headers)), cast("AsyncGenerator[bytes, None]", pieces)
            )
            try:
                yield answer
            finally:
                await answer.close()
        finally:
            await _close(response)

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def _new_client(self) -> "httpx.AsyncClient":
        import anyio.lowlevel
        import anyio.streams.tls
        import httpx

        anyio.run(anyio.lowlevel.checkpoint)  # Loads what httpx would load at its first connection.
        settings: dict[str, Any] = {"trust_env": not _is_loopback(self._base)}
        if self._base.startswith("http:"):
            settings["verify"] = False  # There is no TLS to verify; this only saves loading the certificates.
        return httpx.AsyncClient(
            timeout=httpx.Timeout(connect=self._connect_s, read=None, write=WRITE_S, pool=self._connect_s),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=8, keepalive_expiry=60.0),
            follow_redirects=False,
            headers={"accept-encoding": "identity"},
            **settings,
        )


async def _close(response: "httpx.Response") -> None:
    """Closes within bounds; a connection that cannot even be closed in order is nobody's concern any more."""
    with suppress(Exception):
        async with asyncio.timeout(CLOSE_S):
            await response.aclose()


_NAMES: Final = {
    "ConnectError": "no connection could be made",
    "ReadError": "it broke while reading",
    "WriteError": "it broke while sending",
    "WriteTimeout": "the request could not be sent in time",
    "RemoteProtocolError": "it was closed before the answer was complete",
    "ProxyError": "the proxy refused",
}


def _name_of(problem: Exception) -> str:
    """What happened, without the problem's own text, which may hold an address with a password in it."""
    name = type(problem).__name__
    return _NAMES.get(name, name)


def _is_loopback(url: str) -> bool:
    """An address of this machine, which no proxy of the environment can reach."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")
