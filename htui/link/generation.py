"""One generation: what runs on one connection, from `$events` to the followed sessions (WIRE 4.6).

It ends as a whole: when the socket goes, or a stream that is needed ends or breaks a rule. Nothing of it is carried
into the next one but what the mirrors hold.
"""

import asyncio
import random
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping
from functools import partial
from typing import Any

from htui.errors import (
    AnswerLost,
    Forbidden,
    HtuiError,
    Lagging,
    LoginNeeded,
    ProtocolBroken,
    RemoteError,
    Unreachable,
)
from htui.link.backoff import delay
from htui.link.changes import Change, HostChanged, SessionChanged
from htui.link.client import Client
from htui.link.following import UNAUTHORIZED, Following, addresses, broken, is_lag
from htui.link.stream import Stream
from htui.link.watch import Watch
from htui.mirror import HostMirror, MirrorChange
from htui.mirror.host import HostStep

PATIENCE = 15.0
"""Seconds that the host has to begin its events and its baseline."""

_DECLINES = 3
"""How often an ask that nobody here can answer is passed on before the connection is given up."""

METHOD_UNAVAILABLE = "gateway/method-unavailable"


class Generation:
    """Owns the client and every task on it."""

    def __init__(
        self,
        client: Client,
        host: HostMirror,
        followed: Mapping[str, Following],
        watches: Iterable[Watch],
        emit: Callable[[Change], None],
        online: Callable[[], None],
    ) -> None:
        self.client = client
        self._host = host
        self._followed = followed
        self._watches = watches
        self._emit = emit
        self._online = online
        self._is_online = False
        self._failed: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()
        self._tasks: set[asyncio.Task[None]] = set()
        self._follows: dict[str, asyncio.Task[None]] = {}
        self._watching: dict[Watch, asyncio.Task[None]] = {}
        self._reading = False
        self._read_again = False

    async def run(self) -> HtuiError:
        """Runs until it fails, and says why; the connection is closed then."""
        self._host.begin()
        self._spawn(self._watch())
        self._spawn(self._start())
        try:
            error = await self._failed
        finally:
            self.fail(Unreachable("The connection was closed."))
            for task in list(self._tasks):
                task.cancel()
            try:
                await asyncio.gather(*self._tasks, return_exceptions=True)
            finally:
                await self.client.close()
        if isinstance(error, HtuiError):
            return error
        raise error

    def fail(self, error: BaseException) -> None:
        """Ends the generation with `error`, unless something else ended it before."""
        if not self._failed.done():
            self._failed.set_result(error)

    def follow(self, following: Following) -> None:
        """Follows a session on this connection once it is online."""
        session_id = following.mirror.session_id
        if self._is_online and not self._failed.done() and session_id not in self._follows:
            self._follows[session_id] = self._spawn(self._follow(following))

    def unfollow(self, session_id: str) -> None:
        task = self._follows.pop(session_id, None)
        if task is not None:
            task.cancel()

    def watch(self, watch: Watch) -> None:
        """Opens a watch on this connection once it is online."""
        if self._is_online and not self._failed.done():
            self._watching[watch] = self._spawn(self._tolerant(partial(self._watched, watch)))

    def unwatch(self, watch: Watch) -> None:
        task = self._watching.pop(watch, None)
        if task is not None:
            task.cancel()

    async def lists(self) -> None:
        """Reads the list of sessions again; the one of workspaces keeps itself up to date."""
        asked = self._host.asking()
        value = await self.client.call("session/list", _request={})
        self._took([self._host.listed(value, asked)])

    def _spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.fail(error)

    async def _watch(self) -> None:
        self.fail(await self.client.lost())

    async def _start(self) -> None:
        events = self.client.stream("$events")
        ready = await _first(events, "its events")
        if not isinstance(ready, Mapping) or ready.get("type") != "ready":
            raise ProtocolBroken("The host began its events with something else than `ready`.")
        self._took([self._host.event(ready, _now())])
        self._spawn(self._events(events))
        await self._control()
        self._is_online = True
        self._online()
        for following in list(self._followed.values()):
            self.follow(following)
        for watch in list(self._watches):
            self.watch(watch)
        self._spawn(self._tolerant(partial(self._renewed, "workspace/follow", {}, self._workspaces)))
        self._spawn(self._tolerant(partial(self._renewed, "presence/follow", {}, self._presence)))
        self._spawn(self._lists_at_first())
        self._read_catalogue()

    async def _lists_at_first(self) -> None:
        """Reads the list; by then all asks that wait have come, for they follow `ready` at once."""
        await self._tolerant(self.lists)
        self._took([self._host.confirmed()])

    async def _events(self, stream: Stream) -> None:
        await _drain(stream, lambda items: self._took([self._host.event(item, _now()) for item in items]))
        raise Unreachable("The host ended its events.")

    async def _control(self) -> None:
        stream = self.client.stream("session/control")
        try:
            baseline = await _first(stream, "its state")
        except RemoteError as error:
            if error.code != METHOD_UNAVAILABLE:
                raise
            self._host.metrics = False
            self._emit(HostChanged(frozenset({"projections"})))
            return
        self._took([self._host.control(baseline)])
        self._spawn(self._controlled(stream))

    async def _controlled(self, stream: Stream) -> None:
        await _drain(stream, lambda items: self._took([self._host.control(item) for item in items]))
        raise Unreachable("The host ended its state.")

    def _workspaces(self, items: list[Any]) -> None:
        self._took([self._host.workspace(item) for item in items])

    def _presence(self, items: list[Any]) -> None:
        self._took([self._host.present(item) for item in items])

    async def _watched(self, watch: Watch) -> None:
        try:
            await self._renewed(watch.endpoint, watch.args, watch.take)
        except RemoteError as error:
            watch.refused(error)

    async def _renewed(self, endpoint: str, args: Mapping[str, Any], take: Callable[[list[Any]], None]) -> None:
        """Reads a stream to its end. One that was cut off because it was read too slowly is opened again, as long as
        there is progress."""
        while True:
            came = False

            def taken(items: list[Any]) -> None:
                nonlocal came
                came = True
                take(items)

            try:
                await _drain(self.client.stream(endpoint, **args), taken)
                return
            except (Lagging, RemoteError) as error:
                if not came or not is_lag(error):
                    raise

    @staticmethod
    async def _tolerant(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Does what the connection can do without: it is not offered, comes too late or unreadable, and what is known
        stays."""
        try:
            await work()
        except (LoginNeeded, Forbidden):
            raise
        except HtuiError:
            pass

    def _read_catalogue(self) -> None:
        """Reads the catalogue; several wishes while it is being read make one more reading."""
        self._read_again = True
        if not self._reading:
            self._reading = True
            self._spawn(self._catalogue())

    async def _catalogue(self) -> None:
        while self._read_again:
            self._read_again = False
            try:
                value = await self.client.call("session/modelCatalog")
            except (LoginNeeded, Forbidden):
                raise
            except HtuiError:
                value = None
            self._took([self._host.catalogued(value)])
            await self._tolerant(self._describe)
        self._reading = False

    async def _describe(self) -> None:
        self._took([self._host.described(await self.client.call("host/describe"))])

    async def _decline(self, event_id: str) -> None:
        """Passes an ask on. An agent hangs on it, so a lost answer is given again, which a host takes once (WIRE 5.2).

        With the connection the host would forget that we were asked: that is the way out when it hears nothing.
        """
        for failures in range(1, _DECLINES):
            try:
                return await self._next(event_id)
            except (AnswerLost, Unreachable):
                await asyncio.sleep(delay(failures, random.random()))
        return await self._next(event_id)

    async def _next(self, event_id: str) -> None:
        outcome = {"kind": "next"}
        try:
            await self.client.call("$events/result", clientId=self._host.client_id, eventId=event_id, outcome=outcome)
        except RemoteError:
            pass  # the host heard it, and does not want it

    async def _follow(self, following: Following) -> None:
        """Follows a session for as long as it can be. What breaks in it is told by its mirror and ends nothing else."""
        mirror = following.mirror
        reached: int | None = None
        following.addresses, following.form = addresses(mirror.session_id, self._host.session(mirror.session_id)), 0
        while True:
            loaded = mirror.loads
            stream = self.client.stream("session/follow", request=following.follow_request())
            try:
                await _drain(stream, lambda items: self._emit(SessionChanged(mirror.session_id, mirror.fold(items))))
                raise Unreachable("The host ended a session that is followed.")
            except (Lagging, RemoteError) as error:
                if mirror.loads > loaded and is_lag(error):
                    continue  # there was a snapshot, so there is progress: take a new one
                if isinstance(error, RemoteError) and error.code == UNAUTHORIZED and following.next_form():
                    continue
                failure: HtuiError = error
            except ProtocolBroken as error:
                if self.client.over:
                    raise  # not this session broke but the connection
                if mirror.loads > loaded and (reached is None or mirror.cursor > reached):
                    reached = mirror.cursor
                    continue  # a new snapshot may heal it; without getting further it would break for ever
                failure = broken(error)
            self._follows.pop(mirror.session_id, None)
            self._emit(SessionChanged(mirror.session_id, mirror.fail(failure)))
            return

    def _took(self, steps: list[HostStep]) -> None:
        """Tells what a batch of items changed, and does what they ask for."""
        keys: frozenset[str] = frozenset()
        values: dict[str, frozenset[str]] = {}
        for step in steps:
            keys |= step.keys
            for session_id, changed in (step.values or {}).items():
                values[session_id] = values.get(session_id, frozenset()) | changed
            if step.decline is not None:
                self._spawn(self._decline(step.decline))
            if step.reread:
                self._read_catalogue()
        if keys:
            self._emit(HostChanged(keys, frozenset(values)))
        for session_id, changed in values.items():
            if session_id in self._followed and changed:
                self._emit(SessionChanged(session_id, MirrorChange(keys=changed, state="inbox" in changed)))


async def _drain(stream: Stream, take: Callable[[list[Any]], None]) -> None:
    """Gives everything that a stream brings to `take`, in batches, until it ends."""
    async with stream:
        while True:
            try:
                items = await stream.batch()
            except StopAsyncIteration:
                return
            take(items)


async def _first(stream: Stream, what: str) -> Any:
    """The first item; `Unreachable` when the host ends or keeps silent instead."""
    try:
        async with asyncio.timeout(PATIENCE):
            return await anext(stream)
    except TimeoutError:
        raise Unreachable(f"The host did not send {what} within {PATIENCE:.0f} seconds.") from None
    except StopAsyncIteration:
        raise Unreachable(f"The host ended {what} at once.") from None


def _now() -> int:
    return time.time_ns() // 1_000_000
