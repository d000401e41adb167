"""`hd` as a process of its own, and what every failing command has to keep to."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from tests.support.daemon import LIMIT, ROOT
from tests.support.preloaded import Forked


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    def sentence(self) -> str:
        """What a failing command said: one line on stderr, in words, and nothing on stdout."""
        assert self.code != 0
        assert self.out == ""
        assert re.fullmatch(r"hd: [^\n]+\.\n", self.err), self.err
        assert "Traceback" not in self.err
        assert "Error(" not in self.err
        return self.err.removeprefix("hd: ").strip()

    def lines(self) -> list[dict[str, Any]]:
        """The JSON lines on stdout; nothing else may be there."""
        assert self.out.endswith("\n")
        return [msgspec.json.decode(line) for line in self.out.splitlines()]


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("DEEPSEEK_", "HD_", "HTUI_"))}
    return {**clean, "HD_HOME": str(home), **(more or {})}


def start(*arguments: str, home: Path, more: Mapping[str, str] | None = None, **how: Any) -> subprocess.Popen[str]:
    how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": ROOT, **how}
    command = [sys.executable, "-m", "hd", *arguments]
    return subprocess.Popen(command, env=environment(home, more), text=True, encoding="utf-8", **how)


def finish(process: "subprocess.Popen[str]", typed: str | None = None) -> Ran:
    """The end of a process, with all of its output that was not read yet.

    `communicate` reads past the buffers of the files, in which a test that read lines before has left some.
    """
    if process.stdin is not None and not process.stdin.closed:
        with suppress(BrokenPipeError), process.stdin:
            process.stdin.write(typed or "")
    return _ended(process, process.stdout, process.stderr)


def _ended(process: "subprocess.Popen[str] | Forked", *files: IO[str] | None) -> Ran:
    guard = threading.Timer(LIMIT * 2, process.kill)
    guard.start()
    with ThreadPoolExecutor(2) as pool:
        out, err = pool.map(_rest, files)
    code = process.wait()
    if not guard.is_alive():
        raise AssertionError(f"hd did not end: {out!r} {err!r}")
    guard.cancel()
    return Ran(code, out, err)


def _rest(file: IO[str] | None) -> str:
    if file is None or file.closed:
        return ""
    with file:
        return file.read()


def hd(*arguments: str, home: Path, more: Mapping[str, str] | None = None, typed: str | None = None, **how: Any) -> Ran:
    """Runs a command to its end. `typed` is what comes on its standard input, by default nothing."""
    if typed is not None:
        how["stdin"] = subprocess.PIPE
    return finish(start(*arguments, home=home, more=more, **how), typed)


def loaded(*arguments: str, home: Path, more: Mapping[str, str] | None = None) -> Ran:
    """`hd` for a command that loads as much as a daemon, in a process that has loaded it already.

    Standard input is empty, and `PYTHON…` variables change nothing.
    """
    process = Forked("hd", list(arguments), environment(home, more))
    assert process.stdout is not None
    assert process.stderr is not None
    return _ended(process, *(TextIOWrapper(file, encoding="utf-8") for file in (process.stdout, process.stderr)))


def interrupt(process: "subprocess.Popen[str]") -> Ran:
    process.send_signal(signal.SIGINT)
    return finish(process)
