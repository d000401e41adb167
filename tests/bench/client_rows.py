"""What a person meets of the client: how soon it is there, how it answers keys, and how much it writes."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from typing import Final

import msgspec

from tests.bench import long_log
from tests.bench.figures import Row, percentile
from tests.bench.stage import NotMeasured, Probe, Samples, Stage
from tests.bench.terminal import COLUMNS, ROWS, TimedTerminal
from tests.bench.wire import Conversation, follow
from tests.support.daemon import ROOT, Daemon

LIST: Final = Row("htui list sessions --json", "s", 0.10)
PICKER: Final = Row("htui to first painted picker", "s", 0.5)
COMPOSER: Final = Row("htui to a prompt that can be sent", "s")
KEY: Final = Row("key to screen, 10,000 messages", "ms")
KEY_P95: Final = Row("key to screen, 10,000 messages, p95", "ms", 16)
BYTES: Final = Row("terminal bytes a streamed kilobyte", "kB", 12)

HTUI: Final = (sys.executable, "-m", "htui")
KEYS: Final = "the quick brown fox jumps over a lazy dog".replace(" ", "")
READY: Final = "● Ready"
WORDS: Final = 200
PACE_MS: Final = 20
QUIET_S: Final = 0.3
BETWEEN_KEYS_S: Final = 0.03


def list_sessions(stage: Stage, runs: int) -> Samples:
    """The whole process, logged in by a kept cookie; the first one logs in."""
    session_id = long_log.recorded(stage)
    seconds: list[float] = []
    with stage.daemon(long_log.HOME) as daemon:
        for _ in range(2 + runs):
            began = time.perf_counter()
            done = subprocess.run(
                [*HTUI, "list", "sessions", "--json"],
                cwd=ROOT,
                env=stage.client(daemon),
                check=True,
                capture_output=True,
            )
            seconds.append(time.perf_counter() - began)
            assert session_id in {item["sessionId"] for item in msgspec.json.decode(done.stdout)["items"]}
    return {LIST.name: seconds[2:]}


def first_picker(stage: Stage, runs: int) -> Samples:
    """From the start of the process until a session's title is in the list that a name of none opens."""
    long_log.recorded(stage)
    return {PICKER.name: _starts(stage, runs, long_log.TITLE, "the session of that name")}


def first_composer(stage: Stage, runs: int) -> Samples:
    """From the start of the process until a new session in this folder is open and a prompt can be sent."""
    long_log.recorded(stage)
    return {COMPOSER.name: _starts(stage, runs, READY)}


def _starts(stage: Stage, runs: int, content: str, *arguments: str) -> list[float]:
    seconds: list[float] = []
    with stage.daemon(long_log.HOME) as daemon:
        for _ in range(1 + runs):
            began = time.perf_counter()
            with _htui(stage, daemon, *arguments) as screen:
                seconds.append(screen.shows(content) - began)
    return seconds[1:]


def keys(stage: Stage, runs: int) -> Samples:
    """From a key into the composer of a long chat until its cell has changed, at the pace of somebody who types fast.

    A run is a sentence; the 95th percentile is that of a run.
    """
    rounds: list[list[float]] = []
    session_id = long_log.recorded(stage)
    with stage.daemon(long_log.HOME) as daemon, _htui(stage, daemon, session_id) as screen:
        screen.shows(long_log.last_words())
        screen.settle(QUIET_S)
        for _ in range(1 + runs):
            rounds.append(type_sentence(screen))
    return {
        KEY.name: [taken for taken_in_run in rounds[1:] for taken in taken_in_run],
        KEY_P95.name: [percentile(taken_in_run, 0.95) for taken_in_run in rounds[1:]],
    }


def type_sentence(screen: TimedTerminal) -> list[float]:
    """Milliseconds of each key of a sentence but the first one, which tells where the composer is; takes it back."""
    before = screen.screen.display
    screen.send(KEYS[0])
    screen.until(lambda: screen.screen.display != before, "anything for the first key")
    screen.settle(BETWEEN_KEYS_S)
    row, column = _place_of(before, screen.screen.display)
    taken: list[float] = []
    for place, key in enumerate(KEYS[1:], 1):
        began = time.perf_counter()
        screen.send(key)
        moment = screen.until(lambda: screen.cell(row, column + place) == key, key)  # noqa: B023
        taken.append(1000 * (moment - began))
        screen.settle(BETWEEN_KEYS_S)
    screen.send("\x7f" * len(KEYS))
    screen.until(lambda: screen.cell(row, column) != KEYS[0], "an empty composer")
    screen.settle(QUIET_S)
    return taken


def _place_of(before: list[str], after: list[str]) -> tuple[int, int]:
    """Where the first key stands: a cell of the composer that changed to it; the status bar may change as well."""
    found = [
        (row, column)
        for row in range(ROWS)
        if after[row].startswith("❯")
        for column in range(COLUMNS)
        if after[row][column] == KEYS[0] != before[row][column]
    ]
    assert len(found) == 1, f"the key shows at {found}"
    return found[0]


def streamed_bytes(stage: Stage, runs: int) -> Samples:
    """All bytes that a watching client writes from the prompt, which somebody else sends, to the end of the turn."""
    with stage.daemon("stream") as daemon:
        return {BYTES.name: asyncio.run(_streamed(stage, daemon, runs))}


async def _streamed(stage: Stage, daemon: Daemon, runs: int) -> list[float]:
    session_id = await daemon.new_session(stage.workspace("stream"))
    taken: list[float] = []
    async with follow(daemon, session_id) as talk:
        await talk.turn("[[fast]]")
        with _htui(stage, daemon, session_id) as screen:
            await asyncio.to_thread(screen.shows, "ok")
            for _ in range(runs):
                taken.append(await _one_stream(talk, screen))
    return taken


async def _one_stream(talk: Conversation, screen: TimedTerminal) -> float:
    """Bytes of the terminal for one byte of the answer, which is kB for a kilobyte."""
    await asyncio.to_thread(screen.settle, QUIET_S)
    before = screen.count
    watching = asyncio.create_task(asyncio.to_thread(screen.shows, f"w{WORDS - 1}"))
    turn = await talk.turn(f"[[slow {WORDS} {PACE_MS}]]")
    await watching
    await asyncio.to_thread(screen.settle, QUIET_S)
    return (screen.count - before) / len(turn.text)


@contextmanager
def _htui(stage: Stage, daemon: Daemon, *arguments: str) -> Iterator[TimedTerminal]:
    if find_spec("htui.app") is None:
        raise NotMeasured("this htui has no screens yet")
    with closing(TimedTerminal([*HTUI, *arguments], stage.client(daemon), stage.workspace(long_log.HOME))) as screen:
        yield screen


PROBES: Final = (
    Probe((LIST,), list_sessions, runs=20, quick=3),
    Probe((PICKER,), first_picker, runs=10, quick=2),
    Probe((COMPOSER,), first_composer, runs=5, quick=1),
    Probe((KEY, KEY_P95), keys, runs=6, quick=1),
    Probe((BYTES,), streamed_bytes, runs=5, quick=1),
)
