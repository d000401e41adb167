"""A daemon that is forked with its modules loaded, for tests that do not look at how one starts.

Four fifths of the processor time of a daemon's start go into its imports, and most tests of `tests/house` want a daemon
of their own. The fork server of `multiprocessing` imports them once in a run; its children run the same command line.

Unlike after a start of `python -m hd`, `/proc` shows the command line and the first environment of the fork server, and
the variables that the interpreter itself reads (`PYTHONPATH`, ...) change nothing. Tests of these things, of what is
imported when, and of the command line take `Daemon`, and so do those that share one daemon.
"""

import multiprocessing
import os
import runpy
import subprocess
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import BinaryIO, Final, TextIO

from tests.support.daemon import ROOT, Daemon, Process

LOADED: Final = "hd.daemon"
"""The module whose imports are the start's."""


class PreloadedDaemon(Daemon):
    def spawn(self, arguments: list[str]) -> Process:
        return Forked(self.program, arguments, self.environment)


class Forked:
    """What a test needs of `subprocess.Popen`, for a process of the fork server."""

    def __init__(self, program: str, arguments: list[str], environment: Mapping[str, str]) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([LOADED])
        out, out_of_child = context.Pipe(duplex=False)
        err, err_of_child = context.Pipe(duplex=False)
        # `daemon` is the word of multiprocessing: the process is ended with this one.
        self._process: ForkServerProcess = context.Process(
            target=become, args=(program, arguments, dict(environment), out_of_child, err_of_child), daemon=True
        )
        self._process.start()
        out_of_child.close()
        err_of_child.close()
        self.stdout: BinaryIO | None = file_of(out)
        self.stderr: BinaryIO | None = file_of(err)

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sig)

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired("hd", timeout or 0.0)
        return code


def file_of(pipe: Connection) -> BinaryIO:
    """The reading end as a file, which the pipe is then closed for."""
    with pipe:
        return os.fdopen(os.dup(pipe.fileno()), "rb")


def become(
    program: str, arguments: list[str], environment: Mapping[str, str], out: Connection, err: Connection
) -> None:
    """Runs `python -m program arguments` in this process."""
    assert LOADED in sys.modules, "the fork server did not load the daemon"
    for pipe, number in ((out, 1), (err, 2)):
        with pipe:
            os.dup2(pipe.fileno(), number)
    # Those of the fork server remember what kind of file it had there.
    sys.stdout, sys.stderr = written_to(1), written_to(2)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    sys.argv[1:] = arguments
    runpy.run_module(program, run_name="__main__", alter_sys=True)


def written_to(number: int) -> TextIO:
    return open(number, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
