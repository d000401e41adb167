"""Fifty followers of one session during a long answer, of which one reads slowly and others do not read at all."""

import asyncio
import time
from typing import Final

import msgspec
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from hd.protocol import codes
from tests.soak.host import Host
from tests.soak.part import Load, Part, Report
from tests.soak.readers import Reader, connected, follow, opening, read_again, until_lagging

FOLLOWERS: Final = 50
DELTAS: Final = 20_000
SLOW_S: Final = 0.05
HEAVY: Final = 24
HEAVY_BYTES: Final = 1_000_000
"""Prompts of this size make more events than may wait for one follower (16 MiB)."""

SILENT_S: Final = 40.0
"""The daemon gives up a client that is silent for twenty seconds; this is when the soak gives up the daemon."""


async def run(host: Host, load: Load, report: Report) -> None:
    session = await host.daemon.new_session(host.workspace("followers"))
    await _stream(host, load, report, session)
    await _lag(host, report, session)


async def _stream(host: Host, load: Load, report: Report, session: str) -> None:
    """The long answer: all see the same, and who does not read holds nobody up and is given up."""
    count, deltas = load.count(FOLLOWERS, 4), load.count(DELTAS, 1000)
    ready = asyncio.Semaphore(0)

    def ended(reader: Reader) -> bool:
        return reader.ends == 1

    before = host.memory()
    async with connected(host.daemon, tiny=True) as mute, host.peak() as peak:
        await mute.send(opening(session))
        mute.transport.pause_reading()
        fast = [asyncio.create_task(follow(host.daemon, session, ended, began=ready.release)) for _ in range(count - 2)]
        slow = asyncio.create_task(follow(host.daemon, session, ended, pause_s=SLOW_S, began=ready.release))
        for _ in range(count - 1):
            await ready.acquire()
        began = time.monotonic()
        await host.daemon.prompt(session, f"[[burst {deltas} 20 2]]")
        readers = list(await asyncio.gather(*fast))
        seconds = time.monotonic() - began
        late = await slow
        report.figure("slow follower behind the others, s", time.monotonic() - began - seconds)
        report.figure("daemon memory peak, MiB", peak[0])
        await _given_up(host, mute, report, began)
    fresh = await follow(host.daemon, session, lambda _: True)
    shown = {reader.transcript() for reader in (*readers, late)}
    report.demand(len(shown) == 1, f"{len(shown)} different transcripts were shown to {count} followers")
    report.demand(shown == {fresh.transcript()}, "who comes later sees another transcript")
    answer = next(row.text for row in readers[0].follower.rows if row.kind == "assistant")
    report.demand(answer.count("w") == deltas, f"{answer.count('w')} of {deltas} words arrived")
    report.figure("followers", count)
    report.figure("deltas", deltas)
    report.figure("seconds for all but the slow one", seconds)
    report.figure("daemon memory before, MiB", before)
    report.figure("frames per follower", f"{min(r.items for r in readers)} to {max(r.items for r in readers)}")
    report.figure("frames of the slow follower", late.items)
    report.figure(
        "kB per follower", f"{min(r.bytes for r in readers) // 1000} to {max(r.bytes for r in readers) // 1000}"
    )


async def _given_up(host: Host, mute: ClientConnection, report: Report, began: float) -> None:
    """Waits without reading until the daemon has closed its end of the connection of a client that says nothing."""
    port = mute.local_address[1]
    while time.monotonic() - began < SILENT_S and port in host.peers():
        await asyncio.sleep(0.2)
    report.demand(port not in host.peers(), f"a client that reads nothing was not given up within {SILENT_S:.0f} s")
    report.figure("seconds until the silent client was given up", time.monotonic() - began)
    mute.transport.abort()


async def _lag(host: Host, report: Report, session: str) -> None:
    """A client that lives and reads nothing while more than the bound is written; it is cut off and follows again."""

    def ended(reader: Reader) -> bool:
        return reader.ends == 1

    async with connected(host.daemon, tiny=True) as lazy, host.peak() as peak:
        await lazy.send(opening(session))
        await lazy.recv()
        lazy.transport.pause_reading()
        healthy = [asyncio.create_task(follow(host.daemon, session, ended)) for _ in range(3)]
        alive = asyncio.create_task(_say_something(lazy))
        await host.daemon.prompt(session, "[[stall]]")
        for _ in range(HEAVY):
            await _queue_and_remove(host, session, "x" * HEAVY_BYTES)
        await host.daemon.acall("session/cancel", request={"sessionId": session})
        seen = await asyncio.gather(*healthy)
        alive.cancel()
        await asyncio.gather(alive, return_exceptions=True)
        read_again(lazy)
        items, error = await until_lagging(lazy)
        report.demand(error["code"] == codes.FOLLOWER_LAGGING, f"the lagging client was told {error}")
        report.figure("items that still reached the lagging client", items)
        report.figure("daemon memory peak with a lagging client, MiB", peak[0])
        await lazy.send(opening(session, "again"))
        again = Reader()
        again.take(await lazy.recv())
    shown = {reader.transcript() for reader in (again, await follow(host.daemon, session, lambda _: True))}
    report.demand(len(shown) == 1, "the new snapshot of the lagging client differs from that of a fresh one")
    report.demand(again.follower.cursor >= seen[0].follower.cursor, "the new snapshot is older than what others saw")


async def _queue_and_remove(host: Host, session: str, text: str) -> None:
    """A prompt that waits and is taken back: an event of its size, and none of it ever reaches the model."""
    await host.daemon.prompt(session, text)
    values = (await host.daemon.acall("session/projections", request={"sessionId": session}))["values"]
    (waiting,) = values["inbox"]["next-turn"]
    request = {"sessionId": session, "itemId": waiting["id"], "action": {"kind": "remove"}}
    await host.daemon.acall("session/updateQueue", request=request)


async def _say_something(connection: ClientConnection) -> None:
    """Cancels of streams that do not live: frames that keep a client alive."""
    frame = msgspec.json.encode({"type": "cancel", "streamId": "none"}).decode()
    try:
        while True:
            await connection.send(frame)
            await asyncio.sleep(1.0)
    except ConnectionClosed:
        return


PART: Final = Part("followers", f"{FOLLOWERS} followers of one session during {DELTAS} deltas", 150.0, run)
