"""What the screen costs: memory, bytes and time, in long conversations and over a slow line."""

import asyncio
import time
from contextlib import closing
from typing import Final

import psutil  # type: ignore[import-untyped]

from hd.protocol.projections.transcript import Row as TranscriptRow
from htui.present.rows import Look
from htui.theme import Theme
from htui.widgets.blocks import Blocks
from htui.widgets.lines import to_strip
from htui.widgets.viewport import bottom, fill
from tests.bench import long_log
from tests.bench.client_rows import HTUI, QUIET_S, READY, type_sentence
from tests.bench.client_rows import KEYS as KEYS_TYPED
from tests.bench.figures import Row, percentile
from tests.bench.stage import Probe, Samples, Stage
from tests.bench.terminal import SlowTerminal, TimedTerminal
from tests.bench.wire import follow
from tests.support.daemon import Daemon

KEYS: Final = {count: Row(f"key to screen, {count:,} messages, p95", "ms", 16) for count in (500, 2_000, 100_000)}
LAYOUT: Final = Row("first layout of 10,000 messages", "s", 0.3)
DELTAS: Final = Row("20,000 deltas to the screen", "s", 1.0)
PICKER: Final = Row("htui memory in the picker", "MiB", 90)
CHAT: Final = Row("htui memory in a chat of 10,000 messages", "MiB", 90)
NARROW: Final = Row("terminal bytes of an answer of 200 words, 80x24", "kB", 12)
WIDE: Final = Row("terminal bytes of an answer of 200 words, 200x60", "kB", 16)
SLOW_KEY: Final = Row("9.6 kB/s and 300 ms: key to screen while an answer comes, p95", "ms")
SLOW_END: Final = Row("9.6 kB/s and 300 ms: end of an answer behind its end", "ms")

WORDS: Final = 200
PACE_MS: Final = 20
COUNT: Final = 20_000
_ANSWER: Final = (
    "The step **{0}** changes two things:\n\n- the list of `places`\n- the order\n\n```python\nfor x in y[{0}:]:\n```\n"
)


def keys(stage: Stage, runs: int) -> Samples:
    """The 95th percentile of a sentence typed into a chat of so many messages."""
    found: dict[str, list[float]] = {}
    for count, row in KEYS.items():
        home = f"keys-{count}"
        session_id = long_log.recorded(stage, home, count)
        with stage.daemon(home) as daemon, closing(_screen(stage, daemon, session_id)) as screen:
            screen.shows(long_log.last_words(count))
            screen.settle(QUIET_S)
            found[row.name] = [percentile(type_sentence(screen), 0.95) for _ in range(1 + runs)][1:]
    return found


def layout(stage: Stage, runs: int) -> Samples:
    """From ten thousand rows to the strips of the end of them, in this process, each time anew."""
    rows = [
        TranscriptRow(str(n), "assistant" if n % 2 else "user", n, n // 2, 0, text=_ANSWER.format(n))
        for n in range(10_000)
    ]
    theme, seconds = Theme("dark"), []
    for _ in range(1 + runs):
        began = time.perf_counter()
        blocks = Blocks(Look(80), lambda line: to_strip(line, theme, 80))
        blocks.take(rows, ())
        anchor = bottom(len(blocks), blocks.height, 20)
        strips = [blocks.strips(block)[start:end] for block, start, end in fill(anchor, len(blocks), blocks.height, 20)]
        seconds.append(time.perf_counter() - began)
        assert sum(map(len, strips)) == 20
    return {LAYOUT.name: seconds[1:]}


def deltas(stage: Stage, runs: int) -> Samples:
    """From a prompt of somebody else until the last of twenty thousand deltas is on the screen."""

    async def measured(daemon: Daemon) -> list[float]:
        seconds: list[float] = []
        for _ in range(1 + runs):
            session_id = await daemon.new_session(stage.workspace("deltas"))
            async with follow(daemon, session_id) as talk:
                await talk.turn("[[fast]]")
                with closing(_screen(stage, daemon, session_id)) as screen:
                    await asyncio.to_thread(screen.shows, "ok")
                    await asyncio.to_thread(screen.settle, QUIET_S)
                    began = time.perf_counter()
                    watching = asyncio.create_task(asyncio.to_thread(screen.shows, f"w{COUNT - 1}"))
                    await talk.turn(f"[[burst {COUNT}]]")
                    seconds.append(await watching - began)
        return seconds[1:]

    with stage.daemon("deltas") as daemon:
        return {DELTAS.name: asyncio.run(measured(daemon))}


def memory(stage: Stage, runs: int) -> Samples:
    """Resident once the screen stands still; the chat has been scrolled up by twenty pages, older ones with it."""
    session_id = long_log.recorded(stage)
    sizes: dict[str, list[float]] = {PICKER.name: [], CHAT.name: []}
    with stage.daemon(long_log.HOME) as daemon:
        for _ in range(runs):
            with closing(_screen(stage, daemon, "the session of that name")) as screen:
                screen.shows(long_log.TITLE)
                screen.settle(QUIET_S)
                sizes[PICKER.name].append(_resident(screen))
            with closing(_screen(stage, daemon, session_id)) as screen:
                screen.shows("✦ Assistant")  # Other rows may have gone on in this session.
                for _ in range(20):
                    screen.send("\x1b[5~")
                    screen.settle(0.1)
                screen.settle(QUIET_S)
                sizes[CHAT.name].append(_resident(screen))
    return sizes


def answers(stage: Stage, runs: int) -> Samples:
    """All bytes from the prompt to the end of the turn."""

    async def measured(daemon: Daemon, columns: int, lines: int) -> list[float]:
        session_id = await daemon.new_session(stage.workspace("answers"))
        taken: list[float] = []
        async with follow(daemon, session_id) as talk:
            await talk.turn("[[fast]]")
            with closing(_screen(stage, daemon, session_id, columns=columns, lines=lines)) as screen:
                await asyncio.to_thread(screen.shows, "ok")
                for _ in range(runs):
                    await asyncio.to_thread(screen.settle, QUIET_S)
                    before = screen.count
                    watching = asyncio.create_task(asyncio.to_thread(screen.shows, f"w{WORDS - 1}"))
                    await talk.turn(f"[[slow {WORDS} {PACE_MS}]]")
                    await watching
                    await asyncio.to_thread(screen.settle, QUIET_S)
                    taken.append((screen.count - before) / 1000)
        return taken

    with stage.daemon("answers") as daemon:
        return {
            NARROW.name: asyncio.run(measured(daemon, 80, 24)),
            WIDE.name: asyncio.run(measured(daemon, 200, 60)),
        }


def slow_line(stage: Stage, runs: int) -> Samples:
    """Keys are typed while an answer of sixteen seconds comes over the line; both ways of it are in each figure."""
    keys_found: list[float] = []
    ends: list[float] = []

    async def measured(daemon: Daemon) -> None:
        session_id = await daemon.new_session(stage.workspace("slow"))
        async with follow(daemon, session_id) as talk:
            await talk.turn("[[fast]]")
            with closing(_screen(stage, daemon, session_id, kind=SlowTerminal)) as screen:
                await asyncio.to_thread(screen.shows, "ok")
                for _ in range(runs):
                    await asyncio.to_thread(screen.settle, 1.0)
                    turn = asyncio.create_task(talk.turn(f"[[slow 800 {PACE_MS}]]"))
                    await asyncio.to_thread(screen.shows, "w10 ")
                    keys_found.append(percentile(await asyncio.to_thread(_type, screen), 0.95))
                    await turn
                    ended = time.perf_counter()
                    ends.append(1000 * (await asyncio.to_thread(screen.shows, READY) - ended))

    with stage.daemon("slow") as daemon:
        asyncio.run(measured(daemon))
    return {SLOW_KEY.name: keys_found, SLOW_END.name: [max(0.0, end) for end in ends]}


def _type(screen: TimedTerminal) -> list[float]:
    """Milliseconds of each key of a sentence, while other lines of the screen change."""
    taken: list[float] = []
    for place in range(len(KEYS_TYPED)):
        began = time.perf_counter()
        screen.send(KEYS_TYPED[place])
        taken.append(1000 * (screen.shows(f"❯ {KEYS_TYPED[: place + 1]}") - began))
    screen.send("\x15")
    return taken


def _screen(
    stage: Stage,
    daemon: Daemon,
    *arguments: str,
    columns: int = 80,
    lines: int = 24,
    kind: type[TimedTerminal] = TimedTerminal,
) -> TimedTerminal:
    command = [*HTUI, *arguments]
    return kind(command, stage.client(daemon), stage.workspace(long_log.HOME), columns=columns, lines=lines)


def _resident(screen: TimedTerminal) -> float:
    return float(psutil.Process(screen.process.pid).memory_info().rss / 2**20)


PROBES: Final = (
    Probe(tuple(KEYS.values()), keys, runs=4, quick=1),
    Probe((LAYOUT,), layout, runs=7, quick=1),
    Probe((DELTAS,), deltas, runs=5, quick=1),
    Probe((PICKER, CHAT), memory, runs=3, quick=1),
    Probe((NARROW, WIDE), answers, runs=3, quick=1),
    Probe((SLOW_KEY, SLOW_END), slow_line, runs=2, quick=1),
)
