"""One shell as a child process on the event loop, without a thread and without tying its end to its output.

The standard library's subprocess support for asyncio starts a thread per process (Python 3.11) and, when it owns the
pipe, takes the process for running as long as anybody holds the other end. Here the exit comes from a pidfd, the
output from a pipe of our own, and the two end independently.
"""

import asyncio
import fcntl
import os
import signal
import struct
import subprocess
import termios
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hd.process.sandbox.base import Cage

_PIECE: Final = 32 * 1024
_DRAIN: Final = 1024 * 1024
_POLL_S: Final = 0.02
_REAP_S: Final = 0.25
_ATTACH: Final = ("/bin/sh", "-c", 'exec <"$0" >"$0" 2>&1 && exec "$@"')
"""The first process of a session gets the terminal that it opens for its own; then it becomes what was asked for."""


@dataclass(frozen=True, slots=True)
class Screen:
    """The size of a terminal, in characters."""

    columns: int = 120
    rows: int = 40


class Child:
    """A started process: own session and group, output and errors merged in the order they were written.

    Without a screen it has no input; with one it has a terminal of its own, which takes what is written as typed.
    `on_output` gets the bytes, `cage` holds it (`hd.process.sandbox`). OSError or ValueError when it cannot be started.
    Whoever starts one closes it.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        on_output: Callable[[bytes], None],
        screen: Screen | None = None,
        cage: Cage | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_output = on_output
        self._ended = asyncio.Event()
        self._exited = asyncio.Event()
        self._takes_input = screen is not None
        self._output, write_end = os.pipe() if screen is None else _terminal(screen)

        def spawn(argv: Sequence[str]) -> "subprocess.Popen[bytes]":
            return subprocess.Popen(
                argv if screen is None else (*_ATTACH, os.ttyname(write_end), *argv),
                cwd=cwd,
                env=environment if cage is None else {**environment, **cage.environment},
                stdin=subprocess.DEVNULL if screen is None else write_end,
                stdout=write_end,
                stderr=write_end,
                start_new_session=True,
            )

        try:
            os.set_blocking(self._output, False)
            self._process = spawn(argv) if cage is None else cage.start(argv, spawn)
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

    async def exited(self, within_s: float | None) -> bool:
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

    def write(self, typed: bytes) -> int:
        """Types into the terminal; the bytes that it took, 0 where it has no room or is gone. ValueError without."""
        if not self._takes_input:
            raise ValueError("this process has no terminal")
        try:
            return os.write(self._output, typed)
        except OSError:
            return 0

    def resize(self, screen: Screen) -> None:
        """Gives the terminal another size, of which its programs are told. ValueError without one."""
        if not self._takes_input:
            raise ValueError("this process has no terminal")
        _set_size(self._output, screen)

    def drain(self) -> None:
        """Takes what is in the pipe now, and no endless amount of it where somebody goes on writing."""
        taken = 0
        while not self._ended.is_set() and taken < _DRAIN:
            size = self._readable()
            if not size:
                return
            taken += size

    def exit_code(self) -> int | None:
        """The exit code of a process that has exited, which is not reaped by that (128 + n after signal n)."""
        code = self._process.returncode
        if code is not None:
            return 128 - code if code < 0 else code
        found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else 128 + found.si_status

    def close(self) -> int | None:
        """Lets go of everything and reaps; the exit code (128 + n after signal n), None for a process that still is."""
        self._stop_reading()
        self._takes_input = False
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
        except OSError:
            piece = b""  # how a terminal says that nobody holds its other end
        if piece:
            self._on_output(piece)
        else:
            self._stop_reading()
        return len(piece)

    def _stop_reading(self) -> None:
        self._loop.remove_reader(self._output)
        self._ended.set()


def _terminal(screen: Screen) -> tuple[int, int]:
    """Both ends of a new terminal: ours and the process's."""
    ours, theirs = os.openpty()
    _set_size(theirs, screen)
    return ours, theirs


def _set_size(terminal: int, screen: Screen) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", screen.rows, screen.columns, 0, 0))


def _pidfd(pid: int) -> int | None:
    """None where the system has none to give; the exit is then asked for at intervals."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None
