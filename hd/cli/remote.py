"""A line to a running daemon, over its socket (WIRE 2 to 4)."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from http.cookies import SimpleCookie
from typing import Any, Final

import aiohttp
import msgspec

from hd.cli.local import Local
from hd.errors import HdError, NotRunning
from hd.protocol.envelope import WireError, parse_response, request
from hd.protocol.ids import new_id
from hd.protocol.mux import ClientMux, Ended, Item

ANSWER_S: Final = 60.0
CLOSE_S: Final = 1.0
QUIET_S: Final = 30.0
"""A daemon pings every two seconds, so one that is silent for so long is gone."""


class Remote:
    """The line to a running daemon. Made by `connected`, which reads its socket."""

    def __init__(self, http: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse, url: str) -> None:
        self._http = http
        self._socket = socket
        self._url = url
        self._mux = ClientMux()
        self._waiting: dict[str, asyncio.Queue[Item | Ended | None]] = {}
        self._over = False

    async def call(self, endpoint: str, **args: Any) -> Any:
        rpc_id = new_id()
        body, headers = request(rpc_id, endpoint, args), {"Content-Type": "application/json"}
        try:
            async with self._http.post(f"{self._url}/api/{endpoint}", data=body, headers=headers) as answer:
                return parse_response(msgspec.json.decode(await answer.read()), rpc_id)
        except WireError as error:
            raise HdError(error.message, error.details) from None
        except (aiohttp.ClientError, TimeoutError, ValueError):
            raise self._gone() from None

    async def stream(self, endpoint: str, **args: Any) -> AsyncGenerator[Any, None]:
        stream_id, frame = self._mux.open(endpoint, args)
        queue = self._waiting[stream_id] = asyncio.Queue()
        try:
            await self._send(frame)
            while not self._over or not queue.empty():
                match await queue.get():
                    case Item(_, value):
                        yield value
                    case Ended(_, WireError() as error):
                        raise HdError(error.message, error.details)
                    case Ended():
                        return
                    case None:
                        break
            raise self._gone()
        finally:
            del self._waiting[stream_id]
            cancel = self._mux.cancel(stream_id)
            if cancel is not None and not self._over:
                await self._send(cancel)

    async def read(self) -> None:
        """Hands the frames to their streams until the socket closes. Waits for no stream, so pings are answered."""
        try:
            async for message in self._socket:
                if message.type is not aiohttp.WSMsgType.TEXT:
                    break
                came = self._mux.receive(message.data)
                if came is not None and came.stream_id in self._waiting:
                    self._waiting[came.stream_id].put_nowait(came)
        except (aiohttp.ClientError, TimeoutError, ValueError):
            pass
        finally:
            self._over = True
            for queue in self._waiting.values():
                queue.put_nowait(None)

    async def _send(self, frame: str) -> None:
        try:
            await self._socket.send_str(frame)
        except (aiohttp.ClientError, ConnectionError):
            raise self._gone() from None

    def _gone(self) -> NotRunning:
        return NotRunning(
            f"The daemon at {self._url} ended or cannot be reached any more. The session is kept there; if the daemon "
            "ended, its turn is closed as interrupted."
        )


@asynccontextmanager
async def connected(local: Local) -> AsyncIterator[Remote]:
    """A line to the daemon, as a caller of its own who is asked what a person is asked."""
    url, tls = local.daemon.url, _own_tls()
    timeout = aiohttp.ClientTimeout(total=ANSWER_S)
    connector = aiohttp.TCPConnector(ssl=tls)
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar(), connector=connector, timeout=timeout) as http:
        try:
            http.headers["Cookie"] = await _login(http, url, await asyncio.to_thread(local.new_token))
            socket = await http.ws_connect(
                f"{url}/api/remote.mux", max_msg_size=0, timeout=aiohttp.ClientWSTimeout(QUIET_S, CLOSE_S)
            )
        except (aiohttp.ClientError, TimeoutError) as error:
            raise NotRunning(f"The daemon at {url} does not answer: {error}.") from None
        async with socket:
            remote = Remote(http, socket, url)
            reader = asyncio.create_task(remote.read())
            try:
                yield remote
            finally:
                reader.cancel()
                await asyncio.gather(reader, return_exceptions=True)


async def _login(http: aiohttp.ClientSession, url: str, token: str) -> str:
    """The cookie, as it is sent back."""
    query = {"token": token, "interactions": "answer"}
    async with http.get(f"{url}/connect", params=query, allow_redirects=False) as answer:
        cookies = SimpleCookie(answer.headers.get("Set-Cookie", ""))
    if not cookies:
        raise NotRunning(f"The daemon at {url} did not accept its own token (status {answer.status}).")
    return "; ".join(f"{name}={morsel.value}" for name, morsel in cookies.items())


def _own_tls() -> ssl.SSLContext:
    """As in `hd.cli.local`: the certificate is for the name by which others call."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context
