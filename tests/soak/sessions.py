"""Two hundred sessions, of which twenty work at once, while another client lists and follows."""

import asyncio
import base64
import time
from pathlib import Path
from typing import Any, Final

import msgspec

from tests.soak.host import Host, call_timed, percentile
from tests.soak.part import Load, Part, Report
from tests.soak.readers import follow
from tests.support.daemon import Stream, is_event

SESSIONS: Final = 200
WORKING: Final = 20
ROUNDS: Final = 4
DROPPED_S: Final = 40.0
"""Two looks of the daemon at what it may drop from memory, and some time for them."""

KEPT: Final = 64
"""So many sessions that nobody holds wait in memory for somebody to come back (`hd.session.residents`)."""

LOG_KB: Final = 30
"""Size of the one answer that each session holds, in kB."""

ENDED: Final = is_event("turn/end")


def work(folder: Path) -> str:
    """A turn of six requests: files written and read, commands run."""
    calls: list[tuple[str, dict[str, Any]]] = []
    for number in range(2):
        calls.append(("write_file", {"path": f"{folder.name}-{number}.txt", "content": f"line {number}\n" * 200}))
        calls.append(("run_command", {"command": f"echo ran >> {folder.name}.count; seq 1 200"}))
    calls.append(("grep", {"pattern": "line"}))
    return f"{folder.name} [[seq {base64.b64encode(msgspec.json.encode(calls)).decode()}]]"


async def run(host: Host, load: Load, report: Report) -> None:
    daemon = host.daemon
    count, working = load.count(SESSIONS, 10), load.count(WORKING, 2)
    empty = await host.vitals()
    sessions = [await daemon.new_session(host.workspace(f"{number}")) for number in range(count)]
    created = await host.vitals()
    async with daemon.socket() as socket:
        for session in sessions:
            stream = await socket.follow(session)
            await daemon.prompt(session, f"{session} [[burst {LOG_KB * 200}]]")
            await stream.until(ENDED)
            await socket.cancel(stream)
    talked = await host.vitals()
    report.figure("sessions", count)
    report.figure("MiB with no session", empty.memory)
    report.figure("kB for each live session without a turn", 1024 * (created.memory - empty.memory) / count)
    report.figure(
        f"kB for each live session with an answer of {LOG_KB} kB", 1024 * (talked.memory - empty.memory) / count
    )
    async with host.peak() as peak:
        await _together(host, report, sessions[:working], sessions[-1])
    report.figure("MiB at most while they worked", peak[0])
    await _left_alone(host, report, count)


async def _together(host: Host, report: Report, sessions: list[str], watched: str) -> None:
    """All of them at once; lists, follows and turns of others are timed meanwhile."""
    done = asyncio.Event()
    lists: list[float] = []
    follows: list[float] = []

    async def look() -> None:
        while not done.is_set():
            lists.append((await call_timed(host, "session/list", _request={}))[0])
            began = time.perf_counter()
            await follow(host.daemon, watched, lambda _: True)
            follows.append(1000 * (time.perf_counter() - began))

    looking = asyncio.create_task(look())
    began = time.monotonic()
    async with host.daemon.socket() as socket:
        streams = [await socket.follow(session) for session in sessions]
        await asyncio.gather(
            *(_turns(host, s, stream, n) for n, (s, stream) in enumerate(zip(sessions, streams, strict=True)))
        )
    seconds = time.monotonic() - began
    done.set()
    await looking
    for number, session in enumerate(sessions):
        await _right(host, report, session, number)
    report.figure("sessions at work", len(sessions))
    report.figure("turns of six requests a second", len(sessions) * ROUNDS / seconds)
    for name, samples in (("session/list", lists), ("connect and follow", follows)):
        report.figure(
            f"{name} meanwhile, p50 and p95 ms", f"{percentile(samples, 0.5):.0f} and {percentile(samples, 0.95):.0f}"
        )


async def _turns(host: Host, session: str, stream: Stream, number: int) -> None:
    for _ in range(ROUNDS):
        await host.daemon.prompt(session, work(host.workspace(str(number))))
        await stream.until(ENDED)


async def _right(host: Host, report: Report, session: str, number: int) -> None:
    """Every turn completed, every call answered without an error, every command run as often as it was called."""
    log = await host.daemon.log(session)
    reasons = [event["data"]["reason"]["kind"] for event in log if event["type"] == "turn/end"]
    report.demand(reasons == ["completed"] * (ROUNDS + 1), f"the turns of session {number} ended as {reasons}")
    results = [event["data"] for event in log if event["type"] == "tool/result"]
    wrong = [result for result in results if result["message"]["isError"]]
    report.demand(
        len(results) == 5 * ROUNDS and not wrong, f"session {number}: {len(results)} results, wrong {wrong[:1]}"
    )
    ran = (host.workspace(str(number)) / f"{number}.count").read_text().count("ran")
    report.demand(ran == 2 * ROUNDS, f"session {number} ran its command {ran} times instead of {2 * ROUNDS}")


async def _left_alone(host: Host, report: Report, count: int) -> None:
    """What stays in memory once nobody follows: the daemon keeps the last few and drops the others."""
    began = time.monotonic()
    busy = await host.vitals()
    live = busy.kinds["LiveSession"]
    while live > KEPT and time.monotonic() - began < DROPPED_S:
        live = (await host.vitals()).kinds["LiveSession"]
    rest = await host.vitals()
    report.figure("live sessions once they were left alone", live)
    report.figure("MiB when all were live, and then", f"{busy.memory:.0f} and {rest.memory:.0f}")
    report.demand(live <= KEPT, f"{live} sessions nobody needs are in memory after {DROPPED_S:.0f} s")


PART: Final = Part("sessions", f"{SESSIONS} sessions, {WORKING} of them at work with tools at once", 180.0, run)
