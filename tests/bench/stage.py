"""What is measured stands on this: a folder, a mock model in a process of its own, and daemons with a key for it."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench.figures import Row
from tests.support.daemon import ROOT, Daemon

Samples = Mapping[str, Sequence[float]]
"""Samples by the name of their row."""

AS_INSTALLED: Final = {"PYTHONDONTWRITEBYTECODE": ""}
"""An installed program has its bytecode; without this, where Python is told not to keep it, every start compiles."""


class NotMeasured(Exception):
    """A probe cannot run here and now; the text says why."""


@dataclass(frozen=True, slots=True)
class Stage:
    """`folder` is shared by all probes and goes away with everything in it; the model is one probe's own."""

    folder: Path
    model_url: str

    def daemon(self, home: str) -> Daemon:
        """A daemon that is not started yet; the same `home` is the same home."""
        key = {"DEEPSEEK_BASE_URL": self.model_url, "DEEPSEEK_API_KEY": "of-the-bench"}
        return Daemon(self.folder / home, environment={**AS_INSTALLED, **key})

    def client(self, daemon: Daemon) -> dict[str, str]:
        """The environment of a client that finds this daemon and keeps what it keeps in this folder."""
        kept = {f"HTUI_{name}_DIR": str(self.folder / "htui" / name.lower()) for name in ("AUTH", "CONFIG", "STATE")}
        return {**daemon.environment, **kept, "HTUI_URL": f"http://127.0.0.1:{daemon.port}", "HTUI_TOKEN": ""}

    def workspace(self, name: str) -> Path:
        made = self.folder / "workspaces" / name
        made.mkdir(parents=True, exist_ok=True)
        return made


@dataclass(frozen=True, slots=True)
class Probe:
    """One thing to measure: the rows it gives, and how often it runs ordinarily and when there is little time.

    `measure` warms up by itself and gives samples for each of its rows.
    """

    rows: tuple[Row, ...]
    measure: Callable[[Stage, int], Samples]
    runs: int
    quick: int


@contextmanager
def stage(folder: Path) -> Iterator[Stage]:
    """A stage in a folder, with a model that knows nothing yet: what it checks of a request grows with what it said."""
    command = [sys.executable, "-m", "tests.bench.model"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as model:
        assert model.stdout is not None
        try:
            yield Stage(folder, model.stdout.readline().decode().strip())
        finally:
            model.terminate()
