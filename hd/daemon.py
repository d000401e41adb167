"""The daemon's life: lock, store, house, listener, and the end of all of them in the right order."""

import asyncio
import base64
import errno
import logging
import os
import secrets
import signal
import ssl
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
from aiohttp import web

from hd.compose import House, now_ms, open_house
from hd.config.footing import Footing
from hd.config.home import Home
from hd.config.keys import VARIABLE, Keys
from hd.config.lock import Daemon, HomeLock, acquire
from hd.config.logs import Redactor, log_to
from hd.config.settings import Settings
from hd.errors import CANCELLED, HdError, KeyUnusable, PortInUse, StoreFull
from hd.process.harden import hide_environment
from hd.process.survivors import end_marked
from hd.server.app import Server
from hd.server.gate import Gate
from hd.server.listen import Listen, check, tls_context
from hd.server.login import SECRET_BYTES
from hd.server.noise import HttpLog
from hd.server.page import Page, assets
from hd.server.services import Services
from hd.session.store.base import Store
from hd.version import __version__

_log = logging.getLogger(__name__)

COOKIE_SECRET = "cookie-secret"
PATIENCE_S = 2.0
KEEP_ALIVE_S = 60.0
FLUSH_S = 5.0
SHUTDOWN_S = 1.0
"""How long a call that is being answered may go on when the daemon ends; its turns and sockets are closed before."""


async def serve(listen: Listen, environment: Mapping[str, str]) -> None:
    """Runs until it is told to stop. Errors before the printed line are leaves of the tree."""
    check(listen)
    tls = tls_context(listen)
    settings = Settings.from_environment(environment)
    home = settings.home
    home.prepare()
    redactor = Redactor(*known_secrets(home, environment, demo=listen.demo))
    with await asyncio.to_thread(acquire, home) as lock, log_to(home.log, redactor), _logged():
        hide_environment()
        await asyncio.to_thread(end_marked, str(home.root))
        async with open_house(settings, environment, demo=listen.demo) as house:
            await _listen(listen, tls, lock, house)


@contextmanager
def _logged() -> Iterator[None]:
    """Writes why the daemon did not start or ended badly into its log, which lasts longer than a terminal."""
    try:
        yield
    except HdError as error:
        _log.error("%s", error.message)
        raise


def known_secrets(home: Home, environment: Mapping[str, str], *, demo: bool) -> list[str]:
    """The secrets of this run that its log must never show, whatever form they have.

    `KeyUnusable` for a key that is there and cannot be used: the demo must not answer in place of what was wanted.
    """
    try:
        key = Keys(home, environment).load()
    except KeyUnusable:
        if not demo:
            raise
        key = environment.get(VARIABLE)
    return [key] if key else []


@dataclass(frozen=True, slots=True)
class _Steward:
    """`Steward` of this daemon."""

    services: Services

    async def status(self) -> Mapping[str, Any]:
        providers = [provider["id"] for provider in self.services.providers.listed()]
        return {
            "key": await self.services.credentials.status(),
            "providers": providers,
            "sandbox": self.services.sandbox.told(),
        }

    async def record(self, wish: str, *, contents: bool) -> Mapping[str, Any]:
        recorder = self.services.recorder
        if wish == "on":
            return (await recorder.begin(contents=contents)).to_wire()
        return (await recorder.end() if wish == "off" else recorder.recording).to_wire()

    async def demand_nothing_is_lost(self) -> None:
        store = self.services.registry.store
        try:
            async with asyncio.timeout(FLUSH_S):
                await store.flush()
        except TimeoutError:
            raise StoreFull("The disk does not answer; what was recorded last is held in memory.") from None


async def _listen(listen: Listen, tls: ssl.SSLContext | None, lock: HomeLock, house: House) -> None:
    stop = asyncio.Event()
    footing = Footing(lock.home.lock, lock.home.database)
    store = house.services.registry.store
    gate = Gate(
        cookie_secret=await _cookie_secret(store),
        local_secret=lock.new_secret(),
        clock=now_ms,
        stop=stop.set,
        keep_secret=partial(_keep_secret, store),
        trusted_hosts=listen.known_hosts(),
    )
    page = Page(gate.caller, lock.home.root, assets()) if listen.page else None
    server = Server(gate, _Steward(house.services), house.unary, house.streams, plain=house.plain, page=page)
    heed_signals(stop)
    async with _site(server, listen, tls) as port:
        url = listen.origin(port)
        lock.publish(Daemon(url, listen.reached, port, os.getpid(), __version__, now_ms()))
        _log.info("listening at %s", url)
        _announce(listen, url, port, gate.new_token())
        aside = [
            asyncio.create_task(house.services.providers.warm()),
            asyncio.create_task(house.later.run(), name="send what is held"),
            asyncio.create_task(_stop_when_gone(footing, lock, stop)),
        ]
        try:
            await stop.wait()
        finally:
            for task in aside:
                task.cancel()
            await asyncio.gather(*aside, return_exceptions=True)
        _log.info("stopping")
        await _quiet(server, house)
    footing.check()


async def _stop_when_gone(footing: Footing, lock: HomeLock, stop: asyncio.Event) -> None:
    await footing.watch(lock.restore)
    stop.set()


def heed_signals(stop: asyncio.Event) -> None:
    """Sets `stop` at the first polite signal. One that comes seconds later is from somebody who has waited enough.

    What is then still open is closed by the repair at the next start, as after any other kill.
    """
    loop = asyncio.get_running_loop()
    told: list[float] = []

    def heed() -> None:
        told.append(loop.time())
        stop.set()
        if told[-1] - told[0] > PATIENCE_S:
            os._exit(CANCELLED)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, heed)


async def _quiet(server: Server, house: House) -> None:
    """Takes up nothing new and ends what is there. Sockets go with the listener."""
    server.refuse()
    await house.quiet()


@asynccontextmanager
async def _site(server: Server, listen: Listen, tls: ssl.SSLContext | None) -> AsyncIterator[int]:
    runner = web.AppRunner(
        server.application(),
        access_log=None,
        logger=HttpLog(),
        keepalive_timeout=KEEP_ALIVE_S,
        shutdown_timeout=SHUTDOWN_S,
    )
    await runner.setup()
    try:
        site = web.TCPSite(runner, listen.bound, listen.port, ssl_context=tls)
        try:
            await site.start()
        except OSError as error:
            raise _cannot_listen(listen, error) from error
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def _cannot_listen(listen: Listen, error: OSError) -> PortInUse:
    place = f"{listen.host}:{listen.port}"
    if error.errno == errno.EADDRINUSE:
        text = f"Something else listens at {place} already. Choose another port with --port, or 0 for any free one."
    elif error.errno == errno.EACCES:
        text = f"You may not listen at {place}. Choose a port above 1023 with --port."
    else:
        text = f"The daemon cannot listen at {place}: {error.strerror}."
    return PortInUse(text)


async def _cookie_secret(store: Store) -> bytes:
    """The secret of this home's cookies; it outlives the daemon, so clients stay logged in over a restart."""
    kept = await store.load_setting(COOKIE_SECRET)
    if isinstance(kept, str):
        return base64.b64decode(kept)
    made = secrets.token_bytes(SECRET_BYTES)
    await _keep_secret(store, made)
    return made


async def _keep_secret(store: Store, secret: bytes) -> None:
    await store.save_setting(COOKIE_SECRET, base64.b64encode(secret).decode())


def _announce(listen: Listen, url: str, port: int, token: str) -> None:
    """The one line on stdout by which everybody learns where to go; a warning goes to stderr, before it."""
    warning = listen.warning()
    if warning is not None:
        print(f"hd: {warning}", file=sys.stderr, flush=True)  # noqa: T201
    address = f"{url}/?token={token}"
    if listen.as_json:
        line = {"url": address, "host": listen.host, "port": port, "pid": os.getpid(), "version": __version__}
        print(msgspec.json.encode(line).decode(), flush=True)  # noqa: T201
    else:
        print(f"hd web: {address}", flush=True)  # noqa: T201
