"""`hd web --page`: the client in a browser, behind the login and reaching nobody else (row T24)."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import psutil  # type: ignore[import-untyped]
import pyte
import pytest

from hd.errors import UsageError
from hd.server import page
from hd.server.listen import Listen, check
from tests.support.daemon import Daemon

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("page") / "home"
    with Daemon(home, arguments=["--demo", "--page"]) as running:
        yield running


class Browser:
    """What the page's script does, and what its terminal shows."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)
        self.answers: list[Any] = []

    async def say(self, *words: Any) -> None:
        await self._socket.send_str(msgspec.json.encode(words).decode())

    async def resize(self, columns: int, rows: int) -> None:
        self._screen.resize(rows, columns)
        await self.say("resize", {"width": columns, "height": rows})

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(20):
            while not condition():
                message = await self._socket.receive()
                if message.type is aiohttp.WSMsgType.BINARY:
                    self._stream.feed(message.data)
                elif message.type is aiohttp.WSMsgType.TEXT:
                    self.answers.append(msgspec.json.decode(message.data))
                else:
                    raise AssertionError(f"the page ended: {message}\n{self.text}")

    async def ended(self) -> int:
        async with asyncio.timeout(20):
            while (await self._socket.receive()).type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT):
                pass
        return int(self._socket.close_code or 0)


@asynccontextmanager
async def browser(daemon: Daemon) -> AsyncIterator[Browser]:
    headers = {"Cookie": daemon.cookie, "Origin": f"http://127.0.0.1:{daemon.port}"}
    address = f"http://127.0.0.1:{daemon.port}{page.SOCKET}"
    async with aiohttp.ClientSession() as session, session.ws_connect(address, headers=headers) as socket:
        yield Browser(socket)


def clients(daemon: Daemon) -> list[psutil.Process]:
    return [
        child for child in psutil.Process(daemon.pid).children(recursive=True) if "htui" in " ".join(child.cmdline())
    ]


async def test_the_client_is_drawn_typed_into_resized_and_gone_with_its_page(daemon: Daemon) -> None:
    async with browser(daemon) as shown:
        await shown.until(lambda: "Workspaces" in shown.text and "Enter opens" in shown.text)
        await shown.resize(40, 15)
        await shown.until(lambda: "? needs you  ◐ working" in shown.text)
        await shown.say("stdin", "zzz")
        await shown.until(lambda: "Nothing fits." in shown.text)
        await shown.say("ping", "123")
        await shown.until(lambda: ["pong", "123"] in shown.answers)
        for nonsense in (["resize", {"width": "x"}], ["resize", 3], ["stdin"], ["what", 1], [], [1]):
            await shown.say(*nonsense)
        await shown.say("stdin", "\x1b")
        await shown.until(lambda: "Nothing fits." not in shown.text)
        (client,) = clients(daemon)
        assert client.environ()["HTUI_NO_SHELL"] == "1"
        assert not any("token" in word for word in client.cmdline())
    async with asyncio.timeout(20):
        while clients(daemon):
            await asyncio.sleep(0)


async def test_leaving_the_client_ends_the_page(daemon: Daemon) -> None:
    async with browser(daemon) as shown:
        await shown.until(lambda: "Workspaces" in shown.text)
        await shown.say("stdin", "\x03")
        assert await shown.ended() == 1000


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 401),
        (f"{page.STATIC}js/textual.js", {}, 401),
        (page.SOCKET, {"Upgrade": "websocket", "Connection": "Upgrade"}, 401),
        ("/", {"Cookie": "own"}, 200),
        (f"{page.STATIC}js/textual.js", {"Cookie": "own"}, 200),
        (f"{page.STATIC}../server.py", {"Cookie": "own"}, 404),
        (f"{page.STATIC}%2e%2e/server.py", {"Cookie": "own"}, 404),
        (f"{page.STATIC}images/background.png", {"Cookie": "own"}, 404),
        (page.SOCKET, {"Cookie": "own", "Origin": "http://evil.example"}, 403),
        (page.SOCKET, {"Cookie": "own", "Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
async def test_it_stands_behind_the_login_and_the_fence(
    daemon: Daemon, path: str, headers: dict[str, str], status: int
) -> None:
    own = {name: daemon.cookie if value == "own" else value for name, value in headers.items()}
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{daemon.port}{path}", headers=own, allow_redirects=False) as answer,
    ):
        assert answer.status == status


async def test_a_login_of_a_program_gets_no_page(daemon: Daemon) -> None:
    token = daemon.http("POST", "/api/local/token", headers={"X-Hd-Secret": secret(daemon)})[2]
    base = f"http://127.0.0.1:{daemon.port}"
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        given = msgspec.json.decode(token)["token"]
        async with session.get(f"{base}/connect?token={given}&interactions=answer", allow_redirects=False) as answer:
            assert answer.status == 302
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await session.ws_connect(f"{base}{page.SOCKET}")


def secret(daemon: Daemon) -> str:
    return (daemon.home / "run" / "secret").read_text().strip()


def test_the_page_names_no_other_host_and_forbids_them() -> None:
    assert re.findall(r"https?://", page.HTML + page.SCRIPT) == []
    assert "default-src 'none'" in page.POLICY
    assert "unsafe-eval" not in page.POLICY
    assert "script-src 'self';" in page.POLICY


def test_what_is_missing_or_does_not_fit_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'hd-agent\[serve\]'"):
        page.assets()
    with pytest.raises(UsageError, match="--tls-cert"):
        check(Listen("127.0.0.1", 0, tls_cert=Path("a"), tls_key=Path("b"), page=True))


@pytest.mark.long
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed")
async def test_in_chromium_it_is_drawn_and_asks_nobody_else(daemon: Daemon, tmp_path: Path) -> None:
    command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
    process = await asyncio.create_subprocess_exec(
        *command, f"--user-data-dir={tmp_path / 'profile'}", "about:blank", stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(60), aiohttp.ClientSession() as session:
            while b"DevTools listening on" not in (line := await process.stderr.readline()):
                assert line, "Chromium ended"
            port = re.search(rb":(\d+)/", line)
            assert port is not None
            async with session.get(f"http://127.0.0.1:{port[1].decode()}/json") as answer:
                tabs = await answer.json()
            tab = next(tab for tab in tabs if tab["type"] == "page")
            async with session.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0) as tools:
                await _drawn(tools, daemon)
    finally:
        process.kill()
        await process.wait()


async def _drawn(tools: aiohttp.ClientWebSocketResponse, daemon: Daemon) -> None:
    asked: set[str] = set()
    number = 0

    async def command(method: str, **params: Any) -> Any:
        nonlocal number
        number += 1
        await tools.send_json({"id": number, "method": method, "params": params})
        while True:
            message = await tools.receive_json()
            if message.get("method") == "Network.requestWillBeSent":
                asked.add(message["params"]["request"]["url"])
            if message.get("id") == number:
                return message.get("result")

    own = f"http://127.0.0.1:{daemon.port}"
    name, _, value = daemon.cookie.partition("=")
    await command("Network.enable")
    await command("Network.setCookie", name=name, value=value, url=own)
    await command("Page.navigate", url=f"{own}/")
    drawn = "document.body.classList.contains('-first-byte') && document.activeElement.className"
    while (await command("Runtime.evaluate", expression=drawn))["result"].get("value") != "xterm-helper-textarea":
        pass
    assert len(clients(daemon)) == 1
    assert asked
    assert {url.partition("?")[0] for url in asked if not url.startswith((f"{own}/", "about:", "data:"))} == set()
