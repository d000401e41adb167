"""What a mechanism of the sandbox is, and what a started command needs of it."""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from hd.process.sandbox.plan import Plan

Argv = Sequence[str]
Spawn = Callable[[Argv], "subprocess.Popen[bytes]"]


class Cage(Protocol):
    """Where one command runs."""

    @property
    def environment(self) -> Mapping[str, str]:
        """What the command's environment gets on top."""
        ...

    def start(self, argv: Argv, spawn: Spawn) -> "subprocess.Popen[bytes]":
        """Has `spawn` start `argv` so that the new process, and all that it starts, is held by the cage.

        `spawn` may be called in another thread, and with another argv that ends in the given one. OSError when the cage
        cannot be made; then nothing was started.
        """
        ...


class Mechanism(Protocol):
    """One way to hold commands. `gaps` says, a clause each, what it cannot keep from a command; `hides_within` that it
    can close what lies in a folder where a command may write."""

    @property
    def name(self) -> str: ...

    @property
    def cuts_network(self) -> bool: ...

    @property
    def gaps(self) -> tuple[str, ...]: ...

    @property
    def hides_within(self) -> bool: ...

    def start(self, plan: Plan, argv: Argv, spawn: Spawn) -> "subprocess.Popen[bytes]":
        """As `Cage.start`, for a plan."""
        ...
