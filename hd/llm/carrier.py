"""HTTP towards a provider: the one module that knows the HTTP client.

aiohttp serves the daemon's own clients already, so its client costs no further import. It is imported at the first
request, because a command without a model should not pay for it. The response is
read by a task of its own: what arrives while the reader of the answer is busy comes to it as one piece, so a burst of
events costs one step and not one for each.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

from hd.llm.failure import connect_timeout, stalled, transport

if TYPE_CHECKING:
    import aiohttp

MAX_BUFFERED: Final = 4 * 1024 * 1024
"""Bytes that are read ahead; beyond that the provider has to wait."""

MAX_PIECE: Final = 256 * 1024
KEPT_S: Final = 60.0
"""Seconds that an idle connection is kept for the next request."""


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers of an answer; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").lower()


class Tap(Protocol):
    """Who wants to know what arrives: first the head, then each piece as it came, then how the body ended, if it did;
    `problem` is what broke it."""

    def began(self, head: Head) -> None: ...

    def arrived(self, piece: bytes) -> None: ...

    def ended(self, problem: Exception | None) -> None: ...


class Body(Protocol):
    """The answer to a request as its reader sees it."""

    head: Head

    async def take(self) -> bytes:
        """All bytes that arrived since the last call, at least one; `b""` at the end. ProviderError TRANSPORT."""
        ...

    async def body(self, limit: int) -> bytes:
        """The first `limit` bytes of the rest."""
        ...

    async def settle(self, seconds: float) -> None:
        """Waits a little for the end of the response, so that its connection can serve the next request."""
        ...


class Transport(Protocol):
    """What carries requests and answers: a network, or a recording of one."""

    async def warm(self) -> None: ...

    def open(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None = None,
        head_s: float,
        tap: Tap | None = None,
    ) -> AbstractAsyncContextManager[Body]: ...

    async def aclose(self) -> None: ...


class Answer:
    """An open response. The first piece is awaited like any other, so `take` is all there is to it."""

    def __init__(self, head: Head, pieces: AsyncGenerator[bytes, None], tap: Tap | None = None) -> None:
        self.head = head
        self._tap = tap
        self._parts: list[bytes] = []
        self._size = 0
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._ended = False
        self._problem: Exception | None = None
        self._reader = asyncio.create_task(self._read(pieces), name="provider answer")

    async def take(self) -> bytes:
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
        parts: list[bytes] = []
        while limit > 0 and (piece := await self.take()):
            parts.append(piece[:limit])
            limit -= len(piece)
        return b"".join(parts)

    async def settle(self, seconds: float) -> None:
        self._room.set()
        await asyncio.wait((self._reader,), timeout=seconds)

    async def close(self) -> None:
        self._reader.cancel()
        await asyncio.wait((self._reader,))

    async def _read(self, pieces: AsyncGenerator[bytes, None]) -> None:
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    if self._tap is not None:
                        self._tap.arrived(piece)
                    self._parts.append(piece)
                    self._size += len(piece)
                    self._news.set()
                    if self._size > MAX_BUFFERED:
                        self._room.clear()
                        await self._room.wait()
            if self._tap is not None:
                self._tap.ended(None)
        except Exception as problem:  # Whatever it is, it is the reader's of the answer, who gets it after the bytes.
            self._problem = problem
            if self._tap is not None:
                self._tap.ended(problem)
        finally:
            self._ended = True
            self._news.set()


class Carrier:
    """A pool of kept-alive HTTP/1.1 connections to one address. `connect_s` bounds the way up to the connection."""

    def __init__(self, base_url: str, *, connect_s: float = 10.0) -> None:
        self._base = base_url
        self._connect_s = connect_s
        self._proxy = proxy_of(base_url)
        self._client: aiohttp.ClientSession | None = None

    async def warm(self) -> None:
        """Makes the client, so that the first request does not wait for the import where nothing else did it."""
        self._ready()

    def _ready(self) -> "aiohttp.ClientSession":
        if self._client is None:
            import aiohttp

            self._client = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEPT_S),
                timeout=aiohttp.ClientTimeout(total=None, connect=self._connect_s, sock_connect=self._connect_s),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"accept-encoding": "identity"},
                read_bufsize=MAX_PIECE,
            )
        return self._client

    @asynccontextmanager
    async def open(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None = None,
        head_s: float,
        tap: Tap | None = None,
    ) -> AsyncIterator[Answer]:
        """Sends a request and gives its answer, which is closed at the end. ProviderError TRANSPORT or TIMEOUT.

        `head_s` bounds the time until the status has arrived.
        """
        client = self._ready()
        import aiohttp

        try:
            async with asyncio.timeout(head_s):
                response = await client.request(
                    method, self._base + path, headers=headers, data=body, allow_redirects=False, proxy=self._proxy
                )
        except aiohttp.ServerTimeoutError:
            raise connect_timeout(self._connect_s) from None
        except TimeoutError:
            raise stalled(head_s, 0) from None
        except (aiohttp.ClientError, ValueError, OSError) as problem:
            raise transport(_name_of(problem)) from None
        try:
            head = Head(response.status, {name.lower(): value for name, value in response.headers.items()})
            if tap is not None:
                tap.began(head)
            answer = Answer(head, _pieces(response), tap)
            try:
                yield answer
            finally:
                await answer.close()
        finally:
            response.close()  # Cuts a connection whose answer is not at its end; one that is stays in the pool.

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None


async def _pieces(response: "aiohttp.ClientResponse") -> AsyncGenerator[bytes, None]:
    while piece := await response.content.readany():
        yield piece


_NAMES: Final = {
    "ClientConnectorError": "no connection could be made",
    "ClientConnectorDNSError": "the name of the host could not be resolved",
    "ClientProxyConnectionError": "the proxy could not be reached",
    "ClientHttpProxyError": "the proxy refused",
    "ClientOSError": "it broke",
    "ClientPayloadError": "it was closed before the answer was complete",
    "ServerDisconnectedError": "it was closed before the answer was complete",
}


def _name_of(problem: Exception) -> str:
    """What happened, without the problem's own text, which may hold an address with a password in it."""
    name = type(problem).__name__
    return _NAMES.get(name, name)


def proxy_of(url: str) -> str | None:
    """The proxy that the environment names for an address, if any.

    The HTTP client could look itself, but would then read `.netrc` too and refuse our own authorization beside it.
    """
    from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]

    parts = urlsplit(url)
    proxies = getproxies_environment()
    if _is_loopback(url) or proxy_bypass_environment(parts.hostname or "", proxies):
        return None
    return proxies.get(parts.scheme) or proxies.get("all")


def _is_loopback(url: str) -> bool:
    """An address of this machine, which no proxy of the environment can reach."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")
