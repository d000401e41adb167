"""Who may come in: the fence, the cookies, the tokens and the secret of local commands, over one request."""

import hmac
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import web

from hd.server import fence, login
from hd.server.guesses import Guesses

SECRET_HEADER = "X-Hd-Secret"


def ticks_ms() -> int:
    return time.monotonic_ns() // 1_000_000


@dataclass(slots=True)
class Gate:
    """`cookie_secret` signs cookies and outlives the process; `local_secret` is for commands of the same user.

    `keep_secret` stores a new cookie secret. `trusted_hosts` are allowed in the Host header beside loopback; `stop`
    ends the daemon. `clock` is in ms since the epoch, which a cookie needs, because it outlives the process; what lives
    no longer than that is timed by `ticks`, in ms of a clock that nobody sets.
    """

    cookie_secret: bytes
    local_secret: str
    clock: Callable[[], int]
    stop: Callable[[], None]
    keep_secret: Callable[[bytes], Awaitable[None]]
    ticks: Callable[[], int] = ticks_ms
    trusted_hosts: frozenset[str] = frozenset()
    tokens: login.Tokens = field(default_factory=login.Tokens)
    _guesses: Guesses = field(default_factory=Guesses)

    def caller(self, request: web.Request) -> login.Caller | None:
        """Who is logged in by the cookie of this request."""
        return login.caller_of(request.cookies, self.cookie_secret, _audience(request), self.clock())

    def is_local(self, request: web.Request) -> bool:
        given = request.headers.get(SECRET_HEADER, "")
        return hmac.compare_digest(login.raw_bytes(given), self.local_secret.encode())

    def lets_near(self, request: web.Request) -> bool:
        """The fence. A link from another site may lead a browser to the page, so there only the Host counts."""
        headers = request.headers
        host, trusted = headers.get("Host", ""), self.trusted_hosts | _arrival(request)
        if not request.path.startswith("/api/"):
            return fence.host_allowed(host, trusted)
        origins, sites = headers.getall("Origin", []), headers.getall("Sec-Fetch-Site", [])
        return fence.allowed(host, origins, sites, trusted)

    def pause(self, request: web.Request) -> int:
        """Seconds until a token from this address is looked at again."""
        return self._guesses.pause(request.remote, self.ticks())

    def new_token(self) -> str:
        return self.tokens.issue(self.ticks())

    def redeem(self, token: str) -> bool:
        return self.tokens.redeem(token, self.ticks())

    def wrong_token(self, request: web.Request) -> None:
        self._guesses.wrong(request.remote, self.ticks())

    def new_cookie(self, request: web.Request, operator: str = "", interactions: login.Interactions = "none") -> str:
        """The `Set-Cookie` header of a login from now on."""
        now, authority = self.clock(), _audience(request)
        return login.set_cookie(authority, login.sign(self.cookie_secret, authority, now, operator, interactions), now)

    async def revoke(self) -> None:
        """Ends every login and every token, at once in this process; then keeps that for the next one."""
        self.cookie_secret = secrets.token_bytes(login.SECRET_BYTES)
        self.tokens.revoke()
        await self.keep_secret(self.cookie_secret)


def _audience(request: web.Request) -> str:
    return login.audience(request.headers.get("Host", ""), tls=request.secure)


def _arrival(request: web.Request) -> frozenset[str]:
    """The address at which the request came in. A number is no name that somebody else could bend to us."""
    place = None if request.transport is None else request.transport.get_extra_info("sockname")
    return frozenset([fence.host_name(fence.shown(place[0]))] if isinstance(place, tuple) else [])
