"""Which mechanism works on this machine, found by a real command in it; it blocks."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hd.process.sandbox.base import Argv, Mechanism
from hd.process.sandbox.bubblewrap import Bubblewrap
from hd.process.sandbox.landlock import Landlock, version
from hd.process.sandbox.plan import Ground, plan

_PROBE_S: Final = 5.0
_PROBE: Final = """
echo in > "$1/inside/file" && cat "$1/inside/file" || exit 11
(echo out > "$1/outside") 2>/dev/null && exit 12
(cat "$2") 2>/dev/null && exit 13
exit 0
"""
_PROBED: Final = {
    11: "a command in it could not write where it may",
    12: "a command in it could write where it may not",
    13: "a command in it could read what is hidden",
}


@dataclass(frozen=True, slots=True)
class Found:
    """What a probe found: the mechanism that works, and why others do not, a clause each."""

    mechanism: Mechanism | None
    troubles: tuple[str, ...] = ()

    def sentence(self) -> str:
        if self.mechanism is None:
            return f"does not work on this machine: {'; '.join(self.troubles)}"
        return f"{self.mechanism.name} works here (not kept from a command: {'; '.join(self.mechanism.gaps)})"


def probe(mechanisms: Sequence[Mechanism] | None = None) -> Found:
    """The first mechanism that holds a real command, bubblewrap before Landlock; it starts processes and blocks."""
    troubles: list[str] = []
    for mechanism in _candidates(troubles) if mechanisms is None else mechanisms:
        trouble = _trouble(mechanism)
        if trouble is None:
            return Found(mechanism, tuple(troubles))
        troubles.append(f"{mechanism.name}: {trouble}")
    return Found(None, tuple(troubles))


def _candidates(troubles: list[str]) -> list[Mechanism]:
    found: list[Mechanism] = []
    program = shutil.which("bwrap")
    if program is None:
        troubles.append("bubblewrap: it is not installed")
    else:
        found.append(Bubblewrap(program))
    landlock = Landlock(version())
    if landlock.trouble is None:
        found.append(landlock)
    else:
        troubles.append(f"landlock: {landlock.trouble}")
    return found


def _trouble(mechanism: Mechanism) -> str | None:
    """Why a mechanism does not hold a command, by a real run."""
    with tempfile.TemporaryDirectory(prefix="hd-probe-") as name:
        root = Path(os.path.realpath(name))
        inside, own = root / "inside", root / "own"
        inside.mkdir()
        own.mkdir()
        handle, secret = tempfile.mkstemp(dir=own)
        os.close(handle)
        planned = plan("workspace-write", Ground(inside, own))
        assert planned is not None
        argv = ("/bin/sh", "-c", _PROBE, "probe", str(root), secret)
        try:
            process = mechanism.start(planned, argv, _spawn)
        except OSError as error:
            return error.strerror or str(error)
        with process:
            try:
                said = process.communicate(timeout=_PROBE_S)[0].decode(errors="replace").strip()
            except subprocess.TimeoutExpired:
                process.kill()
                return f"a command in it did not end within {_PROBE_S:g} s"
        code = process.returncode
        if code == 0:
            return None
        return _PROBED.get(code) or f"it ended with {code}{f' ({said.splitlines()[-1]})' if said else ''}"


def _spawn(argv: Argv) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
