"""kill -9 at moments that a seed chooses, in the middle of turns of every kind, with a client attached.

One client stays for all of it, as htui's do: it loses its daemon, finds the next one and goes on. A prompt whose answer
did not come is sent again under the same request id. `aftermath` says what must be true after each restart.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Final

from htui.errors import HtuiError
from htui.link.address import resolve
from htui.link.client import Client
from htui.link.link import Link
from htui.link.login import Auth
from htui.mirror import SessionMirror
from tests.soak import aftermath
from tests.soak.host import Host, percentile
from tests.soak.part import Load, Part, Report
from tests.soak.scenes import INSIDE, OUTSIDE, Prompt, Scene, Script

KILLS: Final = 200
WAIT_S: Final = 30.0
LATEST_S: Final = 0.7
"""A daemon lives at most so long once a scene has begun."""

NEW_SESSION: Final = 0.25
"""How likely the next life of the daemon plays in a new session; the others go on with a log that was cut before."""


@dataclass
class Kept:
    """What the client knows of a session: prompts that the daemon said it has, and those it never answered for.

    `parent` is the session that it was forked from, which had nothing to do at that time.
    """

    session_id: str
    folder: str
    parent: str | None = None
    accepted: list[str] = field(default_factory=list)
    unanswered: dict[str, Prompt] = field(default_factory=dict)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not condition():
            await asyncio.sleep(0.004)


class Run:
    """The client and what it plays."""

    def __init__(self, host: Host, load: Load, report: Report) -> None:
        self._host, self._report = host, report
        self._chance = Random(load.seed)
        self._script = Script(Random(load.seed + 1))
        self._asks = Random(load.seed + 2)
        self._kept: Kept | None = None
        self._killed: Counter[str] = Counter()
        self._broken_prefix = False
        self._playing = ""
        self._back: list[float] = []
        self._link = Link(resolve(None, {"HD_HOME": str(host.daemon.home)}), Auth(), lambda _: None, chance=lambda: 0.0)

    async def play(self, kills: int) -> None:
        running = asyncio.create_task(self._link.run())
        try:
            await until(lambda: self._link.status.phase == "online")
            for number in range(kills):
                await self._life(number)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        self._report.figure("kills", kills)
        self._report.figure("killed during", ", ".join(f"{kind} {n}" for kind, n in sorted(self._killed.items())))
        self._report.figure("commands given out", self._script.marks)
        self._report.figure(
            "seconds from the start of a daemon to the client's snapshot, p95", percentile(self._back, 0.95)
        )

    async def _life(self, number: int) -> None:
        """One daemon from the first prompt to its kill, the next one's start, and the look at what is there."""
        kept = await self._session(number)
        load = asyncio.create_task(self._load(kept))
        answering = asyncio.create_task(self._answer())
        await until(lambda: self._playing)
        await asyncio.sleep(self._chance.uniform(0.0, LATEST_S))
        self._killed[self._playing] += 1
        await asyncio.to_thread(self._host.daemon.kill)
        for task in (load, answering):
            task.cancel()
        for result in await asyncio.gather(load, answering, return_exceptions=True):
            if isinstance(result, Exception):
                raise result
        kept = self._kept or kept  # it may have been forked meanwhile
        mirror = self._link.follow(kept.session_id)
        loads = mirror.loads
        await asyncio.to_thread(self._host.daemon.start)
        began = asyncio.get_running_loop().time()
        self._link.retry()
        await until(lambda: mirror.loads > loads and self._link.status.phase == "online")
        self._back.append(asyncio.get_running_loop().time() - began)
        if self._broken_prefix:
            await self._host.forget_prefixes()
        for fault in await self._look(kept, mirror):
            self._report.demand(False, f"kill {number} during {self._playing}: {fault}")

    async def _session(self, number: int) -> Kept:
        kept = self._kept
        if kept is None or self._chance.random() < NEW_SESSION:
            if kept is not None:
                self._link.unfollow(kept.session_id)
            folder = self._host.workspace(f"{number}/work")
            made = await self._link.call("workspace/create", request={"path": str(folder)})
            created = await self._link.call("session/create", request={"workspaceId": made["workspace"]["workspaceId"]})
            kept = self._kept = Kept(str(created["sessionId"]), str(folder))
        mirror = self._link.follow(kept.session_id)
        await until(lambda: mirror.loaded)
        return kept

    async def _load(self, kept: Kept) -> None:
        """Scene after scene, until the daemon is gone."""
        self._broken_prefix, self._playing = False, ""
        with suppress(HtuiError):
            for request_id, prompt in list(kept.unanswered.items()):
                self._playing = "sending again"
                await self._send(kept, prompt, request_id)
            while True:
                mirror = self._link.follow(kept.session_id)
                # What waited when the last daemon died is parked, and runs before the next prompt.
                await until(lambda mirror=mirror: mirror.loaded and not mirror.running)
                scene = self._script.scene(quiet=bool(mirror.queue))
                self._playing = scene.kind
                kept = await self._fork(kept) if scene.fork else kept
                await self._play(kept, scene)

    async def _fork(self, kept: Kept) -> Kept:
        """Goes on in a fork. Where the daemon dies before it says which, the session itself goes on."""
        self._broken_prefix = True
        made = await self._link.call("session/fork", request={"sessionId": kept.session_id})
        await self._host.forget_prefixes()
        self._link.unfollow(kept.session_id)
        self._kept = Kept(str(made["sessionId"]), kept.folder, kept.session_id)
        self._link.follow(self._kept.session_id)
        return self._kept

    async def _play(self, kept: Kept, scene: Scene) -> None:
        if scene.command:
            self._broken_prefix = True
            line = {"agentId": kept.session_id, "line": scene.command, "submittedAttachments": []}
            await self._link.call("commands/execute", **line)
            await self._host.forget_prefixes()
        for prompt in scene.prompts:
            await self._send(
                kept, prompt, f"request-{len(kept.accepted) + len(kept.unanswered)}-{kept.session_id[-6:]}"
            )
        if scene.prompts:
            last = kept.accepted[-1]
            mirror = self._link.follow(kept.session_id)
            await until(lambda: any(row.request_id == last for row in mirror.rows))

    async def _send(self, kept: Kept, prompt: Prompt, request_id: str) -> None:
        kept.unanswered[request_id] = prompt
        request = {
            "sessionId": kept.session_id,
            "requestId": request_id,
            "mode": "steer" if prompt.steer else "queue",
            "content": [{"type": "text", "text": prompt.text}],
        }
        await self._link.call("session/prompt", request=request)
        del kept.unanswered[request_id]
        kept.accepted.append(request_id)

    async def _answer(self) -> None:
        """Answers approvals and questions after a while: mostly yes, sometimes no, and some never."""
        with suppress(HtuiError):
            seen: set[str] = set()
            while True:
                await until_ever(lambda: any(ask.event_id not in seen for ask in self._link.host.asks))
                ask = next(ask for ask in self._link.host.asks if ask.event_id not in seen)
                seen.add(ask.event_id)
                await asyncio.sleep(self._asks.uniform(0.0, 0.1))
                wish = self._asks.random()
                if wish < 0.2:
                    continue
                if ask.kind == "approval":
                    value: object = "allowed-once" if wish < 0.85 else "rejected"
                else:
                    value = {"answers": [{"id": "q", "selected": ["A"]}]}
                await self._link.answer(ask.event_id, {"kind": "result", "value": value})

    async def _look(self, kept: Kept, mirror: SessionMirror) -> list[str]:
        daemon = self._host.daemon
        faults = await asyncio.to_thread(aftermath.integrity, daemon.home / "store" / "hd.db")
        log = await daemon.log(kept.session_id)
        values = (await daemon.acall("session/projections", request={"sessionId": kept.session_id}))["values"]
        found = aftermath.prompts_in(log, values["inbox"])
        faults += aftermath.lost_or_doubled(found, kept.accepted, kept.unanswered)
        faults += aftermath.open_ends(log)
        if kept.parent is not None:
            faults += aftermath.open_ends(await daemon.log(kept.parent))
        marks = [line for name in (INSIDE, OUTSIDE) for line in self._lines(kept, name)]
        faults += aftermath.ran_wrongly(marks, log)
        while mirror.has_more:
            await self._link.older(kept.session_id)
        difference = aftermath.unlike(mirror, await self._fresh(kept.session_id))
        return faults + ([f"the client that stayed shows something else: {difference}"] if difference else [])

    def _lines(self, kept: Kept, name: str) -> list[str]:
        place = self._host.folder / kept.folder / name
        return place.read_text().split() if place.exists() else []

    async def _fresh(self, session_id: str) -> SessionMirror:
        """What a client sees that comes now, with all older pages."""
        mirror = SessionMirror(session_id)
        address = {"kind": "session", "sessionId": session_id}
        where = resolve(None, {"HD_HOME": str(self._host.daemon.home)})
        async with await Client.connect(where, Auth()) as client:
            async with client.stream("session/follow", request={"address": address, "assistantStream": True}) as items:
                mirror.apply(await anext(items))
            while mirror.has_more:
                request = {"address": address, "throughSeq": mirror.cursor, "beforeSeq": mirror.first_seq}
                mirror.prepend(await client.call("session/page", request=request))
        return mirror


async def until_ever(condition: Callable[[], object]) -> None:
    """For what may never come; whoever waits is cancelled."""
    while not condition():
        await asyncio.sleep(0.004)


async def run(host: Host, load: Load, report: Report) -> None:
    await Run(host, load, report).play(load.count(KILLS))


PART: Final = Part("kills", f"the daemon killed {KILLS} times in the middle of turns", 420.0, run)
