"""One shell as a child process on the event loop, without a thread and without tying its end to its output.

The standard library's subprocess support for asyncio starts a thread per process (Python 3.11) and, when it owns the
pipe, takes the process for running as long as anybody holds the other end. Here the exit comes from a pidfd, the
output from a pipe of our own, and the two end independently.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

_PIECE: Final = 32 * 1024
_DRAIN: Final = 1024 * 1024
_POLL_S: Final = 0.02
_REAP_S: Final = 0.25


class Child:
    """A started process: own session and group, no input, output and errors merged in the order they were written.

    `on_output` gets the bytes. OSError or ValueError when it cannot be started. Whoever starts one closes it.
    """

    def __init__(
        self, argv: Sequence[str], *, cwd: Path, environment: Mapping[str, str], on_output: Callable[[bytes], None]
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_output = on_output
        self._ended = asyncio.Event()
        self._exited = asyncio.Event()
        self._output, write_end = os.pipe()
        try:
            os.set_blocking(self._output, False)
            self._process = subprocess.Popen(
                argv,
                cwd=cwd,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=write_end,
                stderr=write_end,
                start_new_session=True,
            )
        except BaseException:
            os.close(self._output)
            raise
        finally:
            os.close(write_end)
        self.pid: Final = self._process.pid
        self._pidfd = _pidfd(self.pid)
        self._loop.add_reader(self._output, self._readable)
        self._poll: asyncio.TimerHandle | None = None
        if self._pidfd is not None:
            self._loop.add_reader(self._pidfd, self._exit_seen)
        else:
            self._ask_for_exit()

    async def exited(self, within_s: float) -> bool:
        """Waits for the process to exit. It is not reaped, so its pid stays its own until `close`."""
        try:
            async with asyncio.timeout(within_s):
                await self._exited.wait()
        except TimeoutError:
            return False
        return True

    async def output_ended(self, within_s: float) -> bool:
        """Waits until nobody holds the other end of the pipe any more."""
        try:
            async with asyncio.timeout(within_s):
                await self._ended.wait()
        except TimeoutError:
            return False
        return True

    def drain(self) -> None:
        """Takes what is in the pipe now, and no endless amount of it where somebody goes on writing."""
        taken = 0
        while not self._ended.is_set() and taken < _DRAIN:
            size = self._readable()
            if not size:
                return
            taken += size

    def close(self) -> int | None:
        """Lets go of everything and reaps; the exit code (128 + n after signal n), None for a process that still is."""
        self._stop_reading()
        os.close(self._output)
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
        if self._poll is not None:
            self._poll.cancel()
        try:
            code = self._process.wait(_REAP_S)  # at once, unless it was killed a moment ago
        except subprocess.TimeoutExpired:
            return None
        return 128 - code if code < 0 else code

    def kill(self) -> None:
        """The last resort, at once: the whole group, as long as its number is certainly its own."""
        if self._process.returncode is not None:
            return
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass

    def _exit_seen(self) -> None:
        assert self._pidfd is not None
        self._loop.remove_reader(self._pidfd)
        self._exited.set()

    def _ask_for_exit(self) -> None:
        if self._process.poll() is None:
            self._poll = self._loop.call_later(_POLL_S, self._ask_for_exit)
        else:
            self._exited.set()

    def _readable(self) -> int:
        try:
            piece = os.read(self._output, _PIECE)
        except BlockingIOError:
            return 0
        if piece:
            self._on_output(piece)
        else:
            self._stop_reading()
        return len(piece)

    def _stop_reading(self) -> None:
        self._loop.remove_reader(self._output)
        self._ended.set()


def _pidfd(pid: int) -> int | None:
    """None where the system has none to give; the exit is then asked for at intervals."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None
