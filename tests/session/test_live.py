"""The live session and its followers on a real store: order, merging, numbering, and what a slow reader gets."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.agent.history import HISTORY
from hd.errors import FollowerLagging, SessionConflict, SessionNotFound, StoreFull
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.messages import assistant_message, user_message
from hd.protocol.projections import DAEMON
from hd.protocol.stream import Partial
from hd.session import hub as hub_module
from hd.session.hub import ControlFollower, Follower, Hub
from hd.session.live import PARTIAL_INTERVAL_S, LiveSession
from hd.session.registry import Registry
from hd.session.store.sqlite import SqliteStore

OPENING = [Draft(ev.PERMISSION_PRESET, {"preset": "workspace-write"})]


class Clock:
    def __init__(self) -> None:
        self.now = 1_000

    def __call__(self) -> int:
        return self.now


class Houses:
    """Registries one after the other on the same file, as restarts make them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = Clock()
        self.ticks = 0.0
        self.announced: list[tuple[str, list[Any]]] = []
        self.store: SqliteStore | None = None

    async def open(self) -> Registry:
        await self.close()
        self.store = await SqliteStore.open(self.path, clock=self.clock)
        return Registry(
            self.store,
            Hub(),
            projections=(*DAEMON, HISTORY),
            clock=self.clock,
            announce=lambda event, args: self.announced.append((event, args)),
            ticks=lambda: self.ticks,
        )

    async def close(self) -> None:
        if self.store is not None:
            await self.store.close()
            self.store = None


@pytest.fixture
async def houses(tmp_path: Path) -> AsyncIterator[Houses]:
    made = Houses(tmp_path / "hd.db")
    yield made
    await made.close()


@pytest.fixture
async def registry(houses: Houses) -> Registry:
    return await houses.open()


@pytest.fixture
async def session(registry: Registry) -> AsyncIterator[LiveSession]:
    header = await registry.create(cwd="/w", opening=OPENING)
    async with registry.hold(header.id) as held:
        yield held


def prompt(text: str) -> Draft:
    return Draft(ev.USER_MESSAGE, user_message([{"type": "text", "text": text}], {"kind": "user"}), "append")


def decode(batch: list[bytes]) -> list[dict[str, Any]]:
    return [msgspec.json.decode(body) for body in batch]


def delta(text: str, index: int = 0) -> dict[str, Any]:
    return {"type": "text-delta", "index": index, "text": text}


async def test_every_event_reaches_a_follower_once_and_in_order_whatever_happens_while_it_opens(
    session: LiveSession,
) -> None:
    session.record(prompt("before"))
    stream = session.follow()
    opening = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    session.record(prompt("while it opens"))
    (snapshot,) = decode(await opening)
    session.record(prompt("after"))
    items = []
    while len(items) < 2:
        items += decode(await anext(stream))
    await stream.aclose()
    seen = [record["event"]["seq"] for record in snapshot["records"]] + [item["event"]["seq"] for item in items]
    assert seen == list(range(4))
    assert snapshot["cursor"] == 1
    assert snapshot["projections"]["asOfSeq"] == 1


async def test_a_snapshot_holds_the_newest_messages_and_says_that_there_are_more(session: LiveSession) -> None:
    for number in range(10):
        session.record(prompt(str(number)))
    stream = session.follow(messages=3)
    (snapshot,) = decode(await anext(stream))
    await stream.aclose()
    assert [record["event"]["data"]["content"][0]["text"] for record in snapshot["records"]] == ["7", "8", "9"]
    assert snapshot["hasMore"] is True


async def test_a_snapshot_in_mid_answer_continues_with_the_next_index(session: LiveSession) -> None:
    attempt = session.begin_attempt(1, 1)
    attempt.publish([{"type": "block-start", "index": 0, "blockType": "text"}, delta("a"), delta("b")])
    attempt.publish([delta("c")])
    stream = session.follow(stream=True)
    (snapshot,) = decode(await anext(stream))
    active = snapshot["assistantStream"]["activeAttempt"]
    assert active["nextIndex"] == 2
    assert active["stream"][1]["texts"] == ["abc"]
    attempt.publish([delta("d")])
    (item,) = decode(await anext(stream))
    await stream.aclose()
    frame = item["frame"]
    assert (frame["revision"], frame["index"], frame["chunk"]["text"]) == (1, 2, "d")


async def test_i12_the_partial_answer_is_kept_once_a_second_and_dropped_at_the_end(
    session: LiveSession, houses: Houses
) -> None:
    store = houses.store
    assert store is not None
    attempt = session.begin_attempt(1, 1)
    attempt.publish([delta("a")])
    await session.written()
    assert await store.partial(session.id) is None
    # It is a second of real time that counts, whatever happens to the clock on the wall meanwhile.
    houses.clock.now -= 3_600_000
    houses.ticks += PARTIAL_INTERVAL_S
    attempt.publish([delta("b")])
    await session.written()
    kept = await store.partial(session.id)
    assert kept is not None
    assert msgspec.json.decode(kept)["stream"][0]["texts"] == ["a", "b"]
    attempt.end({"kind": "abandoned"})
    await session.written()
    assert await store.partial(session.id) is None


async def batches(follower: Follower, until: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    async with asyncio.timeout(5):
        async for batch in follower.batches():
            items += decode(batch)
            if until(items):
                break
    return items


@given(st.lists(st.one_of(st.text(min_size=1, max_size=3), st.none()), max_size=30))
def test_whatever_waits_is_merged_without_a_gap_and_without_a_loss(script: list[str | None]) -> None:
    """`None` lets the follower read; the rest arrives while it does not."""

    async def play() -> None:
        follower = Follower(stream=True)
        follower.push_frame({"type": "start", "attemptId": "a"})
        reader = follower.batches()
        items: list[dict[str, Any]] = []
        pushed = False
        for piece in script:
            if piece is None:
                if pushed:
                    items += decode(await anext(reader))
                    pushed = False
            else:
                follower.push_chunks("a", 5, [delta(piece)])
                pushed = True
        follower.push_frame({"type": "end", "attemptId": "a", "outcome": {}})
        follower.close()
        async for batch in reader:
            items += decode(batch)
        frames = [item["frame"] for item in items]
        chunks = [frame for frame in frames if frame["type"] == "chunk"]
        assert [frame["revision"] for frame in frames] == list(range(1, len(frames) + 1))
        assert [frame["index"] for frame in chunks] == list(range(len(chunks)))
        assert frames[-1]["index"] == len(chunks)
        partial = Partial()
        for frame in chunks:
            partial.feed(frame["chunk"])
        assert partial.text(0) == "".join(piece for piece in script if piece)

    asyncio.run(play())


async def test_a_follower_that_is_far_behind_is_cut_off_and_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "MAX_WAITING", 10)
    hub = Hub()
    slow, quick = Follower(stream=True), Follower(stream=True)
    hub.attach("s", slow)
    hub.attach("s", quick)
    reader = quick.batches()
    for number in range(30):
        hub.publish_event("s", b'{"seq":%d}' % number)
        await anext(reader)
    with pytest.raises(FollowerLagging):
        await anext(slow.batches())


async def test_a_stalled_follower_costs_one_entry_however_long_the_answer_gets() -> None:
    follower = Follower(stream=True)
    for _ in range(hub_module.MAX_WAITING + 10):
        follower.push_chunks("a", 1, [delta("x")])
    (item,) = await batches(follower, lambda items: bool(items))
    assert len(item["frame"]["chunk"]["text"]) == hub_module.MAX_WAITING + 10


async def test_projections_are_merged_per_key_and_the_inbox_reads_as_a_queue_too(session: LiveSession) -> None:
    follower = ControlFollower()
    session._hub.attach_control(follower)
    for text in ("a", "b"):
        session.record(Draft(ev.SESSION_TITLE, {"title": text, "source": {"kind": "user"}}))
    message = user_message([{"type": "text", "text": "q"}], {"kind": "user", "rpcId": "r"})
    session.record(Draft(ev.AGENT_INBOX_SPLICED, {"target": "next-turn", "start": 0, "inserted": [message]}))
    items = decode(await anext(follower.batches()))
    assert [(item["type"], item.get("key")) for item in items] == [
        ("projection", "title"),
        ("projection", "inbox"),
        ("queue", None),
    ]
    assert (items[0]["value"], items[0]["seq"], items[1]["seq"]) == ("b", 2, 3)
    assert items[2]["items"][0]["rpcId"] == "r"


async def test_after_a_restart_a_session_is_the_same(houses: Houses, registry: Registry, session: LiveSession) -> None:
    session.record(prompt("hello"), Draft(ev.SESSION_TITLE, {"title": "T", "source": {"kind": "user"}}))
    session.save_projections()
    before = session.state.views()
    again = await houses.open()
    (cold,) = await again.summaries()
    assert (cold["projections"]["kind"], cold["projections"]["values"]) == ("cached", before)
    async with again.hold(session.id) as loaded, again.hold(session.id) as same:
        assert loaded.state.views() == before
        assert loaded.state.values == session.state.values
        assert same is loaded
    with pytest.raises(SessionNotFound):
        async with again.hold("session-nobody"):
            pass


async def test_what_was_open_is_closed_at_the_next_start_and_only_there(
    houses: Houses, registry: Registry, session: LiveSession
) -> None:
    quiet = await registry.create(cwd="/w", opening=OPENING)
    session.record(Draft(ev.TURN_START, {"turn": 1}), Draft(ev.STEP_START, {"turn": 1, "step": 1}))
    await session.written()
    again = await houses.open()
    assert await again.repair_interrupted() == [session.id]
    assert quiet.id not in again.live
    third = await houses.open()
    assert await third.repair_interrupted() == []
    async with third.hold(session.id) as loaded:
        assert loaded.value("turn").running is False


async def test_an_own_id_is_idempotent_and_another_folder_a_conflict(registry: Registry) -> None:
    first = await registry.create(cwd="/w", opening=OPENING, session_id="session-mine")
    assert await registry.create(cwd="/w", opening=OPENING, session_id="session-mine") == first
    with pytest.raises(SessionConflict):
        await registry.create(cwd="/other", opening=OPENING, session_id="session-mine")


async def test_i03_on_a_full_disk_followers_still_see_everything(
    session: LiveSession, houses: Houses, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = houses.store
    assert store is not None
    await session.written()

    async def full(*, durable: bool = False) -> None:
        raise StoreFull("full")

    monkeypatch.setattr(store, "flush", full)
    session.record(prompt("kept in memory"))
    stream = session.follow()
    (snapshot,) = decode(await anext(stream))
    await stream.aclose()
    assert snapshot["records"][-1]["event"]["data"]["content"][0]["text"] == "kept in memory"
    with pytest.raises(StoreFull):
        await session.written()


def test_an_answer_in_the_log_names_its_model() -> None:
    message = assistant_message([{"type": "text", "text": "x"}], "p", "m")
    assert message["source"] == {"kind": "model", "provider": "p", "model": "m"}
