"""Frames and calls of every wrong kind, made by hypothesis, and clients that fall silent in the middle of a word."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

from tests.soak.host import Host
from tests.soak.part import Load, Part, Report
from tests.support import abuse
from tests.support.abuse_play import call_wrongly, send_wrongly

FRAMES: Final = 1000
CALLS: Final = 1500
SILENT: Final = 20
SILENCE_S: Final = 75.0
"""By then the daemon must have given up every connection on which half a word came."""


async def run(host: Host, load: Load, report: Report) -> None:
    session = await host.daemon.new_session(host.workspace("abuse"))
    await _examples(host, load, report, session, 100)
    await host.daemon.prompt(session, "What keeps a connection to the model open is there before and after.")
    before = await host.vitals()
    silent = await _fall_silent(host)
    began = time.monotonic()
    async with host.daemon.socket() as socket:
        bystander = await socket.open("session/control")
        await bystander.item()
        count = await _examples(host, load, report, session, None)
        report.figure("examples a second", count / (time.monotonic() - began))
        # The bystander was pinged and served all the time; whatever the others did, its socket still works.
        again = await socket.open("session/control")
        report.demand((await again.item())["type"] == "baseline", "the bystander's socket does not work any more")
    await _given_up(host, report, silent, began)
    after = await host.vitals()
    for name in ("descriptors", "tasks"):
        was, now = getattr(before, name), getattr(after, name)
        report.figure(f"{name} before and after", f"{was} and {now}")
        report.demand(now <= was, f"{name} leaked: {was} to {now} ({after.grown(before)})")
    report.figure("MiB before and after", f"{before.memory:.1f} and {after.memory:.1f}")


async def _examples(host: Host, load: Load, report: Report, session: str, most: int | None) -> int:
    frames, calls = (most or load.count(FRAMES, 50)), (most or load.count(CALLS, 50))
    played = [0]

    def note(faults: Sequence[str], what: Any) -> None:
        played[0] += 1
        for fault in faults:
            report.demand(False, f"{fault} (after {str(what)[:300]})")

    def sent(raw: bytes) -> None:
        note(send_wrongly(host.daemon, raw), raw)

    def called(call: tuple[str, dict[str, Any]]) -> None:
        endpoint, args = call
        args = abuse.aimed(args, session)
        note(call_wrongly(host.daemon, endpoint, args), (endpoint, args))

    await asyncio.to_thread(_each, abuse.frames, sent, frames, load.seed)
    await asyncio.to_thread(_each, abuse.calls(), called, calls, load.seed)
    if most is None:
        report.figure("wrong frames sent", frames)
        report.figure("wrong calls made", calls)
    return played[0]


def _each(strategy: Any, play: Callable[[Any], None], count: int, number: int) -> None:
    """Plays `count` examples; faults are noted by `play` and do not end it."""
    quiet = settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    seeded(number)(quiet(given(strategy)(play)))()


async def _fall_silent(host: Host) -> list[tuple[asyncio.StreamWriter, str]]:
    """Opens connections that never finish what they began, with what each of them is."""
    body = b'{"type":"client-request"'
    post = f"POST /api/session/list HTTP/1.1\r\nHost: 127.0.0.1:{host.daemon.port}\r\nCookie: {host.daemon.cookie}\r\n"
    post += f"Content-Type: application/json\r\nContent-Length: {10 * len(body)}\r\n\r\n"
    upgrade = f"GET /api/remote.mux HTTP/1.1\r\nHost: 127.0.0.1:{host.daemon.port}\r\nCookie: {host.daemon.cookie}\r\n"
    upgrade += "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    upgrade += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    half = abuse.opening("half")[:-10]
    kinds = {
        "said nothing": b"",
        "sent half a request line": b"GET /hea",
        "sent half a head": post.encode()[:60],
        "sent half a body": post.encode() + body,
        "opened a socket and said nothing": upgrade.encode(),
        "sent half a frame": upgrade.encode() + half,
        "sent the first of many fragments": upgrade.encode() + abuse.frame(b"{", 0x01),
    }
    silent: list[tuple[asyncio.StreamWriter, str]] = []
    for kind, sent in kinds.items():
        for _ in range(SILENT):
            _, writer = await asyncio.open_connection("127.0.0.1", host.daemon.port)
            writer.write(sent)
            silent.append((writer, kind))
    return silent


async def _given_up(
    host: Host, report: Report, silent: Sequence[tuple[asyncio.StreamWriter, str]], began: float
) -> None:
    """Waits until the daemon has ended them; says which kinds it never gave up."""
    ports = {writer.get_extra_info("sockname")[1]: kind for writer, kind in silent}
    left = ports.keys() & host.peers()
    while left and time.monotonic() - began < SILENCE_S:
        await asyncio.sleep(0.5)
        left = ports.keys() & host.peers()
    report.figure("seconds until all silent clients were given up", time.monotonic() - began)
    for kind in sorted({ports[port] for port in left}):
        report.demand(False, f"a client that {kind} still holds its connection after {SILENCE_S:.0f} s")
    for writer, _ in silent:
        writer.transport.abort()


PART: Final = Part("abuse", "frames and calls of every wrong kind", 240.0, run)
