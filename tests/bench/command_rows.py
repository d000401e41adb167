"""What a command costs beside what the system takes to start it."""

import asyncio
import statistics
import subprocess
import time
from typing import Any, Final

from tests.bench.figures import Row
from tests.bench.stage import Probe, Samples, Stage
from tests.bench.wire import conversation

PLAIN: Final = Row("plain spawn of bash -c true", "ms")
BEYOND: Final = Row("run_command true beyond a plain spawn", "ms", 15)

WARM: Final = 3


def nothing(stage: Stage, runs: int) -> Samples:
    """From the recorded call to its recorded result, by the daemon's own clock, less what a spawn from here takes."""

    async def measured() -> list[float]:
        async with conversation(daemon, stage.workspace("nothing")) as talk:
            taken = [await talk.turn("[[shell true]]") for _ in range(WARM + runs)]
        return [_took(turn.events) for turn in taken[WARM:]]

    with stage.daemon("nothing") as daemon:
        plain = [_spawn() for _ in range(WARM + runs)][WARM:]
        taken = asyncio.run(measured())
    usual = statistics.median(plain)
    return {PLAIN.name: plain, BEYOND.name: [max(0.0, one - usual) for one in taken]}


def _took(events: list[dict[str, Any]]) -> float:
    """In ms."""
    (call,) = [event for event in events if event["type"] == "tool/call"]
    (result,) = [event for event in events if event["type"] == "tool/result"]
    assert "error" not in result["data"], result
    return float(result["time"] - call["time"])


def _spawn() -> float:
    """In ms."""
    began = time.perf_counter()
    subprocess.run(["/bin/bash", "-c", "true"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    return 1000 * (time.perf_counter() - began)


PROBES: Final = (Probe((PLAIN, BEYOND), nothing, runs=30, quick=5),)
