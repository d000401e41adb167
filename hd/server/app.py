"""The HTTP application: the fence and the login in front, the carriers behind (WIRE 1 to 4)."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping

from aiohttp import HttpVersion11, web

from hd.server.body import MAX_BODY, SILENCE_S
from hd.server.door import Door
from hd.server.gate import Gate
from hd.server.local import STOP, LocalRoutes, Steward
from hd.server.page import Page, PageSocket
from hd.server.rpc import Rpc, Stream, Unary
from hd.server.sockets import PULSE, Pulse, Socket


class Server:
    """The application and its open sockets. `plain` are the routes below `/api/` that are neither call nor stream."""

    def __init__(
        self,
        gate: Gate,
        steward: Steward,
        unary: Mapping[str, Unary],
        streams: Mapping[str, Stream],
        *,
        plain: Iterable[web.RouteDef] = (),
        page: Page | None = None,
        pulse: Pulse = PULSE,
        silence_s: float = SILENCE_S,
    ) -> None:
        self._gate = gate
        self._rpc = Rpc(unary, gate.caller, silence_s)
        self._streams = streams
        self._plain = tuple(plain)
        self._page = page
        self._pulse = pulse
        self._sockets: set[Socket] = set()
        pages: Collection[PageSocket] = () if page is None else page.open
        self._local = LocalRoutes(gate, steward, lambda: [*self._sockets, *pages])
        self._stopping = False

    def application(self) -> web.Application:
        app = web.Application(client_max_size=MAX_BODY, middlewares=[self._fence])
        door = Door(self._gate, None if self._page is None else self._page.index)
        app.router.add_route("*", "/", door.root)
        app.router.add_route("*", "/index.html", door.index)
        app.router.add_route("*", "/connect", door.connect)
        app.router.add_get("/health", door.health)
        app.router.add_routes(self._local.routes())
        app.router.add_get("/api/remote.mux", self._mux)
        app.router.add_routes(self._plain)
        if self._page is not None:
            app.router.add_routes(self._page.routes())
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
            if not local and self._gate.caller(request) is None:
                return _refusal(request, 401, "unauthorized")
            if self._stopping and not (local and request.path == STOP):
                return _refusal(request, 503, "the daemon stops")
        return await handler(request)

    async def _mux(self, request: web.Request) -> web.StreamResponse:
        # A request of HTTP/1.0 cannot be upgraded, whatever it says.
        if request.headers.get("Upgrade", "").lower() != "websocket" or request.version < HttpVersion11:
            return _refusal(request, 404, "not found")
        caller = self._gate.caller(request)
        if caller is None:
            return _refusal(request, 401, "unauthorized")
        socket = Socket(self._streams, self._pulse, caller)
        self._sockets.add(socket)
        try:
            return await socket.run(request)
        except web.HTTPBadRequest as error:
            return _refusal(request, 400, str(error.text))
        finally:
            self._sockets.discard(socket)

    async def _close_sockets(self, app: web.Application) -> None:
        pages = () if self._page is None else self._page.open
        await asyncio.gather(*(socket.close() for socket in (*self._sockets, *pages)), return_exceptions=True)


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
