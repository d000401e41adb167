"""`hd web --page`: the terminal client in a browser, behind the same login (row T24).

The page, its terminal emulator and what they say on the wire are those of textual-serve: texts `["stdin", TEXT]`,
`["resize", {width, height}]` and `["ping", TIME]` come in, bytes of the terminal go out. What stands behind is `htui`
in a terminal of its own on this machine, one for each page, which ends with it. The policy of the page keeps the
browser from asking anybody else, and commands on this machine (`!COMMAND`) are off in it: a login may steer the agent,
whose rules hold, and is no shell.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import msgspec
from aiohttp import WSMsgType, web

from hd.errors import UsageError
from hd.process.child import Child, Screen
from hd.process.environment import HOME_MARK, child_environment, with_screen
from hd.server.door import NO_STORE
from hd.server.login import Caller

_log = logging.getLogger(__name__)

MOST: Final = 8
"""Pages at a time."""
LARGEST: Final = 8 * 1024 * 1024
"""Bytes that may wait for a browser that does not take them."""
_LONGEST: Final = 1024 * 1024
"""Bytes of one message of a browser: a paste is one."""
_WIDEST: Final = 500
_GRACE_S: Final = 2.0
_HEARTBEAT_S: Final = 15.0
_PAUSE_S: Final = 0.01

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
STATIC: Final = "/api/page/static/"
SOCKET: Final = "/api/page/socket"

HTML: Final = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hd</title>
<link rel="stylesheet" href="{STATIC}css/xterm.css">
<style>
@font-face {{ font-family: "Roboto Mono"; src: url("{STATIC}fonts/RobotoMono-VariableFont_wght.ttf") }}
html, body {{ height: 100%; margin: 0; background: #101418; color: #d8d8d8; font: 16px/1.5 system-ui, sans-serif }}
#terminal {{ height: 100vh; height: 100dvh }}
#ended {{ display: none; position: fixed; inset: 0; z-index: 20; place-content: center; text-align: center }}
#ended {{ background: #101418e0 }}
body.-closed #ended {{ display: grid }}
#ended a {{ color: inherit }}
</style>
</head>
<body>
<div id="terminal" class="textual-terminal" data-font-size="16"></div>
<div id="ended"><p>This page has ended; what the agent does goes on. <a href="./">Open it again</a></p></div>
<script src="{STATIC}page.js"></script>
<script src="{STATIC}js/textual.js"></script>
</body>
</html>
"""
SCRIPT: Final = f"""document.getElementById("terminal").dataset.sessionWebsocketUrl =
  location.origin.replace(/^http/, "ws") + "{SOCKET}";
const waiting = setInterval(() => {{
  const keys = document.querySelector(".xterm-helper-textarea");
  if (keys) {{ clearInterval(waiting); keys.focus(); }}
}}, 50);
"""
"""Where the socket is, as the browser knows this host, before the emulator looks; then keys go to the terminal."""

_FILES: Final[Mapping[str, str]] = {
    "css/xterm.css": "text/css",
    "js/textual.js": "text/javascript",
    "fonts/RobotoMono-VariableFont_wght.ttf": "font/ttf",
}


def assets() -> Path:
    """Where textual-serve keeps its files; `UsageError` where it is not installed."""
    found = find_spec("textual_serve")
    if found is None or found.origin is None:
        raise UsageError("--page needs textual-serve, which is not installed: pip install 'hd-agent[serve]'.")
    return Path(found.origin).parent / "static"


class Page:
    """The routes of the page. `home` is the daemon's, by which `htui` finds and knows it."""

    def __init__(self, caller: Callable[[web.Request], Caller | None], home: Path, files: Path) -> None:
        self._caller = caller
        self._home = home
        self._files = files
        self._open: set[PageSocket] = set()

    @property
    def open(self) -> "set[PageSocket]":
        """The pages that are open now."""
        return self._open

    def routes(self) -> list[web.RouteDef]:
        return [web.get(SOCKET, self._socket), web.get(STATIC + "{path:.+}", self._static)]

    def index(self) -> web.Response:
        headers = {**NO_STORE, "Content-Security-Policy": POLICY}
        return web.Response(text=HTML, content_type="text/html", charset="utf-8", headers=headers)

    async def _static(self, request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"]
        if path == "page.js":
            return web.Response(text=SCRIPT, content_type="text/javascript", headers=NO_STORE)
        if path not in _FILES:
            return web.Response(status=404, text="not found")
        headers = {"Content-Type": _FILES[path], "Cache-Control": "private, max-age=86400"}
        return web.FileResponse(self._files / path, headers=headers)

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        caller = self._caller(request)
        if caller is None or caller.operator:
            return web.Response(status=403, text="the page is for a person's login")
        if len(self._open) >= MOST:
            return web.Response(status=503, text=f"{MOST} pages are open already; close one first")
        socket = PageSocket(self._command(), self._environment(), Path.home())
        self._open.add(socket)
        try:
            return await socket.run(request)
        finally:
            self._open.discard(socket)

    def _command(self) -> Sequence[str]:
        # -P: the folder it is started in must not be where modules come from.
        return (sys.executable, "-P", "-m", "htui", "--choose")

    def _environment(self) -> dict[str, str]:
        home = str(self._home)
        own = {"HD_HOME": home, HOME_MARK: home, "HTUI_NO_SHELL": "1", "HTUI_NOTIFY": "off"}
        return {**with_screen(child_environment(os.environ), Path.home()), **own}


class PageSocket:
    """One page: a socket on one side, a terminal with `htui` on the other."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self._command = command
        self._environment = environment
        self._folder = folder
        self._socket = web.WebSocketResponse(heartbeat=_HEARTBEAT_S, max_msg_size=_LONGEST)
        self._waiting = bytearray()
        self._news = asyncio.Event()

    async def run(self, request: web.Request) -> web.WebSocketResponse:
        """Until the browser leaves or the client is left; nothing of it is there afterwards."""
        await self._socket.prepare(request)
        child = Child(
            self._command,
            cwd=self._folder,
            environment=self._environment,
            on_output=self._printed,
            screen=Screen(80, 24),
        )
        work = [
            asyncio.create_task(self._send(), name="page to browser"),
            asyncio.create_task(self._receive(child), name="page from browser"),
            asyncio.create_task(child.exited(None), name="page's client"),
        ]
        try:
            await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await self._over(child)
            for task in work:
                task.cancel()
            for ended in await asyncio.gather(*work, return_exceptions=True):
                if isinstance(ended, Exception) and not isinstance(ended, ConnectionError):
                    _log.error("a page ended by a fault", exc_info=ended)
            await self._close(1000, "the client was left")
        return self._socket

    async def close(self) -> None:
        """For a daemon that ends."""
        await self._close(1001, "the daemon stops")

    async def dismiss(self) -> None:
        """For a login that was revoked."""
        await self._close(1008, "the login was revoked")

    def _printed(self, piece: bytes) -> None:
        self._waiting += piece
        self._news.set()

    async def _send(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            if len(self._waiting) > LARGEST:
                return
            piece, self._waiting = bytes(self._waiting), bytearray()
            await self._socket.send_bytes(piece)

    async def _receive(self, child: Child) -> None:
        async for message in self._socket:
            if message.type is not WSMsgType.TEXT:
                continue
            kind, value = _read(message.data)
            if kind == "stdin" and isinstance(value, str):
                await _typed(child, value.encode("utf-8", "replace"))
            elif kind == "resize" and isinstance(value, Mapping):
                child.resize(Screen(_size(value.get("width"), 80), _size(value.get("height"), 24)))
            elif kind == "ping":
                await self._socket.send_str(msgspec.json.encode(["pong", value]).decode())

    async def _over(self, child: Child) -> None:
        """Ends the client: it is told, and has a moment to put its draft away."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGHUP)
        await asyncio.shield(child.exited(_GRACE_S))
        child.kill()
        child.close()

    async def _close(self, code: int, reason: str) -> None:
        if self._socket.prepared and not self._socket.closed:
            with suppress(TimeoutError):
                async with asyncio.timeout(_GRACE_S):
                    await self._socket.close(code=code, message=reason.encode())


async def _typed(child: Child, text: bytes) -> None:
    """Types into the terminal, which takes as much as it has room for; one that takes nothing more has ended."""
    while text := text[child.write(text) :]:
        if await child.exited(_PAUSE_S):
            return


def _read(text: str) -> tuple[str, Any]:
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return "", None
    well = isinstance(found, list) and len(found) in (1, 2) and isinstance(found[0], str)
    return (found[0], found[1] if len(found) == 2 else None) if well else ("", None)


def _size(value: object, otherwise: int) -> int:
    return max(1, min(value, _WIDEST)) if isinstance(value, int) and not isinstance(value, bool) else otherwise
