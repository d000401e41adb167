"""Asks over many clients: examples from the protocol and a state machine against a simple model."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hd.errors import BadRequest
from hd.permit.broker import QUEUE_LIMIT, Broker, ClientUnknown, Frame, Peer
from hd.protocol.codes import INTERNAL

ALLOWED = {"kind": "result", "value": "allowed-once"}
NEXT = {"kind": "next"}


class Reader:
    """A client that notes every frame it gets."""

    def __init__(self, broker: Broker) -> None:
        self.peer = broker.connect()
        self.frames: list[Frame] = []
        self.task = asyncio.ensure_future(self._read(self.peer))

    async def _read(self, peer: Peer) -> None:
        async for frame in peer.items():
            self.frames.append(frame)

    def kinds(self) -> list[str]:
        return [frame["type"] for frame in self.frames]


Connect = Callable[[], Reader]


@pytest.fixture
def broker() -> Broker:
    return Broker()


@pytest.fixture
async def connect(broker: Broker) -> AsyncIterator[Connect]:
    readers: list[Reader] = []

    def connect() -> Reader:
        readers.append(Reader(broker))
        return readers[-1]

    yield connect
    broker.close()
    await asyncio.gather(*(reader.task for reader in readers))


async def settle() -> None:
    """Lets every task that can go on do so."""
    for _ in range(5):
        await asyncio.sleep(0)


async def asked(broker: Broker, session: str = "session-1") -> tuple["asyncio.Task[dict[str, Any]]", str]:
    task = asyncio.ensure_future(broker.ask(session, "approval/request", {"toolName": "run_command"}))
    await settle()
    return task, broker.pending(session)[-1]["eventId"]


async def test_everybody_is_asked_and_the_first_answer_wins(broker: Broker, connect: Connect) -> None:
    first, second, third = connect(), connect(), connect()
    task, event_id = await asked(broker)
    assert first.frames == [
        {
            "type": "waterfall",
            "event": "approval/request",
            "eventId": event_id,
            "agentId": "session-1",
            "request": {"toolName": "run_command"},
        }
    ]
    broker.answer(second.peer.client_id, event_id, ALLOWED)
    broker.answer(third.peer.client_id, event_id, {"kind": "result", "value": "rejected"})
    assert await task == {**ALLOWED, "by": second.peer.client_id}
    await settle()
    assert first.frames[1:] == third.frames[1:] == [{"type": "cancel", "eventId": event_id}]
    assert second.kinds() == ["waterfall"]
    assert broker.pending("session-1") == []


async def test_a_rejection_settles_too(broker: Broker, connect: Connect) -> None:
    client = connect()
    task, event_id = await asked(broker)
    outcome = {"kind": "rejected", "error": {"name": "E", "message": "no", "code": "X", "details": [1]}}
    broker.answer(client.peer.client_id, event_id, outcome)
    assert await task == {**outcome, "by": client.peer.client_id}


async def test_a_result_without_a_value_is_one_of_null(broker: Broker, connect: Connect) -> None:
    client = connect()
    task, event_id = await asked(broker)
    broker.answer(client.peer.client_id, event_id, {"kind": "result"})
    assert await task == {"kind": "result", "value": None, "by": client.peer.client_id}


async def test_e05_an_ask_waits_without_clients_and_is_repeated_to_later_ones(broker: Broker, connect: Connect) -> None:
    task, event_id = await asked(broker)
    other, _ = await asked(broker, "session-2")
    early = connect()
    await settle()
    assert [frame["agentId"] for frame in early.frames] == ["session-1", "session-2"]
    early.peer.close()
    await settle()
    assert not task.done()
    late = connect()
    await settle()
    assert late.frames[0]["eventId"] == event_id
    broker.answer(late.peer.client_id, event_id, ALLOWED)
    assert await task == {**ALLOWED, "by": late.peer.client_id}
    other.cancel()


async def test_next_from_everybody_leaves_it_waiting(broker: Broker, connect: Connect) -> None:
    first, second = connect(), connect()
    task, event_id = await asked(broker)
    for client in (first, second):
        broker.answer(client.peer.client_id, event_id, NEXT)
    await settle()
    assert not task.done()
    broker.answer(first.peer.client_id, event_id, ALLOWED)  # has answered already
    await settle()
    assert not task.done()
    third = connect()
    await settle()
    broker.answer(third.peer.client_id, event_id, ALLOWED)
    assert await task == {**ALLOWED, "by": third.peer.client_id}
    await settle()
    assert first.kinds() == second.kinds() == ["waterfall"]


async def test_a_withdrawn_ask_is_cancelled_everywhere(broker: Broker, connect: Connect) -> None:
    first, second = connect(), connect()
    task, event_id = await asked(broker)
    broker.answer(second.peer.client_id, event_id, NEXT)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await settle()
    assert first.frames[-1] == second.frames[-1] == {"type": "cancel", "eventId": event_id}
    broker.answer(first.peer.client_id, event_id, ALLOWED)
    assert broker.pending("session-1") == []


async def test_e06_late_and_repeated_answers_are_accepted_and_change_nothing(broker: Broker, connect: Connect) -> None:
    first, second = connect(), connect()
    task, event_id = await asked(broker)
    broker.answer(first.peer.client_id, event_id, ALLOWED)
    broker.answer(first.peer.client_id, event_id, {"kind": "result", "value": "rejected"})
    broker.answer(second.peer.client_id, event_id, {"kind": "result", "value": "rejected"})
    broker.answer(second.peer.client_id, "never-asked", ALLOWED)
    assert await task == {**ALLOWED, "by": first.peer.client_id}


async def test_a_client_without_a_stream_cannot_answer(broker: Broker, connect: Connect) -> None:
    client = connect()
    task, event_id = await asked(broker)
    client.peer.close()
    for client_id in (client.peer.client_id, "nobody"):
        with pytest.raises(ClientUnknown) as caught:
            broker.answer(client_id, event_id, ALLOWED)
        assert caught.value.code == INTERNAL
    task.cancel()


@pytest.mark.parametrize(
    "outcome",
    [
        None,
        "allowed-once",
        {},
        {"kind": "allow"},
        {"value": 1},
        {"kind": "rejected"},
        {"kind": "rejected", "error": "no"},
        {"kind": "rejected", "error": {"name": "E"}},
        {"kind": "rejected", "error": {"name": "E", "message": 1}},
    ],
)
async def test_an_outcome_of_another_shape_is_a_bad_request(broker: Broker, connect: Connect, outcome: object) -> None:
    client = connect()
    task, event_id = await asked(broker)
    with pytest.raises(BadRequest):
        broker.answer(client.peer.client_id, event_id, outcome)
    assert len(broker.pending("session-1")) == 1
    task.cancel()


async def test_news_go_to_who_is_there_and_to_nobody_later(broker: Broker, connect: Connect) -> None:
    client = connect()
    broker.emit("api-session/status", ["session-1", True])
    late = connect()
    await settle()
    assert client.frames == [{"type": "emit", "event": "api-session/status", "args": ["session-1", True]}]
    assert late.frames == []


async def test_a_client_that_does_not_read_is_closed_and_costs_nobody_else(broker: Broker, connect: Connect) -> None:
    asleep = broker.connect()
    awake = connect()
    task, event_id = await asked(broker)
    for number in range(QUEUE_LIMIT + 1):
        broker.emit("commands/change", [])
        if number % 1000 == 0:
            await settle()
    await settle()
    assert asleep.closed
    assert [frame async for frame in asleep.items()] == []
    assert not awake.peer.closed
    assert len(awake.frames) == QUEUE_LIMIT + 2
    with pytest.raises(ClientUnknown):
        broker.answer(asleep.client_id, event_id, ALLOWED)
    task.cancel()


async def test_closing_twice_is_no_error(broker: Broker) -> None:
    peer = broker.connect()
    peer.close()
    peer.close()
    broker.close()


class BrokerMachine(RuleBasedStateMachine):
    """Random asks, clients and answers against a model of what must be true.

    The model: an ask is open until the first result from a client that was open and had not declined it; a client
    holds an ask from when it saw both open until it declined, answered or got a cancel.
    """

    @initialize()
    def start(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.broker = Broker()
        self.readers: list[Reader] = []
        self.tasks: dict[str, asyncio.Task[dict[str, Any]]] = {}
        self.declined: dict[str, set[str]] = {}
        self.settled: dict[str, Any] = {}
        self.expected: dict[str, list[tuple[str, str]]] = {}

    def step(self, act: Callable[[], Any]) -> Any:
        async def stepped() -> Any:
            result = act()
            await settle()
            return result

        return self.loop.run_until_complete(stepped())

    def open_asks(self) -> list[str]:
        return [event_id for event_id in self.tasks if event_id not in self.settled]

    @rule()
    def opens(self) -> None:
        reader = self.step(lambda: Reader(self.broker))
        self.readers.append(reader)
        self.expected[reader.peer.client_id] = [("waterfall", event_id) for event_id in self.open_asks()]

    @precondition(lambda self: self.readers)
    @rule(which=st.integers(0))
    def closes(self, which: int) -> None:
        reader = self.readers.pop(which % len(self.readers))
        self.step(reader.peer.close)
        del self.expected[reader.peer.client_id]

    @rule()
    def asks(self) -> None:
        task = self.step(lambda: asyncio.ensure_future(self.broker.ask("s", "approval/request", {})))
        event_id = self.broker.pending("s")[-1]["eventId"]
        self.tasks[event_id], self.declined[event_id] = task, set()
        for frames in self.expected.values():
            frames.append(("waterfall", event_id))

    @precondition(lambda self: self.readers and self.tasks)
    @rule(which=st.integers(0), ask=st.integers(0), declines=st.booleans())
    def answers(self, which: int, ask: int, declines: bool) -> None:
        client_id = self.readers[which % len(self.readers)].peer.client_id
        event_id = list(self.tasks)[ask % len(self.tasks)]
        self.step(
            lambda: self.broker.answer(
                client_id, event_id, NEXT if declines else {"kind": "result", "value": client_id}
            )
        )
        if event_id in self.settled or client_id in self.declined[event_id]:
            return
        if declines:
            self.declined[event_id].add(client_id)
            return
        self.settled[event_id] = {"kind": "result", "value": client_id, "by": client_id}
        for other, frames in self.expected.items():
            if other != client_id and other not in self.declined[event_id]:
                frames.append(("cancel", event_id))

    @precondition(lambda self: self.open_asks())
    @rule(ask=st.integers(0))
    def withdraws(self, ask: int) -> None:
        event_id = self.open_asks()[ask % len(self.open_asks())]
        self.step(self.tasks[event_id].cancel)
        self.settled[event_id] = None
        for frames in self.expected.values():
            frames.append(("cancel", event_id))

    @invariant()
    def agrees(self) -> None:
        assert [frame["eventId"] for frame in self.broker.pending("s")] == self.open_asks()
        for event_id, task in self.tasks.items():
            assert task.done() == (event_id in self.settled)
            if task.done():
                assert task.cancelled() if self.settled[event_id] is None else task.result() == self.settled[event_id]
        for reader in self.readers:
            frames = [(frame["type"], frame["eventId"]) for frame in reader.frames]
            assert frames == self.expected[reader.peer.client_id]

    def teardown(self) -> None:
        for task in self.tasks.values():
            task.cancel()
        self.step(self.broker.close)
        self.loop.close()


TestBrokerMachine = BrokerMachine.TestCase
TestBrokerMachine.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
