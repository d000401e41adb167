"""What answers before anybody is logged in: the page, the exchange of tokens, and the probe."""

from collections.abc import Callable

from aiohttp import web

from hd.protocol.ids import new_id
from hd.server.gate import Gate
from hd.server.login import Interactions

NO_STORE = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
_PAGE_ONLY = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}
_LOGIN_NEEDED = "Login needed. Run `hd token` where the daemon runs and open the address that it prints.\n"
_TOO_MANY = "Too many wrong tokens from this address. Wait {seconds} s and try again; what is logged in stays so.\n"
_INTERACTIONS = "`interactions` may be given once, as `answer` or `none`.\n"
_PAGE = """<!doctype html><meta charset="utf-8"><title>hd</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:4em auto;padding:0 1em}</style>
<h1>hd is running</h1>
<p>This daemon is steered from a terminal. On this machine: <code>htui</code>. From another one, over SSH:
<code>ssh -L 3080:127.0.0.1:PORT host</code>, then <code>htui --url http://127.0.0.1:3080</code> with a token of
<code>hd token</code>.</p>
"""


class Door:
    """`page` is what a person who is logged in sees; without one it is told how to connect."""

    def __init__(self, gate: Gate, page: Callable[[], web.Response] | None = None) -> None:
        self._gate = gate
        self._shown = page

    async def root(self, request: web.Request) -> web.Response:
        """`GET /?token=…` gives a cookie; without one it is the page."""
        tokens = request.query.getall("token", [])
        if request.method != "GET" or len(tokens) != 1:
            return self._page(request, has_token=bool(tokens))
        pause = self._gate.pause(request)
        if not pause and self._gate.redeem(tokens[0]):
            return _redirect(303, "./", self._gate.new_cookie(request))
        if self._is_person(request):
            return self._page(request, has_token=True)
        return self._refused(request, pause)

    async def index(self, request: web.Request) -> web.Response:
        return self._page(request, has_token=False)

    async def connect(self, request: web.Request) -> web.Response:
        """`GET /connect?token=…[&interactions=answer|none]`: the login of a program, a caller of its own each time."""
        tokens, declared = request.query.getall("token", []), request.query.getall("interactions", ["none"])
        if request.method != "GET" or len(tokens) != 1:
            return _unauthorized()
        if declared not in (["answer"], ["none"]):
            return web.Response(status=400, text=_INTERACTIONS, headers=NO_STORE)
        pause = self._gate.pause(request)
        if pause or not self._gate.redeem(tokens[0]):
            return self._refused(request, pause)
        interactions: Interactions = "answer" if declared == ["answer"] else "none"
        return _redirect(302, "./api/remote.mux", self._gate.new_cookie(request, new_id(), interactions))

    def _refused(self, request: web.Request, pause: int) -> web.Response:
        """The answer to a token that was wrong, or that was not looked at because of earlier ones."""
        if not pause:
            self._gate.wrong_token(request)
            return _unauthorized()
        headers = {**NO_STORE, "Retry-After": str(pause)}
        return web.Response(status=429, text=_TOO_MANY.format(seconds=pause), headers=headers)

    def _is_person(self, request: web.Request) -> bool:
        caller = self._gate.caller(request)
        return caller is not None and not caller.operator

    def _page(self, request: web.Request, *, has_token: bool) -> web.Response:
        if request.method != "GET" or not self._is_person(request):
            return _unauthorized()
        if has_token:
            return _redirect(303, "./")
        if self._shown is not None:
            return self._shown()
        headers = {**NO_STORE, **_PAGE_ONLY}
        return web.Response(text=_PAGE, content_type="text/html", charset="utf-8", headers=headers)

    async def health(self, request: web.Request) -> web.Response:
        return web.Response(body=b'{"ok":true}', content_type="application/json", headers=NO_STORE)


def _unauthorized() -> web.Response:
    return web.Response(status=401, text=_LOGIN_NEEDED, headers=NO_STORE)


def _redirect(status: int, place: str, cookie: str | None = None) -> web.Response:
    headers = {**NO_STORE, "Location": place}
    return web.Response(status=status, headers=headers if cookie is None else {**headers, "Set-Cookie": cookie})
