"""What a long session costs the daemon: everything that is done over all of its messages shows here."""

import asyncio
import time
from typing import Final

from tests.bench import long_log
from tests.bench.figures import Row
from tests.bench.stage import Probe, Samples, Stage
from tests.bench.wire import follow
from tests.support.daemon import Daemon

OPEN: Final = Row("10,000 messages: first follow to snapshot", "s")
TURN: Final = Row("10,000 messages: turn without a tool", "ms")

TURNS: Final = 3


def long_session(stage: Stage, runs: int) -> Samples:
    """A session that is not in memory is followed, and then asked; each run is a new daemon."""
    session_id = long_log.recorded(stage)
    opened: list[float] = []
    turns: list[float] = []

    async def once(daemon: Daemon) -> None:
        began = time.perf_counter()
        async with follow(daemon, session_id) as talk:
            opened.append(time.perf_counter() - began)
            turns.extend([1000 * (await talk.turn("[[fast]]")).end for _ in range(TURNS)])

    for _ in range(1 + runs):
        with stage.daemon(long_log.HOME) as daemon:
            asyncio.run(once(daemon))
    return {OPEN.name: opened[1:], TURN.name: turns[TURNS:]}


PROBES: Final = (Probe((OPEN, TURN), long_session, runs=7, quick=1),)
