"""What a part of the soak runs against: a model process, a daemon, and what is seen of that from outside."""

import asyncio
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec
import psutil  # type: ignore[import-untyped]

from tests.soak.probed import CENSUS
from tests.support.daemon import ROOT, Daemon

MIB: Final = 2**20
SETTLED_S: Final = 1.0
PATIENCE_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Vitals:
    """What the daemon's process holds at rest: `memory` in resident MiB, `objects` as its collector knows them."""

    descriptors: int
    tasks: int
    objects: int
    memory: float
    names: Mapping[str, int]
    open: Mapping[str, int]
    kinds: Mapping[str, int]

    def grown(self, before: "Vitals") -> str:
        """The kinds of objects and tasks that there are more of than before, the most first."""
        more = {name: count - before.kinds.get(name, 0) for name, count in self.kinds.items()}
        more |= {f"open {name}": count - before.open.get(name, 0) for name, count in self.open.items()}
        more |= {f"task {name}": count - before.names.get(name, 0) for name, count in self.names.items()}
        ranked = sorted((item for item in more.items() if item[1] > 0), key=lambda item: -item[1])
        return ", ".join(f"{name} +{count}" for name, count in ranked[:12])


@dataclass
class Host:
    """One home with its daemon, which a part may kill and start again."""

    folder: Path
    model_url: str
    daemon: Daemon = field(init=False)

    def __post_init__(self) -> None:
        self._census = self.folder / "census.json"
        environment = {
            "DEEPSEEK_BASE_URL": self.model_url,
            "DEEPSEEK_API_KEY": "of-the-soak-test",
            "PYTHONDONTWRITEBYTECODE": "",
            CENSUS: str(self._census),
        }
        self.daemon = Daemon(self.folder / "home", environment=environment, program="tests.soak.probed")

    def workspace(self, name: str) -> Path:
        made = self.folder / "workspaces" / name
        made.mkdir(parents=True, exist_ok=True)
        return made

    @property
    def process(self) -> psutil.Process:
        return psutil.Process(self.daemon.pid)

    def peers(self) -> set[int]:
        """The ports of the clients whose connections the daemon holds."""
        return {one.raddr.port for one in self.process.net_connections("tcp") if one.raddr}

    def memory(self) -> float:
        """Resident MiB now."""
        return float(self.process.memory_info().rss / MIB)

    async def vitals(self) -> Vitals:
        """The census once it has stayed the same for a while; the last one if it never does."""
        deadline, since, last = time.monotonic() + PATIENCE_S, time.monotonic(), await self._counted()
        while time.monotonic() - since < SETTLED_S and time.monotonic() < deadline:
            await asyncio.sleep(0.2)
            now = await self._counted()
            if (now.descriptors, now.tasks) != (last.descriptors, last.tasks):
                since = time.monotonic()
            last = now
        return last

    async def _counted(self) -> Vitals:
        self._census.unlink(missing_ok=True)
        self.process.send_signal(signal.SIGUSR1)
        async with asyncio.timeout(PATIENCE_S):
            while not self._census.exists():
                await asyncio.sleep(0.01)
        found = msgspec.json.decode(self._census.read_bytes())
        counts = (found["descriptors"], found["tasks"], found["objects"])
        return Vitals(*counts, self.memory(), found["names"], found["open"], found["kinds"])

    @asynccontextmanager
    async def peak(self) -> AsyncIterator[list[float]]:
        """The highest resident MiB while the block lasts, as the only item of the list that it gives."""
        highest = [self.memory()]

        async def look() -> None:
            while True:
                await asyncio.sleep(0.03)
                highest[0] = max(highest[0], self.memory())

        looking = asyncio.create_task(look())
        try:
            yield highest
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)

    def complaints(self) -> list[str]:
        """Lines of the daemon's log that tell of a defect, at most ten."""
        lines: list[str] = []
        for path in sorted((self.daemon.home / "logs").glob("hd.log*")):
            lines += path.read_text(errors="replace").splitlines()
        wrong = (" ERROR ", " CRITICAL ", "Traceback", "never retrieved", "was destroyed")
        return [line[:300] for line in lines if any(sign in line for sign in wrong)][:10]

    def violations(self) -> list[str]:
        """What the strict model had to refuse."""
        with urllib.request.urlopen(f"{self.model_url}/_mock/violations", timeout=PATIENCE_S) as answer:
            return [str(line)[:400] for line in msgspec.json.decode(answer.read())][:10]

    async def forget_prefixes(self) -> None:
        """Tells the model that a compaction was logged, by which a conversation may begin anew."""
        request = urllib.request.Request(f"{self.model_url}/_mock/reset-prefix", method="POST")
        await asyncio.to_thread(lambda: urllib.request.urlopen(request, timeout=PATIENCE_S).close())


@contextmanager
def host(folder: Path) -> Iterator[Host]:
    """A host whose daemon runs; it is stopped in the end, if a part left it alive."""
    with subprocess.Popen([sys.executable, "-m", "tests.bench.model"], cwd=ROOT, stdout=subprocess.PIPE) as model:
        assert model.stdout is not None
        try:
            made = Host(folder, model.stdout.readline().decode().strip())
            made.daemon.start()
            try:
                yield made
            finally:
                if made.daemon.process is not None:
                    made.daemon.kill()
        finally:
            model.terminate()


def percentile(samples: list[float], share: float) -> float:
    """The sample below which `share` of them lie."""
    ranked = sorted(samples)
    return ranked[min(len(ranked) - 1, int(len(ranked) * share))]


async def call_timed(host_: Host, endpoint: str, **args: Any) -> tuple[float, Any]:
    """(milliseconds, value) of a call on a connection of its own."""
    began = time.perf_counter()
    value = await host_.daemon.acall(endpoint, **args)
    return 1000 * (time.perf_counter() - began), value
