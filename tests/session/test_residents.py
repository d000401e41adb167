"""Sessions leave memory when nobody needs them, and nobody can tell that they did."""

import asyncio
import weakref
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hd.agent import inbox as box
from hd.agent.history import HISTORY
from hd.errors import StoreFull
from hd.protocol import events as ev
from hd.protocol.events import Draft, Event
from hd.protocol.projections import DAEMON, State
from hd.session.following import follow
from hd.session.hub import Hub
from hd.session.live import LiveSession
from hd.session.registry import Registry
from hd.session.residents import IDLE_S, Resting, overdue
from hd.session.store.sqlite import SqliteStore

OPENING = [Draft(ev.PERMISSION_PRESET, {"preset": "workspace-write"})]


class Ticks:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Guest:
    """A tenant whose word the test decides."""

    at_work: set[str] = field(default_factory=set)
    left: list[str] = field(default_factory=list)

    def rests(self, session_id: str) -> bool:
        return session_id not in self.at_work

    def leave(self, session_id: str) -> None:
        self.left.append(session_id)


def registry_on(store: SqliteStore, ticks: Ticks) -> Registry:
    return Registry(
        store,
        Hub(),
        projections=(*DAEMON, HISTORY),
        clock=lambda: 1_000,
        announce=lambda _event, _args: None,
        ticks=ticks,
    )


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(tmp_path / "hd.db", clock=lambda: 1_000)
    yield store
    await store.close()


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


@pytest.fixture
def registry(store: SqliteStore, ticks: Ticks) -> Registry:
    return registry_on(store, ticks)


def titled(text: str) -> Draft:
    return Draft(ev.SESSION_TITLE, {"title": text, "source": {"kind": "user"}})


def prompted(session: LiveSession, request_id: str) -> None:
    """What an agent does with a prompt, without a turn."""
    waiting = session.value("inbox")
    if not box.knows(waiting, request_id) and request_id not in session.value("requests"):
        message = box.prompt_message([{"type": "text", "text": "x"}], request_id, None)
        session.record(box.insert(waiting, "next-turn", message))


async def snapshot(registry: Registry, session_id: str) -> dict[str, Any]:
    async with aclosing(follow(registry, session_id, stream=True)) as batches:
        decoded: dict[str, Any] = msgspec.json.decode((await anext(batches))[0])
        return decoded


async def test_a_session_that_nobody_needs_is_freed_and_comes_back_the_same(registry: Registry, ticks: Ticks) -> None:
    made = await registry.create(cwd="/w", opening=OPENING)
    async with registry.hold(made.id) as session:
        session.record(titled("T"))
        prompted(session, "once")
        gone = weakref.ref(session)
        del session
    before, rows = await snapshot(registry, made.id), await registry.summaries()
    ticks.now += IDLE_S
    assert await registry.sweep() == [made.id]
    # Nothing but the registry kept it, and no collection of garbage is needed to be rid of it.
    assert gone() is None
    assert not registry.live
    (cold,) = await registry.summaries()
    assert cold["projections"] == {**rows[0]["projections"], "kind": "cached"}
    assert {**cold, "projections": None} == {**rows[0], "projections": None}
    # Looking at it does not bring it back, following it does.
    assert await snapshot(registry, made.id) == before
    assert not registry.live
    async with registry.hold(made.id) as session:
        prompted(session, "once")
        assert session.state.seq == before["cursor"], "a prompt that was there before was taken in again"


async def test_what_is_held_at_work_or_not_on_disk_stays(
    registry: Registry, store: SqliteStore, ticks: Ticks, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = Guest()
    registry.admit(guest)
    made = await registry.create(cwd="/w", opening=OPENING)
    async with registry.hold(made.id):
        ticks.now += IDLE_S
        assert await registry.sweep() == []
    assert await registry.sweep() == [], "it was in use until now"
    ticks.now += IDLE_S
    guest.at_work.add(made.id)
    assert await registry.sweep() == []
    guest.at_work.clear()

    async def full(*, durable: bool = False) -> None:
        raise StoreFull("full")

    with monkeypatch.context() as patched:
        patched.setattr(store, "flush", full)
        with pytest.raises(StoreFull):
            await registry.sweep()
    assert made.id in registry.live
    assert guest.left == []
    assert await registry.sweep() == [made.id]
    assert guest.left == [made.id]


async def test_who_comes_while_the_disk_is_waited_for_keeps_the_session(
    registry: Registry, store: SqliteStore, ticks: Ticks, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await registry.create(cwd="/w", opening=OPENING)
    ticks.now += IDLE_S
    flush = store.flush

    async def slow(*, durable: bool = False) -> None:
        async with registry.hold(made.id) as session:
            session.record(titled("meanwhile"))
        await flush(durable=durable)

    monkeypatch.setattr(store, "flush", slow)
    assert await registry.sweep() == []
    assert made.id in registry.live


async def test_a_session_that_was_dropped_takes_nothing_in_any_more(registry: Registry, ticks: Ticks) -> None:
    made = await registry.create(cwd="/w", opening=OPENING)
    async with registry.hold(made.id) as session:
        pass
    ticks.now += IDLE_S
    await registry.sweep()
    with pytest.raises(RuntimeError, match="dropped"):
        session.record(titled("too late"))
    with pytest.raises(RuntimeError, match="dropped"):
        session.holds.take()


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 10)), max_size=12),
    st.integers(0, 20),
    st.integers(1, 4),
    st.integers(1, 20),
)
def test_the_bounds_hold_and_the_last_used_ones_stay(
    sizes: list[tuple[int, int]], idle: int, most: int, most_bytes: int
) -> None:
    resting = [Resting(str(place), since, weight) for place, (since, weight) in enumerate(sizes)]
    gone = set(overdue(resting, 20.0, idle_s=idle, most=most, most_bytes=most_bytes))
    kept = [one for one in resting if one.id not in gone]
    assert len(kept) <= most
    assert len(kept) <= 1 or sum(one.weight for one in kept) <= most_bytes
    assert all(20 - one.since < idle for one in kept)
    fresh = [one for one in resting if 20 - one.since < idle]
    if fresh:
        assert max(one.since for one in fresh) in {one.since for one in kept}


class Play:
    """Clients that come and go while the registry sweeps, with a plain list of what each log must hold."""

    def __init__(self, registry: Registry, ticks: Ticks, ids: list[str]) -> None:
        self.registry = registry
        self.ticks = ticks
        self.ids = ids
        self.logs: dict[str, list[str]] = {session_id: [] for session_id in ids}
        self.requests: dict[str, set[str]] = {session_id: set() for session_id in ids}

    async def client(self, session_id: str, steps: list[str]) -> None:
        """Holds a session, works with it step by step with others in between, and lets go."""
        async with AsyncExitStack() as stack:
            session = await stack.enter_async_context(self.registry.hold(session_id))
            for step in steps:
                assert self.registry.live[session_id] is session, "somebody else has another object of this session"
                if step.startswith("prompt"):
                    self.requests[session_id].add(step)
                    prompted(session, step)
                elif step == "wait":
                    await session.written()
                else:
                    self.logs[session_id].append(step)
                    session.record(titled(step))
                await asyncio.sleep(0)

    async def watcher(self, session_id: str, done: asyncio.Event) -> None:
        """Follows a session, in memory or not, until the others are done and all that they did has come."""
        seqs: list[int] = []
        async with aclosing(follow(self.registry, session_id)) as batches, asyncio.timeout(20):
            (opening,) = await anext(batches)
            shown = msgspec.json.decode(opening)
            assert shown["projections"]["asOfSeq"] == shown["cursor"]
            seqs += [record["event"]["seq"] for record in shown["records"]]
            ended = asyncio.create_task(done.wait())
            reading = asyncio.ensure_future(anext(batches))
            while not (done.is_set() and seqs[-1] == self.registry.store.head(session_id)):
                await asyncio.wait({reading, ended}, return_when=asyncio.FIRST_COMPLETED)
                if not reading.done() and seqs[-1] != self.registry.store.head(session_id):
                    await asyncio.wait({reading})
                if reading.done():
                    seqs += [msgspec.json.decode(body)["event"]["seq"] for body in reading.result()]
                    reading = asyncio.ensure_future(anext(batches))
            ended.cancel()
            reading.cancel()
            await asyncio.gather(reading, ended, return_exceptions=True)
        assert seqs == list(range(seqs[0], seqs[-1] + 1)), "an event was lost or came twice"

    async def sweeper(self, steps: list[float]) -> None:
        for seconds in steps:
            self.ticks.now += seconds
            await self.registry.sweep()

    async def check(self) -> None:
        for session_id in self.ids:
            bodies = await self.registry.store.events(session_id)
            events = [Event.from_wire(msgspec.json.decode(body)) for body in bodies]
            assert [event.seq for event in events] == list(range(len(events)))
            titles = [event.data["title"] for event in events if event.type == ev.SESSION_TITLE]
            assert sorted(titles) == sorted(self.logs[session_id])
            spliced = [event.data["inserted"] for event in events if event.type == ev.AGENT_INBOX_SPLICED]
            taken = [message["source"]["rpcId"] for messages in spliced for message in messages]
            assert sorted(taken) == sorted(self.requests[session_id]), "a prompt was lost or taken in twice"
            async with self.registry.hold(session_id) as session:
                whole = State.initial(session.state.projections, workingDirectory="/w", agentPreset="standard")
                assert session.state.values == whole.fold(events).values


STEP = st.one_of(st.sampled_from(["wait", "prompt-a", "prompt-b", "prompt-c"]), st.text("xyz", min_size=1, max_size=2))
SWEEPS = st.lists(st.sampled_from([0.0, 1.0, IDLE_S]), max_size=3)
CLIENTS = st.lists(st.tuples(st.integers(0, 1), st.lists(STEP, max_size=4)), max_size=6)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(CLIENTS, SWEEPS, st.lists(st.integers(0, 1), max_size=2)), min_size=1, max_size=4))
def test_however_clients_and_sweeps_fall_together_no_session_is_in_two_minds(
    rounds: list[tuple[list[tuple[int, list[str]]], list[float], list[int]]],
) -> None:
    async def play() -> None:
        with TemporaryDirectory() as folder:
            ticks = Ticks()
            store = await SqliteStore.open(Path(folder) / "hd.db", clock=lambda: 1_000)
            registry = registry_on(store, ticks)
            ids = [(await registry.create(cwd="/w", opening=OPENING)).id for _ in range(2)]
            game = Play(registry, ticks, ids)
            for clients, sweeps, watched in rounds:
                done = asyncio.Event()
                async with asyncio.TaskGroup() as watching:
                    for which in watched:
                        watching.create_task(game.watcher(ids[which], done))
                    async with asyncio.TaskGroup() as group:
                        group.create_task(game.sweeper(sweeps))
                        for which, steps in clients:
                            group.create_task(game.client(ids[which], steps))
                    done.set()
                await game.check()
            await store.close()

    asyncio.run(play())
