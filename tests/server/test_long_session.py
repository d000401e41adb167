"""Case I09 over the wire: a session of 200,000 events is shown and paged through without being loaded."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import psutil  # type: ignore[import-untyped]
import pytest

from hd.agent.history import HISTORY
from hd.config.home import Home
from hd.permit.presets import DEFAULT_PRESET, facts, preset
from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.messages import assistant_message, user_message
from hd.protocol.projections import DAEMON, State
from hd.session.live import Header
from hd.session.store.base import StoredEvent
from hd.session.store.pages import MOST_BYTES
from hd.session.store.sqlite import SqliteStore
from tests.support.daemon import Daemon

EVENTS = 200_000
SESSION = "session-long"
ENOUGH = 1_000
"""The most messages that a page may be asked for."""


def events(turns: int) -> list[Event]:
    """Turns with many calls each, so that messages are few and results are large."""
    log = [Event(d.type, seq, 0, d.data) for seq, d in enumerate(facts(preset(DEFAULT_PRESET)))]

    def add(kind: str, data: dict[str, Any], *, message: bool = False) -> None:
        log.append(Event(kind, len(log), len(log), data, "append" if message else None))

    for turn in range(1, turns + 1):
        where = {"turn": turn, "step": 1}
        question = user_message([{"type": "text", "text": f"Question {turn}?"}], {"kind": "user", "rpcId": f"r{turn}"})
        calls = [{"type": "tool-call", "id": f"c{turn}-{n}", "name": "grep", "arguments": "{}"} for n in range(45)]
        add(ev.TURN_START, {"turn": turn})
        add(ev.STEP_START, where)
        add(ev.USER_MESSAGE, question, message=True)
        add(ev.ASSISTANT_MESSAGE, {**where, "message": assistant_message(calls, "p", "m")}, message=True)
        for call in calls:
            add(ev.TOOL_CALL, {**where, "callId": call["id"], "name": "grep", "arguments": "{}"})
            content = [{"type": "text", "text": "found " * 50}]
            result = {"role": "tool", "toolCallId": call["id"], "content": content, "isError": False}
            add(ev.TOOL_RESULT, {**where, "message": result}, message=True)
        add(ev.STEP_END, where)
        add(ev.TURN_END, {"turn": turn, "reason": {"kind": "completed"}})
    return log


async def recorded(home: Path, folder: Path) -> int:
    """Puts the session into a home without a daemon, at rest as after its last turn; gives its head."""
    place = Home(home)
    place.prepare()
    log = events(EVENTS // 96 + 1)
    state = State.initial((*DAEMON, HISTORY), workingDirectory=str(folder), agentPreset="standard").fold(log)
    store = await SqliteStore.open(place.database)
    await store.create_session(Header(SESSION, 1, str(folder)).row())
    for first in range(0, len(log), 5_000):
        store.append(SESSION, [StoredEvent.of(event) for event in log[first : first + 5_000]])
        await store.flush()
    store.save_projections(SESSION, state.seq, msgspec.json.encode(state.views()), 1)
    await store.close()
    return state.seq


def resident(daemon: Daemon) -> int:
    return int(psutil.Process(daemon.pid).memory_info().rss)


@pytest.mark.long
async def test_i09_a_session_of_200k_events_is_paged_through_with_flat_memory(tmp_path: Path, folder: Path) -> None:
    head = await recorded(tmp_path / "home", folder)
    assert head >= EVENTS
    address = {"kind": "session", "sessionId": SESSION}
    with Daemon(tmp_path / "home", arguments=["--demo"]) as daemon:
        (row,) = (await daemon.acall("session/list", _request={}))["items"]
        assert len(msgspec.json.encode(row)) < 64 * 1024
        before, size, more, pages = head + 1, 0, True, 0
        grown: list[int] = []
        while more:
            request = {"address": address, "throughSeq": head, "beforeSeq": before, "maxMessages": ENOUGH}
            page = await asyncio.to_thread(daemon.call, "session/page", request=request)
            seqs = [record["event"]["seq"] for record in page["records"]]
            assert seqs == list(range(seqs[0], before)), "a page does not join on to the one before"
            assert len(msgspec.json.encode(page)) < MOST_BYTES * 1.1
            before, more, pages, size = seqs[0], page["hasMore"], pages + 1, size + len(seqs)
            grown.append(resident(daemon))
        assert (before, size) == (0, head + 1)
        assert pages > 40
        assert max(grown) - grown[4] < 24 << 20, "the memory of the daemon grows with what was read"
        async with daemon.socket() as socket:
            control = await socket.open("session/control")
            assert (await control.item())["value"]["projections"] == {}, "reading loaded it"
            shown = await (await socket.follow(SESSION)).item()
        assert shown["cursor"] == head
        assert len(msgspec.json.encode(shown)) < MOST_BYTES + 64 * 1024
        assert len(shown["projections"]["values"]["turnOutline"]) == 50
