"""Runs a shell command to its end, and sees to it that the end is one.

A run is over when its shell has exited, whoever still holds its output. What it left running is found and named in the
result: it is ended before the result is given, or handed to somebody who answers for its end (`hd.process.remains`).
"""

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Literal

from hd.process.child import Child, Screen
from hd.process.environment import HOME_MARK, RUN_MARK, child_environment, with_screen
from hd.process.output import Cleaner, Kept
from hd.process.remains import Remains
from hd.process.sandbox.base import Cage
from hd.process.spill import Spills
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
    `spill` is the file with the output, `spill_whole` whether the file holds all of it. `survivors` are processes that
    ran on in the background; they still do where `left` says so, and were ended where not. `stopped` says that somebody
    asked for its end. `number` is what the model calls the run by, where it has a session. `sandbox` is the mechanism
    that held it and the mode, as clients are told, `blocked` what the output says that it was kept from.
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
    stopped: bool = False
    left: bool = False
    number: int | None = None
    sandbox: Mapping[str, str] | None = None
    blocked: str | None = None


@dataclass(frozen=True, slots=True)
class Hand:
    """A running command's terminal: what can be typed into it, its size, and the line on which it waits."""

    child: Child
    cleaner: Cleaner

    def type(self, text: str) -> bool:
        """Whether all of it was taken."""
        typed = text.encode()
        return self.child.write(typed) == len(typed)

    def resize(self, screen: Screen) -> None:
        """Tells the command that its terminal has another size."""
        self.child.resize(screen)

    @property
    def line(self) -> str:
        return self.cleaner.unfinished


class Runner:
    """Starts commands for one daemon.

    `mark` names the daemon's home in every child (`hd.process.survivors.end_marked`), `spills` is the folder for the
    outputs, `parent` the environment that children get the harmless part of.
    """

    def __init__(self, *, mark: str, spills: Path, parent: Mapping[str, str] | None = None) -> None:
        self.shell: Final = "/bin/bash" if os.access("/bin/bash", os.X_OK) else "/bin/sh"
        self.spills: Final = Spills(spills)
        self._environment = child_environment(os.environ if parent is None else parent) | {HOME_MARK: mark}

    def search_path(self, cwd: Path, on_screen: bool) -> str:
        """Where a command that runs in `cwd` finds programs; it looks at the disk."""
        environment = with_screen(self._environment, cwd) if on_screen else self._environment
        return environment["PATH"]

    async def run(
        self,
        command: str,
        *,
        cwd: Path,
        run_id: str,
        timeout_s: float | None = DEFAULT_TIMEOUT_S,
        on_output: Callable[[str], None] | None = None,
        stop: asyncio.Event | None = None,
        screen: Screen | None = None,
        on_start: Callable[[Hand], None] | None = None,
        on_bytes: Callable[[bytes], None] | None = None,
        cage: Cage | None = None,
        leave: Callable[[Remains], None] | None = None,
    ) -> Ran:
        """Runs `command` in `cwd`, held by `cage`; OSError or ValueError when it cannot be started.

        After `timeout_s`, or once `stop` is set, everything of the run is asked to end and after two seconds more made
        to. A cancellation does the same within a second and goes on its way. `on_output` gets the text as it comes.
        The output is kept under `run_id`. With a `screen` it runs in a terminal; `on_start` gets the hand on it, and
        `on_bytes` what it writes as it is.
        `leave` takes what the command leaves running; without it that is ended.
        """
        mark = f"{run_id}.{new_id()}"  # a caller's id may come from a model and come again
        cleaner, kept = Cleaner(), Kept()

        def keep(text: str) -> None:
            kept.add(text)
            spill.add(text)
            if on_output is not None:
                on_output(text)

        def take(piece: bytes) -> None:
            if on_bytes is not None:
                on_bytes(piece)
            keep(cleaner.feed(piece))

        environment = self._environment if screen is None else with_screen(self._environment, cwd)
        started = time.monotonic()
        child = Child(
            (self.shell, "-c", command),
            cwd=cwd,
            environment=environment | {RUN_MARK: mark},
            on_output=take,
            screen=screen,
            cage=cage,
        )
        spill = self.spills.begin(run_id)  # only for a command that did start, and before any output can come

        def let_go() -> int | None:
            child.kill()
            code = child.close()
            keep(cleaner.finish())
            self.spills.end(spill)
            return code

        survivors: tuple[Survivor, ...] = ()
        remains: Remains | None = None
        others = partial(of_run, mark, child.pid)
        everything = partial(of_run, mark, child.pid, with_leader=True)
        code: int | None = None
        try:
            if on_start is not None:
                on_start(Hand(child, cleaner))
            how = await _exit(child, timeout_s, stop)
            if how != "exited":
                await end(everything, _TIMEOUT_GRACE_S)
            await child.output_ended(_LINGER_S)
            child.drain()
            if how == "exited" and leave is None:
                survivors = await end(others)
            elif how == "exited" and (found := others()):
                left = Remains(found, others, let_go)
                survivors, remains = await left.listed(), left
        except asyncio.CancelledError:
            await end(everything, _CANCEL_GRACE_S)
            raise
        finally:
            code = let_go() if remains is None else child.exit_code()
        if remains is not None and leave is not None:
            leave(remains)
        return Ran(
            exit_code=code if how == "exited" else None,
            output=kept.text(),
            truncated=kept.left_out > 0,
            timed_out=how == "timed-out",
            stopped=how == "stopped",
            survivors=survivors,
            left=remains is not None,
            duration_ms=round((time.monotonic() - started) * 1000),
            length=kept.length,
            spill=spill.path,
            spill_whole=spill.path is not None and not spill.capped,
        )


async def _exit(
    child: Child, timeout_s: float | None, stop: asyncio.Event | None
) -> Literal["exited", "timed-out", "stopped"]:
    """Waits for what comes first: the shell's own exit, the time limit, or somebody's wish for its end."""
    if stop is None:
        return "exited" if await child.exited(timeout_s) else "timed-out"
    exiting = asyncio.create_task(child.exited(timeout_s))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({exiting, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if exiting.done():
            return "exited" if exiting.result() else "timed-out"
        return "stopped"
    finally:
        for task in (exiting, stopping):
            task.cancel()
        await asyncio.wait({exiting, stopping})
