"""Two clients on one session: the same transcript, whatever the link of one of them is like."""

import asyncio
import socket as sockets
from pathlib import Path
from typing import Any

import msgspec
from websockets.asyncio.client import connect

from hd.protocol.events import Event
from hd.protocol.projections.transcript import TRANSCRIPT, Row
from hd.protocol.stream import Partial
from tests.house.test_turns import ENDED
from tests.support.daemon import LIMIT, Daemon, Socket, Stream
from tests.support.mock_model import Call, MockModel, Reply


class Reader:
    """What a strict client keeps of one follow stream: rows of the log, and the live answer beside it."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.revision = 0
        self.index = 0
        self.live = Partial()
        self.texts: list[str] = []

    def take(self, item: dict[str, Any]) -> bool:
        """Fails on any gap; True when the item ended a turn."""
        match item["type"]:
            case "snapshot":
                self.events = [Event.from_wire(record["event"]) for record in item["records"]]
                self.revision = item["assistantStream"]["revision"]
            case "event":
                event = Event.from_wire(item["event"])
                assert event.seq == self.events[-1].seq + 1
                self.events.append(event)
                return event.type == "turn/end"
            case "assistant-stream":
                self._frame(item["frame"])
            case other:
                raise AssertionError(f"unknown item {other}")
        return False

    def _frame(self, frame: dict[str, Any]) -> None:
        assert frame["revision"] == self.revision + 1
        self.revision += 1
        if frame["type"] == "start":
            self.live, self.index = Partial(), 0
            return
        assert frame["index"] == self.index
        if frame["type"] == "chunk":
            self.live.feed(frame["chunk"])
            self.index += 1
        else:
            self.texts += [block["text"] for block in self.live.blocks() if block["type"] == "text"]

    def rows(self) -> list[Row]:
        return list(TRANSCRIPT.fold(self.events).rows)


async def read_turn(stream: Stream, reader: Reader) -> None:
    while not reader.take(await stream.item()):
        pass


def long_answer(words: int) -> str:
    return " ".join(f"word{number}" for number in range(words))


async def test_i06_two_clients_hold_the_same_transcript_over_many_turns(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await daemon.new_session(folder)
    mock.add(
        Reply(text=long_answer(300)), Reply(calls=[Call("list_files", {})]), Reply(text="listed"), Reply(text="bye")
    )
    async with daemon.socket() as one, daemon.socket() as two:
        readers = Reader(), Reader()
        streams = [await socket.follow(session) for socket in (one, two)]
        for reader, stream in zip(readers, streams, strict=True):
            reader.take(await stream.item())
        for text in ("first", "second", "third"):
            await daemon.prompt(session, text)
            await asyncio.gather(*(read_turn(s, r) for s, r in zip(streams, readers, strict=True)))
    assert readers[0].rows() == readers[1].rows()
    assert readers[0].texts == readers[1].texts == [long_answer(300), "listed", "bye"]


async def test_a_client_that_comes_in_the_middle_sees_the_whole_answer(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    gate = asyncio.Event()
    mock.add(Reply(reasoning="let me see", text="one two three four", gates={6: gate}))
    session = await daemon.new_session(folder)
    async with daemon.socket() as one, daemon.socket() as two:
        early, late = Reader(), Reader()
        first = await one.follow(session)
        await daemon.prompt(session, "go")
        while "two" not in early.live.text(1):
            early.take(await first.item())
        second = await two.follow(session)
        snapshot = await second.item()
        active = snapshot["assistantStream"]["activeAttempt"]
        late.take(snapshot)
        late.live, late.index = Partial(), active["nextIndex"]
        from hd.protocol.stream import unpack

        for _, chunk in unpack(active["stream"]):
            late.live.feed(chunk)
        assert len(active["stream"]) <= active["nextIndex"] <= 6
        gate.set()
        await asyncio.gather(read_turn(first, early), read_turn(second, late))
    assert early.texts == late.texts == ["one two three four"]
    assert early.rows() == late.rows()


async def test_i06_a_slow_client_neither_holds_up_the_turn_nor_loses_a_word(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    """The slow one reads nothing at all until the fast one has seen the end, over a socket with tiny buffers."""
    session = await daemon.new_session(folder)
    answer = long_answer(20_000)
    mock.add(Reply(text=answer, batch=50))
    raw = sockets.socket()
    raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    raw.connect(("127.0.0.1", daemon.port))
    address = f"ws://127.0.0.1:{daemon.port}/api/remote.mux"
    slow = connect(
        address, sock=raw, additional_headers={"Cookie": daemon.cookie}, compression=None, max_size=None, max_queue=1
    )
    async with daemon.socket() as fast, slow as connection:
        follow = await fast.follow(session)
        lazy = Socket(connection)
        stream = await lazy.follow(session)
        await daemon.prompt(session, "talk a lot")
        quick, late = Reader(), Reader()
        await read_turn(follow, quick)
        async with asyncio.timeout(LIMIT):
            ended = False
            frames = 0
            while not ended:
                frame = msgspec.json.decode(await connection.recv())
                assert (frame["type"], frame["streamId"]) == ("item", stream.id)
                ended = late.take(frame["value"])
                frames += 1
    assert quick.texts == late.texts == [answer]
    assert quick.rows() == late.rows()
    assert frames < 20_000


async def test_a_client_that_vanishes_takes_nothing_with_it(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    gate = asyncio.Event()
    mock.add(Reply(text="one two three", gates={2: gate}))
    session = await daemon.new_session(folder)
    async with daemon.socket() as staying:
        follow = await staying.follow(session)
        async with daemon.socket() as leaving:
            gone = await leaving.follow(session)
            await daemon.prompt(session, "go")
            await gone.until(lambda item: item["type"] == "assistant-stream" and item["frame"]["type"] == "chunk")
            leaving.connection.transport.abort()
        gate.set()
        await follow.until(ENDED)
    assert (await daemon.log(session))[-1]["type"] == "turn/end"


async def test_each_turn_is_a_time_of_work_of_its_own_for_who_prompts_at_its_end(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    """What ends is idle at once, also while its end is on the way to the disk; clients hold commands until it is."""
    turns = 12
    session = await daemon.new_session(folder)
    mock.add(*[Reply(text="ok")] * turns)
    async with daemon.socket() as socket:
        events, follow = await socket.open("$events"), await socket.follow(session)
        for number in range(turns):
            await daemon.prompt(session, f"prompt {number}")
            await follow.until(ENDED)
        told = [await events.until(_is_notice) for _ in range(3 * turns)]
    assert [(item["event"].removeprefix("api-session/"), item["args"][1] is True) for item in told] == [
        ("status", True),
        ("activity", False),
        ("status", False),
    ] * turns


def _is_notice(item: Any) -> bool:
    return item.get("event") in ("api-session/status", "api-session/activity")
