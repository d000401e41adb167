"""What a client meets of the daemon: its start, its size, and the ways of a prompt through it."""

import asyncio
import time
from pathlib import Path
from typing import Final

import psutil  # type: ignore[import-untyped]

from tests.bench.figures import Row
from tests.bench.stage import Probe, Samples, Stage
from tests.bench.wire import Turn, conversation
from tests.support.daemon import Daemon

START: Final = Row("start to usable", "s", 0.4)
MEMORY: Final = Row("idle memory", "MiB", 75)
COLD: Final = Row("first prompt of a daemon to first text", "ms")
FIRST: Final = Row("prompt to first text", "ms", 5)
TURN: Final = Row("turn without a tool", "ms", 6)
READ: Final = Row("turn with one read_file", "ms", 12)
BURST: Final = Row("20,000 deltas to the client", "s", 0.2)

DELTAS: Final = 20_000
WARM_TURNS: Final = 3
SESSION_TURNS: Final = 20
SETTLED_S: Final = 0.5
PATIENCE_S: Final = 5.0


def start(stage: Stage, runs: int) -> Samples:
    """From the start of the process to the answer of the first call behind the login, and its memory after that.

    The home is one that had a daemon before; the first start of all also makes the database.
    """
    daemon = stage.daemon("start")
    seconds: list[float] = []
    sizes: list[float] = []
    for _ in range(1 + runs):
        began = time.perf_counter()
        with daemon:
            daemon.call("session/list", _request={})
            seconds.append(time.perf_counter() - began)
            sizes.append(settled_memory(daemon))
    return {START.name: seconds[1:], MEMORY.name: sizes[1:]}


def settled_memory(daemon: Daemon) -> float:
    """Resident MiB once they have stayed the same for a while."""
    assert daemon.process is not None
    process = psutil.Process(daemon.process.pid)
    deadline = time.monotonic() + PATIENCE_S
    size, since = process.memory_info().rss, time.monotonic()
    while time.monotonic() - since < SETTLED_S and time.monotonic() < deadline:
        time.sleep(0.05)
        now = process.memory_info().rss
        if now != size:
            size, since = now, time.monotonic()
    return float(size / 2**20)


def turns(stage: Stage, runs: int) -> Samples:
    """Short answers, one after the other."""
    with stage.daemon("turns") as daemon:
        taken = asyncio.run(_repeat(daemon, stage.workspace("turns"), "[[fast]]", runs))
    assert all(turn.text == "ok" for turn in taken)
    return {FIRST.name: [1000 * turn.first_text for turn in taken], TURN.name: [1000 * turn.end for turn in taken]}


def reads(stage: Stage, runs: int) -> Samples:
    """Turns whose first answer is a call of `read_file` and whose second one ends them."""
    workspace = stage.workspace("reads")
    (workspace / "notes.txt").write_text("A line of the notes.\n" * 40)
    with stage.daemon("reads") as daemon:
        taken = asyncio.run(_repeat(daemon, workspace, "[[read notes.txt]]", runs))
    assert all(turn.count("tool/result") == 1 for turn in taken)
    assert not any(
        "error" in event["data"] for turn in taken for event in turn.events if event["type"] == "tool/result"
    )
    return {READ.name: [1000 * turn.end for turn in taken]}


async def _repeat(daemon: Daemon, workspace: Path, prompt: str, runs: int) -> list[Turn]:
    """So many turns in sessions of `SESSION_TURNS`, because the model's share grows with the history it is sent."""
    taken: list[Turn] = []
    while len(taken) < runs:
        async with conversation(daemon, workspace) as talk:
            for _ in range(WARM_TURNS):
                await talk.turn(prompt)
            taken += [await talk.turn(prompt) for _ in range(min(SESSION_TURNS, runs - len(taken)))]
    return taken


def first_prompts(stage: Stage, runs: int) -> Samples:
    """The first prompt that a started daemon gets, in a new session."""
    daemon, workspace = stage.daemon("first"), stage.workspace("first")
    taken: list[Turn] = []
    for _ in range(1 + runs):
        with daemon:
            settled_memory(daemon)
            taken.append(asyncio.run(_one(daemon, workspace, "[[fast]]")))
    return {COLD.name: [1000 * turn.first_text for turn in taken[1:]]}


async def _one(daemon: Daemon, workspace: Path, prompt: str) -> Turn:
    async with conversation(daemon, workspace) as talk:
        return await talk.turn(prompt)


def bursts(stage: Stage, runs: int) -> Samples:
    """An answer that the model has at once, in a session without others, until its turn has ended at the client."""
    expected = "".join(f"w{number} " for number in range(DELTAS))

    async def measured(daemon: Daemon) -> list[float]:
        seconds: list[float] = []
        for _ in range(1 + runs):
            async with conversation(daemon, stage.workspace("bursts")) as talk:
                await talk.turn("[[fast]]")
                turn = await talk.turn(f"[[burst {DELTAS}]]")
            assert turn.text == expected, f"{len(turn.text)} of {len(expected)} characters came"
            seconds.append(turn.end)
        return seconds[1:]

    with stage.daemon("bursts") as daemon:
        return {BURST.name: asyncio.run(measured(daemon))}


PROBES: Final = (
    Probe((START, MEMORY), start, runs=10, quick=2),
    Probe((FIRST, TURN), turns, runs=100, quick=20),
    Probe((READ,), reads, runs=50, quick=20),
    Probe((BURST,), bursts, runs=15, quick=3),
    Probe((COLD,), first_prompts, runs=5, quick=2),
)
