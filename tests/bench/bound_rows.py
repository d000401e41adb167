"""What bounds a daemon: the memory of its sessions, the size of its frames, and how long others wait for one of them.

The large session has 200,000 events, which are 66,700 short messages.
"""

import asyncio
import time
from typing import Any, Final

import msgspec

from tests.bench import long_log
from tests.bench.daemon_rows import settled_memory
from tests.bench.figures import Row, percentile
from tests.bench.stage import Probe, Samples, Stage
from tests.bench.wire import Line, conversation, follow
from tests.support.daemon import Daemon

IDLE: Final = Row("memory of an idle session of one turn", "KiB")
SHOWN: Final = Row("200,000 events: cold follow to snapshot", "ms")
SIZE: Final = Row("200,000 events: snapshot", "KiB")
PAGE: Final = Row("200,000 events: page of 50 messages", "ms", 200)
LISTED: Final = Row("200,000 events: row of the list", "KiB")
PAGED: Final = Row("200,000 events: memory for all pages", "MiB")
LOADED: Final = Row("200,000 events: memory of the session", "MiB")
FIRST: Final = Row("200,000 events: cold prompt to first text", "s")
FORK: Final = Row("200,000 events: fork", "s")
WAIT: Final = Row("200,000 events: another's rename during a fork, p95", "ms", 50)
WORST: Final = Row("200,000 events: another's rename during a fork, worst", "ms", 50)

HOME: Final = "vast"
MESSAGES: Final = 66_700
IDLE_SESSIONS: Final = 50
PATIENCE_S: Final = 60.0


def idle_sessions(stage: Stage, runs: int) -> Samples:
    """What each of fifty sessions adds that had one turn and that nobody follows any more."""
    workspace = stage.workspace("idle")

    async def once(daemon: Daemon) -> float:
        async with conversation(daemon, workspace) as talk:
            await talk.turn("[[fast]]")
        before = settled_memory(daemon)
        for _ in range(IDLE_SESSIONS):
            async with conversation(daemon, workspace) as talk:
                await talk.turn("[[fast]]")
        return (settled_memory(daemon) - before) * 1024 / IDLE_SESSIONS

    samples: list[float] = []
    for _ in range(runs):
        with stage.daemon("idle") as daemon:
            samples.append(asyncio.run(once(daemon)))
    return {IDLE.name: samples}


def large_session(stage: Stage, runs: int) -> Samples:
    """A large session that is not in memory is looked at, paged through, asked and forked; a new daemon each run."""
    session_id = long_log.recorded(stage, HOME, MESSAGES)
    rows = (SHOWN, SIZE, PAGE, LISTED, PAGED, LOADED, FIRST, FORK, WAIT, WORST)
    samples: dict[str, list[float]] = {row.name: [] for row in rows}
    for _ in range(runs):
        with stage.daemon(HOME) as daemon:
            for name, value in asyncio.run(_looks(daemon, session_id)).items():
                samples[name].append(value)
            for name, value in asyncio.run(_works(daemon, stage, session_id)).items():
                samples[name].append(value)
    return samples


async def _looks(daemon: Daemon, session_id: str) -> dict[str, float]:
    """What is done without loading it."""
    address = {"kind": "session", "sessionId": session_id}
    line = await Line.to(daemon)
    async with daemon.socket() as socket:
        began = time.perf_counter()
        stream = await socket.follow(session_id)
        shown = await stream.item()
        found = {SHOWN.name: 1000 * (time.perf_counter() - began), SIZE.name: _kib(shown)}
        await socket.cancel(stream)
    line.send("session/list", _request={})
    listed = next(row for row in (await line.answer())["items"] if row["sessionId"] == session_id)
    found[LISTED.name] = _kib(listed)
    request: dict[str, Any] = {"address": address, "throughSeq": shown["cursor"]}
    began = time.perf_counter()
    line.send("session/page", request={**request, "beforeSeq": shown["cursor"] // 2})
    await line.answer()
    found[PAGE.name] = 1000 * (time.perf_counter() - began)
    before_memory, before, more = settled_memory(daemon), shown["cursor"] + 1, True
    while more:
        line.send("session/page", request={**request, "beforeSeq": before, "maxMessages": 1000})
        page = await line.answer()
        before, more = page["records"][0]["event"]["seq"], page["hasMore"]
    found[PAGED.name] = settled_memory(daemon) - before_memory
    await line.close()
    return found


async def _works(daemon: Daemon, stage: Stage, session_id: str) -> dict[str, float]:
    """What needs it in memory, or the whole of its log."""
    before = settled_memory(daemon)
    began = time.perf_counter()
    async with follow(daemon, session_id) as talk:
        turn = await talk.turn("[[fast]]")
        found = {FIRST.name: time.perf_counter() - began - turn.end + turn.first_text}
        found[LOADED.name] = settled_memory(daemon) - before
    line, forked = await Line.to(daemon), asyncio.Event()
    other = await daemon.new_session(stage.workspace(HOME))
    began = time.perf_counter()
    line.send("session/fork", request={"sessionId": session_id})
    renames = asyncio.create_task(_renames(daemon, other, forked))
    await line.answer(PATIENCE_S)
    found[FORK.name] = time.perf_counter() - began
    forked.set()
    waits = await renames
    await line.close()
    return {**found, WAIT.name: percentile(waits, 0.95), WORST.name: max(waits)}


async def _renames(daemon: Daemon, session_id: str, forked: asyncio.Event) -> list[float]:
    """How many ms each of many writes took, one after the other, each of them answered when it is written."""
    line, taken = await Line.to(daemon), []
    while not forked.is_set():
        began = time.perf_counter()
        line.send("session/rename", request={"sessionId": session_id, "title": f"number {len(taken)}"})
        await line.answer()
        taken.append(1000 * (time.perf_counter() - began))
    await line.close()
    return taken


def _kib(value: Any) -> float:
    return len(msgspec.json.encode(value)) / 1024


PROBES: Final = (
    Probe((IDLE,), idle_sessions, runs=5, quick=1),
    Probe(
        (SHOWN, SIZE, PAGE, LISTED, PAGED, LOADED, FIRST, FORK, WAIT, WORST),
        large_session,
        runs=3,
        quick=1,
    ),
)
