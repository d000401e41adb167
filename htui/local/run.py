"""One command of a person on this machine, with its output; and the one place that has them."""

import asyncio
import os
import signal
from codecs import getincrementaldecoder
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from htui.present.jobs import Output

_GRACE_S: Final = 2.0
"""Seconds between the polite signal and the other one."""
_REST_S: Final = 0.5
"""Seconds that output is waited for after the end, which something left behind may hold open."""
_PIECE: Final = 1 << 16


class LocalRun:
    """A command line of the shell in a group of its own. It has no terminal and no input.

    What it left in its group ends with it. `told` hears of every change; times are seconds of the loop's clock.
    """

    def __init__(self, command: str, folder: Path, told: Callable[[int], None]) -> None:
        self.command = command
        self.folder = folder
        self.output = Output()
        self.code: int | None = None
        self.failed = ""
        """Why it could not be started."""
        self.stopping = False
        self._told = told
        self._clock = asyncio.get_running_loop().time
        self.began = self._clock()
        self.ended: float | None = None
        self._process: asyncio.subprocess.Process | None = None

    @property
    def running(self) -> bool:
        return self.ended is None

    @property
    def seconds(self) -> int:
        return int((self._clock() if self.ended is None else self.ended) - self.began)

    async def run(self, environ: Mapping[str, str]) -> None:
        """Runs it to its end; being cancelled ends it."""
        shell = environ.get("SHELL") or "/bin/sh"
        quiet = {name: value for name, value in environ.items() if not name.startswith(("HTUI_TOKEN", "DSH_TOKEN"))}
        here, there = os.pipe()
        output = asyncio.StreamReader()
        try:
            # A pipe of our own: with one of asyncio's the end of a process is told only when nobody holds that.
            pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(output), os.fdopen(here, "rb", 0)
            )
            self._process = process = await asyncio.create_subprocess_exec(
                shell if os.access(shell, os.X_OK) else "/bin/sh",
                "-c",
                self.command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=there,
                stderr=there,
                cwd=self.folder,
                env={**quiet, "TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat"},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            pipe.close()
            self.failed = f"It could not be started: {error}."
            self._over()
            return
        finally:
            os.close(there)
        reader = asyncio.create_task(self._read(output))
        try:
            self.code = await process.wait()
            await asyncio.wait({reader}, timeout=_REST_S)
        finally:
            self._signal(signal.SIGKILL)
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)
            pipe.close()
            with suppress(asyncio.CancelledError):
                self.code = await process.wait()
            self._over()

    async def stop(self) -> None:
        """Ends it with all that it started."""
        if not self.running or self.stopping:
            return
        self.stopping = True
        self._told(0)
        self._signal(signal.SIGTERM)
        process = self._process
        if process is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_GRACE_S):
                    await process.wait()
            self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)

    async def _read(self, output: asyncio.StreamReader) -> None:
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        while piece := await output.read(_PIECE):
            self._told(self.output.add(decode(piece)))
        self._told(self.output.add(decode(b"", True)))

    def _over(self) -> None:
        self.ended = self._clock()
        self._told(0)


class LocalRuns:
    """One at a time; the last one stays to be looked at. `allowed` is False where that was switched off."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.allowed = environ.get("HTUI_NO_SHELL", "").strip() in ("", "0")
        self.last: LocalRun | None = None
        self.watcher: Callable[[int], None] | None = None
        """Who shows it now; hears how many lines of its output went at the beginning."""
        self._environ = environ
        self._task: asyncio.Task[None] | None = None

    def start(self, command: str, folder: Path) -> LocalRun:
        """Starts one; nothing may run."""
        assert self.last is None or not self.last.running
        self.last = LocalRun(command, folder, self._tell)
        self._task = asyncio.create_task(self.last.run(self._environ), name="local command")
        return self.last

    async def close(self) -> None:
        """Ends what runs."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _tell(self, dropped: int) -> None:
        if self.watcher is not None:
            self.watcher(dropped)
