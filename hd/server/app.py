"""The HTTP application: the fence and the login in front, the carriers behind (WIRE 1 to 4)."""

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field

import msgspec
from aiohttp import HttpVersion11, web

from hd.server import fence, login
from hd.server.rpc import Rpc, Stream, Unary
from hd.server.sockets import PULSE, Pulse, Socket

MAX_BODY = 16 * 1024 * 1024
"""Far less than the official 300 MiB: a body is decoded in one step of the loop, which all clients share."""

SECRET_HEADER = "X-Hd-Secret"
_STOP = "/api/local/stop"

_NO_STORE = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
_PAGE_ONLY = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}
_LOGIN_NEEDED = "Login needed. Run `hd token` where the daemon runs and open the address that it prints.\n"
_PAGE = """<!doctype html><meta charset="utf-8"><title>hd</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:4em auto;padding:0 1em}</style>
<h1>hd is running</h1>
<p>This daemon is steered from a terminal. On this machine: <code>htui</code>. From another one, over SSH:
<code>ssh -L 3080:127.0.0.1:PORT host</code>, then <code>htui --url http://127.0.0.1:3080</code> with a token of
<code>hd token</code>.</p>
"""


@dataclass(frozen=True, slots=True)
class Gate:
    """Who may come in. `cookie_secret` signs cookies and outlives the process; `local_secret` is for local commands.

    `trusted_hosts` are allowed in the Host header beside loopback; `stop` ends the daemon; `clock` is in ms.
    """

    cookie_secret: bytes
    local_secret: str
    clock: Callable[[], int]
    stop: Callable[[], None]
    tokens: login.Tokens = field(default_factory=login.Tokens)
    trusted_hosts: frozenset[str] = frozenset()

    def has_cookie(self, request: web.Request) -> bool:
        return login.logged_in(request.cookies, self.cookie_secret, request.headers.get("Host", ""), self.clock())

    def is_local(self, request: web.Request) -> bool:
        given = request.headers.get(SECRET_HEADER, "")
        return hmac.compare_digest(login.raw_bytes(given), self.local_secret.encode())

    def lets_near(self, request: web.Request) -> bool:
        """The fence. A link from another site may lead a browser to the page, so there only the Host counts."""
        headers = request.headers
        host = headers.get("Host", "")
        if not request.path.startswith("/api/"):
            return fence.host_allowed(host, self.trusted_hosts)
        origins, sites = headers.getall("Origin", []), headers.getall("Sec-Fetch-Site", [])
        return fence.allowed(host, origins, sites, self.trusted_hosts)


class Server:
    """The application and its open sockets. `plain` are the routes below `/api/` that are neither call nor stream."""

    def __init__(
        self,
        gate: Gate,
        unary: Mapping[str, Unary],
        streams: Mapping[str, Stream],
        *,
        plain: Iterable[web.RouteDef] = (),
        pulse: Pulse = PULSE,
    ) -> None:
        self._gate = gate
        self._rpc = Rpc(unary, MAX_BODY)
        self._streams = streams
        self._plain = tuple(plain)
        self._pulse = pulse
        self._sockets: set[Socket] = set()
        self._stopping = False

    def application(self) -> web.Application:
        app = web.Application(client_max_size=MAX_BODY, middlewares=[self._fence])
        app.router.add_route("*", "/", self._root)
        app.router.add_route("*", "/index.html", self._index)
        app.router.add_get("/health", self._health)
        app.router.add_post("/api/local/token", self._local_token)
        app.router.add_post(_STOP, self._local_stop)
        app.router.add_get("/api/remote.mux", self._mux)
        app.router.add_routes(self._plain)
        app.router.add_route("*", "/api/{method:.+}", self._rpc.respond)
        app.on_response_prepare.append(_tell_nothing)
        app.on_shutdown.append(self._close_sockets)
        return app

    def refuse(self) -> None:
        """From here on no call and no socket comes in: a daemon that ends must not take up new work."""
        self._stopping = True

    @web.middleware
    async def _fence(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if not self._gate.lets_near(request):
            return _refusal(request, 403, "forbidden")
        if request.path.startswith("/api/"):
            local = request.path.startswith("/api/local/") and self._gate.is_local(request)
            if not local and not self._gate.has_cookie(request):
                return _refusal(request, 401, "unauthorized")
            if self._stopping and not (local and request.path == _STOP):
                return _refusal(request, 503, "the daemon stops")
        return await handler(request)

    async def _root(self, request: web.Request) -> web.Response:
        tokens = request.query.getall("token", [])
        if request.method == "GET" and len(tokens) == 1 and self._gate.tokens.redeem(tokens[0], self._gate.clock()):
            authority = login.normal_authority(request.headers.get("Host", ""))
            cookie = login.set_cookie(self._gate.cookie_secret, authority, self._gate.clock())
            return web.Response(status=303, headers={**_NO_STORE, "Location": "./", "Set-Cookie": cookie})
        return self._page(request, has_token=bool(tokens))

    async def _index(self, request: web.Request) -> web.Response:
        return self._page(request, has_token=False)

    def _page(self, request: web.Request, *, has_token: bool) -> web.Response:
        if request.method != "GET" or not self._gate.has_cookie(request):
            return web.Response(status=401, text=_LOGIN_NEEDED, headers=_NO_STORE)
        if has_token:
            return web.Response(status=303, headers={**_NO_STORE, "Location": "./"})
        headers = {**_NO_STORE, **_PAGE_ONLY}
        return web.Response(text=_PAGE, content_type="text/html", charset="utf-8", headers=headers)

    async def _health(self, request: web.Request) -> web.Response:
        return web.Response(body=b'{"ok":true}', content_type="application/json")

    async def _local_token(self, request: web.Request) -> web.Response:
        if not self._gate.is_local(request):
            return web.Response(status=401, text="unauthorized")
        body = msgspec.json.encode({"token": self._gate.tokens.issue(self._gate.clock())})
        return web.Response(body=body, content_type="application/json", headers=_NO_STORE)

    async def _local_stop(self, request: web.Request) -> web.Response:
        if not self._gate.is_local(request):
            return web.Response(status=401, text="unauthorized")
        self._gate.stop()
        return web.Response(body=b'{"stopping":true}', content_type="application/json")

    async def _mux(self, request: web.Request) -> web.StreamResponse:
        # A request of HTTP/1.0 cannot be upgraded, whatever it says.
        if request.headers.get("Upgrade", "").lower() != "websocket" or request.version < HttpVersion11:
            return _refusal(request, 404, "not found")
        socket = Socket(self._streams, self._pulse)
        self._sockets.add(socket)
        try:
            return await socket.run(request)
        except web.HTTPBadRequest as error:
            return _refusal(request, 400, str(error.text))
        finally:
            self._sockets.discard(socket)

    async def _close_sockets(self, app: web.Application) -> None:
        await asyncio.gather(*(socket.close() for socket in self._sockets), return_exceptions=True)


def _refusal(request: web.Request, status: int, text: str) -> web.Response:
    """A short answer. Behind a refused upgrade nobody knows what is spoken, so the connection ends with it."""
    response = web.Response(status=status, text=text)
    if "Upgrade" in request.headers:
        response.force_close()
    return response


async def _tell_nothing(request: web.BaseRequest, response: web.StreamResponse) -> None:
    """Keeps the versions of what answers to itself, and what it answers from being taken for something else."""
    response.headers.pop("Server", None)
    response.headers["X-Content-Type-Options"] = "nosniff"
