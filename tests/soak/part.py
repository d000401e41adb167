"""A part of the soak: what it does, how long it may take, what it measured, and what it found wrong."""

import asyncio
import time
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from tests.soak.host import Host


@dataclass(slots=True)
class Report:
    """`figures` are by name, with their unit in it; `faults` are sentences. A part with a fault has failed."""

    figures: dict[str, Any] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def figure(self, name: str, value: float | str) -> None:
        self.figures[name] = round(value, 3) if isinstance(value, float) else value

    def demand(self, holds: bool, otherwise: str) -> bool:
        """Notes a fault unless something holds; the part goes on, so that one fault does not hide the next."""
        if not holds:
            self.faults.append(otherwise)
        return holds


@dataclass(frozen=True, slots=True)
class Load:
    """How much of it: `size` scales the counts of a part, `seed` chooses what is left to chance."""

    size: float
    seed: int

    def count(self, whole: int, least: int = 1) -> int:
        return max(least, round(whole * self.size))


@dataclass(frozen=True, slots=True)
class Part:
    """`bound_s` is for the whole size; a part that has not ended by then has failed."""

    name: str
    about: str
    bound_s: float
    run: Callable[[Host, Load, Report], Awaitable[None]]

    def played(self, host: Host, load: Load) -> Report:
        """Runs it to its end or bound. Whatever happens is in the report."""
        report, began = Report(), time.monotonic()
        try:
            asyncio.run(self._bounded(host, load, report))
        except TimeoutError:
            traceback.print_exc()
            report.faults.append(f"a wait ran out, or the part did not end within {self._bound(load):.0f} s")
        except Exception as error:
            traceback.print_exc()
            report.faults.append(f"{type(error).__name__}: {error}")
        for line in host.complaints():
            report.faults.append(f"the daemon's log says: {line}")
        for line in host.violations():
            report.faults.append(f"the model had to refuse: {line}")
        report.figure("seconds", time.monotonic() - began)
        return report

    def _bound(self, load: Load) -> float:
        return self.bound_s * max(1.0, load.size)

    async def _bounded(self, host: Host, load: Load, report: Report) -> None:
        async with asyncio.timeout(self._bound(load)):
            await self.run(host, load, report)
