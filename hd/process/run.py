"""Runs a shell command to its end, and sees to it that the end is one.

A run is over when its shell has exited, whoever still holds its output. What it left running is found, ended and
named in the result, before the result is given: nothing that the model started outlives the call that started it.
"""

import asyncio
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from hd.process.child import Child
from hd.process.environment import HOME_MARK, RUN_MARK, child_environment
from hd.process.output import Cleaner, Kept
from hd.process.spill import Spill
from hd.process.survivors import Survivor, end, of_run
from hd.protocol.ids import new_id

DEFAULT_TIMEOUT_S: Final = 120.0
_TIMEOUT_GRACE_S: Final = 2.0
_CANCEL_GRACE_S: Final = 0.3
_LINGER_S: Final = 0.1
"""How long the output may go on after the shell's exit: the last words of a `> >(tee log)` come then."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a run went.

    `exit_code` is the shell's (128 + n when signal n ended it), None when the time limit did. `output` is cleaned
    text; `length` are the characters of all of it, of which `truncated` says that the middle is missing in `output`.
    `spill` is a file with a long output, `spill_whole` whether the file holds all of it. `survivors` are processes
    that ran on in the background and were ended.
    """

    exit_code: int | None
    output: str
    truncated: bool
    timed_out: bool
    survivors: tuple[Survivor, ...]
    duration_ms: int
    length: int
    spill: Path | None = None
    spill_whole: bool = False


class Runner:
    """Starts commands for one daemon.

    `mark` names the daemon's home in every child (`hd.process.survivors.end_marked`), `spills` is the folder for long
    outputs, `parent` the environment that children get the harmless part of.
    """

    def __init__(self, *, mark: str, spills: Path, parent: Mapping[str, str] | None = None) -> None:
        self.shell: Final = "/bin/bash" if os.access("/bin/bash", os.X_OK) else "/bin/sh"
        self._spills = spills
        self._environment = child_environment(os.environ if parent is None else parent) | {HOME_MARK: mark}

    async def run(self, command: str, *, cwd: Path, run_id: str, timeout_s: float = DEFAULT_TIMEOUT_S) -> Ran:
        """Runs `command` in `cwd`; OSError or ValueError when it cannot be started.

        After `timeout_s` everything of the run is asked to end and after two seconds more made to. A cancellation
        does the same within a second and goes on its way.
        """
        mark = f"{run_id}.{new_id()}"  # a caller's id may come from a model and come again
        cleaner, kept, spill = Cleaner(), Kept(), Spill(self._spills, mark)

        def keep(text: str) -> None:
            kept.add(text)
            spill.add(text)

        started = time.monotonic()
        child = Child(
            (self.shell, "-c", command),
            cwd=cwd,
            environment=self._environment | {RUN_MARK: mark},
            on_output=lambda piece: keep(cleaner.feed(piece)),
        )
        survivors: tuple[Survivor, ...] = ()
        everything = partial(of_run, mark, child.pid, with_leader=True)
        code: int | None = None
        try:
            timed_out = not await child.exited(timeout_s)
            if timed_out:
                await end(everything, _TIMEOUT_GRACE_S)
            await child.output_ended(_LINGER_S)
            child.drain()
            if not timed_out:
                survivors = await end(partial(of_run, mark, child.pid))
        except asyncio.CancelledError:
            await end(everything, _CANCEL_GRACE_S)
            raise
        finally:
            child.kill()
            code = child.close()
            keep(cleaner.finish())
            spill.close()
        return Ran(
            exit_code=None if timed_out else code,
            output=kept.text(),
            truncated=kept.left_out > 0,
            timed_out=timed_out,
            survivors=survivors,
            duration_ms=round((time.monotonic() - started) * 1000),
            length=kept.length,
            spill=spill.path,
            spill_whole=spill.path is not None and not spill.capped,
        )
