"""The link to a host that lasts: it logs in, connects, keeps the mirrors up to date and comes back after a loss."""

import asyncio
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from htui.errors import CookieFileUnsafe, Forbidden, HtuiError, LoginNeeded, RemoteError, Unreachable
from htui.link.address import Address, token_of
from htui.link.backoff import delay, failures_after
from htui.link.changes import Change, HostChanged, LinkChanged, LinkPhase, LinkStatus, SessionChanged
from htui.link.client import Client
from htui.link.following import Following, addresses
from htui.link.generation import Generation
from htui.link.login import Auth
from htui.link.stream import Stream
from htui.link.watch import Watch, ignored
from htui.mirror import HostMirror, SessionMirror

__all__ = ["Change", "HostChanged", "Link", "LinkChanged", "LinkStatus", "SessionChanged"]

LOOK_AGAIN = 2.0
"""Seconds between two looks whether a daemon was started here, while only a person could help otherwise."""

_STOPPING = (Forbidden, CookieFileUnsafe)


class Link:
    """A connection that is made again whenever it is lost, and the mirrors that it feeds.

    `run` does everything and is cancelled to stop; the other methods are for the same event loop. `on_change` is called
    in it, synchronously, after each change. `host` and the mirrors that `follow` gives stay the same objects for ever:
    after a loss they hold the last known state until fresh snapshots replace it.
    """

    def __init__(
        self,
        address: Address,
        auth: Auth,
        on_change: Callable[[Change], None],
        *,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.address = address
        self.status = LinkStatus()
        self.host = HostMirror()
        self._auth = auth
        self._on_change = on_change
        self._chance = chance
        self._followed: dict[str, Following] = {}
        self._watches: dict[Watch, None] = {}
        self._generation: Generation | None = None
        self._online_since: float | None = None
        self._failures = 0
        self._again = asyncio.Event()

    async def run(self) -> None:
        """Connects and reconnects until it is cancelled."""
        while True:
            self._again.clear()
            self._show(LinkStatus("connecting", self.status.reason, self._failures))
            self.address = self.address.renewed()
            try:
                client = await Client.connect(self.address, self._auth)
            except HtuiError as failure:
                await self._pause(failure, stop=isinstance(failure, (LoginNeeded, *_STOPPING)))
                continue
            lost = await self._live(client)
            await self._pause(lost, stop=isinstance(lost, _STOPPING))

    def retry(self, token: str | None = None) -> None:
        """Tries again at once, with a new token where one is given; without effect while connected.

        `token` may also be the whole URL that the host printed.
        """
        if token is not None:
            self.address = replace(self.address, token=token_of(token))
        self._again.set()

    async def call(self, endpoint: str, /, **args: Any) -> Any:
        """The value of a call; at once `Unreachable` while not connected, else as `Client.call`. Never repeated."""
        generation = self._connected()
        try:
            return await generation.client.call(endpoint, **args)
        except (LoginNeeded, Forbidden) as error:
            generation.fail(error)
            raise

    def stream(self, endpoint: str, /, **args: Any) -> Stream:
        """A stream of its own on the present connection, with which it ends; `Unreachable` while there is none."""
        return self._connected().client.stream(endpoint, **args)

    def watch(
        self,
        endpoint: str,
        take: Callable[[list[Any]], None],
        refused: Callable[[RemoteError], None] = ignored,
        /,
        **args: Any,
    ) -> Watch:
        """Reads a stream from now on, over all reconnections, until the watch is closed (see `Watch`)."""
        watch = Watch(endpoint, args, take, refused, self._unwatch)
        self._watches[watch] = None
        if self._generation is not None:
            self._generation.watch(watch)
        return watch

    def _unwatch(self, watch: Watch) -> None:
        self._watches.pop(watch, None)
        if self._generation is not None:
            self._generation.unwatch(watch)

    def follow(self, session_id: str) -> SessionMirror:
        """Follows a session from now on, over all reconnections; asking again gives the same mirror.

        It is empty until the first snapshot, which a `SessionChanged` tells. A session that failed is tried again.
        """
        following = self._followed.get(session_id)
        if following is None:
            mirror = SessionMirror(session_id, self.host.values(session_id))
            following = Following(mirror, addresses(session_id, self.host.session(session_id)))
            self._followed[session_id] = following
        if self._generation is not None:
            self._generation.follow(following)
        return following.mirror

    def unfollow(self, session_id: str) -> None:
        """Stops following; the mirror keeps what it holds and changes no more."""
        if self._followed.pop(session_id, None) is not None and self._generation is not None:
            self._generation.unfollow(session_id)

    async def older(self, session_id: str) -> bool:
        """Fetches one page of older history of a followed session; False when there was none to fetch, or it waits."""
        following = self._followed.get(session_id)
        if following is None or following.paging or not following.mirror.has_more:
            return False
        mirror, below = following.mirror, following.mirror.first_seq
        following.paging = True
        try:
            page = await self.call("session/page", request=following.page_request())
        finally:
            following.paging = False
        if mirror.first_seq != below:
            return False  # a snapshot came in between and begins elsewhere
        self._on_change(SessionChanged(session_id, mirror.prepend(page)))
        return True

    async def answer(self, event_id: str, outcome: Mapping[str, Any]) -> None:
        """Answers an approval or a question (WIRE 5.2); what was answered leaves `host.asks`."""
        self._connected()
        client_id = self.host.client_id
        await self.call("$events/result", clientId=client_id, eventId=event_id, outcome=dict(outcome))
        if self.host.settled(event_id).keys:
            self._on_change(HostChanged(frozenset({"asks"})))

    async def refresh_lists(self) -> None:
        """Reads the list of sessions again."""
        await self._connected().lists()

    def _connected(self) -> Generation:
        if self._generation is None or self.status.phase != "online":
            raise Unreachable(self.status.reason or f"Not connected to {self.address.origin} yet.")
        return self._generation

    async def _live(self, client: Client) -> HtuiError:
        self._generation = Generation(client, self.host, self._followed, self._watches, self._on_change, self._online)
        try:
            return await self._generation.run()
        finally:
            self._generation = None

    def _online(self) -> None:
        self._online_since = time.monotonic()
        self._show(LinkStatus("online"))

    async def _pause(self, error: HtuiError, *, stop: bool) -> None:
        since, self._online_since = self._online_since, None
        self._failures = failures_after(self._failures, 0.0 if since is None else time.monotonic() - since)
        if stop:
            phase: LinkPhase = "login" if isinstance(error, LoginNeeded) else "offline"
            self._show(LinkStatus(phase, error.message, self._failures))
            await self._wait_for_a_person()
            return
        wait = delay(self._failures, self._chance())
        self._show(LinkStatus("offline", error.message, self._failures, wait))
        await self._asked_again(wait)

    async def _wait_for_a_person(self) -> None:
        """Until `retry`, or until the daemon of this machine opens another door: it was started in the meantime."""
        door = self.address.door()
        while not await self._asked_again(LOOK_AGAIN):
            if self.address.door() != door:
                return

    async def _asked_again(self, within: float) -> bool:
        try:
            async with asyncio.timeout(within):
                await self._again.wait()
        except TimeoutError:
            return False
        return True

    def _show(self, status: LinkStatus) -> None:
        if status != self.status:
            self.status = status
            self._on_change(LinkChanged(status))
