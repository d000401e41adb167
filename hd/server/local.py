"""What commands of the same user ask of the daemon, by the secret of the home."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec
from aiohttp import web

from hd.errors import HdError
from hd.server.door import NO_STORE
from hd.server.gate import Gate

_log = logging.getLogger(__name__)

STOP: Final = "/api/local/stop"
Respond = Callable[[web.Request], Awaitable[web.Response]]


class Steward(Protocol):
    """Who knows how the daemon is."""

    async def status(self) -> Mapping[str, Any]:
        """What `hd status` says beyond where the daemon listens, as JSON."""
        ...

    async def record(self, wish: str, *, contents: bool) -> Mapping[str, Any]:
        """Begins (`on`) or ends (`off`) a recording, or says how it is; as `Recording.to_wire`. `TapeUnusable`."""
        ...

    async def demand_nothing_is_lost(self) -> None:
        """`StoreFull` when something would be lost if the daemon ended now."""
        ...


class Dismissed(Protocol):
    """A connection that can be cut off because its login is void."""

    async def dismiss(self) -> None: ...


class LocalRoutes:
    """`sockets` gives those of everybody who is connected now."""

    def __init__(self, gate: Gate, steward: Steward, sockets: Callable[[], Sequence[Dismissed]]) -> None:
        self._gate = gate
        self._steward = steward
        self._sockets = sockets

    def routes(self) -> list[web.RouteDef]:
        named = {
            "token": self.token,
            "revoke": self.revoke,
            "status": self.status,
            "record": self.record,
            "stop": self.stop,
        }
        return [web.post(f"/api/local/{name}", self._guarded(respond)) for name, respond in named.items()]

    def _guarded(self, respond: Respond) -> Respond:
        async def guarded(request: web.Request) -> web.Response:
            if not self._gate.is_local(request):
                return web.Response(status=401, text="unauthorized")
            return await respond(request)

        return guarded

    async def token(self, request: web.Request) -> web.Response:
        return _json({"token": self._gate.new_token()})

    async def status(self, request: web.Request) -> web.Response:
        return _json(await self._steward.status())

    async def record(self, request: web.Request) -> web.Response:
        query = request.query
        wish = next((wish for wish in ("on", "off") if wish in query), "")
        try:
            return _json(await self._steward.record(wish, contents="contents" in query))
        except HdError as error:
            return _failed(error.message)

    async def revoke(self, request: web.Request) -> web.Response:
        """Ends every login: whoever is connected is cut off and comes back only with a new token."""
        sockets = self._sockets()
        try:
            await self._gate.revoke()
        except HdError as error:
            return _failed(f"All logins are void, but only until the daemon starts again: {error.message}")
        finally:
            await asyncio.gather(*(socket.dismiss() for socket in sockets), return_exceptions=True)
            _log.info("all logins were revoked; %d connections closed", len(sockets))
        return _json({"cut": len(sockets)})

    async def stop(self, request: web.Request) -> web.Response:
        """Ends the daemon, if nothing is lost by it or the caller insists with `?force`; then it is told what is."""
        lost = ""
        try:
            await self._steward.demand_nothing_is_lost()
        except HdError as error:
            lost = error.message
        if lost and "force" not in request.query:
            return _failed(f"The daemon was not stopped, because something would be lost. {lost}")
        self._gate.stop()
        return _json({"stopping": True, "lost": lost})


def _json(value: Mapping[str, Any]) -> web.Response:
    return web.Response(body=msgspec.json.encode(value), content_type="application/json", headers=NO_STORE)


def _failed(text: str) -> web.Response:
    return web.Response(status=500, text=text, headers=NO_STORE)
