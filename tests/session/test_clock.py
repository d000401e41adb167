"""Case I12: a clock on the wall that is set back, set forward, or set by a whole hour for the summer."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hd.agent.history import HISTORY
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.messages import assistant_message, user_message
from hd.protocol.projections import DAEMON
from hd.session.drafts import Drafts
from hd.session.following import follow
from hd.session.hub import Hub
from hd.session.registry import Registry
from hd.session.residents import IDLE_S
from hd.session.store.sqlite import SqliteStore

HOUR = 3_600_000
OPENING = [Draft(ev.PERMISSION_PRESET, {"preset": "workspace-write"})]


class Clock:
    """The wall clock in ms, which is set, and the ticks in seconds, which only run."""

    def __init__(self) -> None:
        self.wall = 1_700_000_000_000
        self.ticks = 0.0


@pytest.fixture
def clock() -> Clock:
    return Clock()


def registry_on(store: SqliteStore, clock: Clock) -> Registry:
    return Registry(
        store,
        Hub(),
        projections=(*DAEMON, HISTORY),
        clock=lambda: clock.wall,
        announce=lambda _event, _args: None,
        ticks=lambda: clock.ticks,
    )


@pytest.fixture
async def store(tmp_path: Path, clock: Clock) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(tmp_path / "hd.db", clock=lambda: clock.wall)
    yield store
    await store.close()


def turn(number: int) -> list[Draft]:
    where = {"turn": number, "step": 1}
    question = user_message([{"type": "text", "text": str(number)}], {"kind": "user", "rpcId": f"r{number}"})
    answer = assistant_message([{"type": "text", "text": str(number)}], "p", "m")
    return [
        Draft(ev.TURN_START, {"turn": number}),
        Draft(ev.STEP_START, where),
        Draft(ev.USER_MESSAGE, question, "append"),
        Draft(ev.TOOL_CALL, {**where, "callId": "c", "name": "x", "arguments": "{}"}),
        Draft(ev.TOOL_RESULT, {**where, "message": {"toolCallId": "c", "content": []}}, "append"),
        Draft(ev.ASSISTANT_MESSAGE, {**where, "message": answer}, "append"),
        Draft(ev.STEP_END, where),
        Draft(ev.TURN_END, {"turn": number, "reason": {"kind": "completed"}}),
    ]


async def shown(registry: Registry, session_id: str, messages: int = 50) -> dict[str, Any]:
    batches = follow(registry, session_id, messages=messages)
    decoded: dict[str, Any] = msgspec.json.decode((await anext(batches))[0])
    await batches.aclose()
    return decoded


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-30 * 24 * HOUR, 30 * 24 * HOUR), min_size=1, max_size=6))
def test_i12_a_log_is_in_the_order_of_its_seqs_wherever_the_clock_jumps(jumps: list[int]) -> None:
    async def play() -> None:
        clock = Clock()
        with TemporaryDirectory() as folder:
            store = await SqliteStore.open(Path(folder) / "hd.db", clock=lambda: clock.wall)
            registry = registry_on(store, clock)
            made = await registry.create(cwd="/w", opening=OPENING)
            async with registry.hold(made.id) as session:
                for number, jump in enumerate(jumps, 1):
                    for draft in turn(number):
                        session.record(draft)
                        clock.wall += jump
                session.save_projections()
                views = session.state.views()
            await registry.sweep(idle_s=0)
            again = await shown(registry, made.id, messages=1000)
            events = [record["event"] for record in again["records"]]
            assert [event["seq"] for event in events] == list(range(again["cursor"] + 1))
            said = [event["data"]["content"][0]["text"] for event in events if event["type"] == ev.USER_MESSAGE]
            assert said == [str(number) for number in range(1, len(jumps) + 1)]
            assert again["projections"]["values"] == views
            newest = await shown(registry, made.id, messages=1)
            assert newest["records"][-1]["event"]["seq"] == newest["cursor"]
            stats = views["sessionStats"]
            assert all(value >= 0 for value in stats.values()), "a sum of times went backwards"
            (row,) = await registry.summaries()
            assert row["updatedAt"] >= made.created_at
            await store.close()

    asyncio.run(play())


@pytest.mark.parametrize("jump", [-HOUR, HOUR, -365 * 24 * HOUR, 365 * 24 * HOUR])
async def test_i12_how_long_a_session_is_idle_does_not_depend_on_the_wall_clock(
    store: SqliteStore, clock: Clock, jump: int
) -> None:
    registry = registry_on(store, clock)
    made = await registry.create(cwd="/w", opening=OPENING)
    clock.wall += jump
    assert await registry.sweep() == []
    clock.ticks += IDLE_S
    assert await registry.sweep() == [made.id]


async def test_i12_the_revisions_of_a_draft_grow_over_a_restart_with_an_earlier_clock(
    store: SqliteStore, clock: Clock
) -> None:
    made = await registry_on(store, clock).create(cwd="/w", opening=OPENING)
    first = await Drafts(store, lambda: clock.wall).set(made.id, "a", 1, "me")
    clock.wall -= HOUR
    second = await Drafts(store, lambda: clock.wall).set(made.id, "ab", 2, "me")
    assert second["revision"] > first["revision"]
    assert second["updatedAt"] < first["updatedAt"]
