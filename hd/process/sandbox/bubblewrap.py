"""Bubblewrap (`bwrap`), which starts a command in namespaces of its own.

What is hidden is covered, so unlike with Landlock not even a name is seen, and it works within a writable folder too.
Process numbers stay the machine's, because survivors are looked for and named by them (`hd.process.survivors`).
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from hd.process.sandbox.base import Argv, Spawn
from hd.process.sandbox.plan import Plan


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """The mechanism, by the program at `program`."""

    program: str

    @property
    def name(self) -> str:
        return "bubblewrap"

    @property
    def cuts_network(self) -> bool:
        return True

    @property
    def gaps(self) -> tuple[str, ...]:
        return ("other processes of yours can be ended", "Unix sockets by path can be reached")

    @property
    def hides_within(self) -> bool:
        return True

    def start(self, plan: Plan, argv: Argv, spawn: Spawn) -> "subprocess.Popen[bytes]":
        return spawn([*wrapping(self.program, plan, frozenset(filter(Path.is_dir, plan.hidden))), *argv])


def wrapping(program: str, plan: Plan, folders: frozenset[Path]) -> list[str]:
    """The words before the command. `folders` are those of the hidden places that are folders.

    A user namespace always: without one, a command of root would reach everything by `/proc/PID/root` of a process
    outside. The inner of two places comes later, so that it counts.
    """
    words = [program, "--unshare-user", "--ro-bind", "/", "/", "--dev", "/dev"]
    steps: list[tuple[Path, list[str]]] = [(path, ["--bind", str(path), str(path)]) for path in plan.writable]
    for path in plan.hidden:
        cover = ["--tmpfs", str(path)] if path in folders else ["--ro-bind", "/dev/null", str(path)]
        steps.append((path, cover))
    for _, step in sorted(steps, key=lambda step: len(step[0].parts)):
        words += step
    for path in plan.hidden:
        if path in folders and not any(path in place.parents for place in plan.writable):
            words += ["--remount-ro", str(path)]
    if not plan.network:
        words.append("--unshare-net")
    return [*words, "--"]
