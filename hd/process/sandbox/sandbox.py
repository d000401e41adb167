"""The daemon's sandbox: which mechanism works here, what the person wants of it, and a cage for each command."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from hd.errors import HdError
from hd.process.sandbox.base import Argv, Mechanism, Spawn
from hd.process.sandbox.explain import explain
from hd.process.sandbox.ground import look
from hd.process.sandbox.plan import Mode, Plan, plan
from hd.process.sandbox.probe import Found

Use = Literal["auto", "off", "required"]
DEFAULT_USE: Final[Use] = "off"


class SandboxMissing(HdError):
    """What the settings demand of the sandbox is not to be had on this machine; nothing was run."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person set: whether commands are held, and in which modes they have no network."""

    use: Use = DEFAULT_USE
    offline: frozenset[Mode] = frozenset()

    @classmethod
    def of(cls, section: Mapping[str, Any]) -> "Wish":
        return cls(section.get("use", DEFAULT_USE), frozenset(section.get("offline", ())))


@dataclass(frozen=True, slots=True)
class Held:
    """A cage for one command. Whoever got it closes it; that blocks."""

    mechanism: Mechanism
    plan: Plan
    folder: Path
    home: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def start(self, argv: Argv, spawn: Spawn) -> "subprocess.Popen[bytes]":
        return self.mechanism.start(self.plan, argv, spawn)

    def explain(self, output: str) -> str | None:
        """What of the output is the sandbox's doing."""
        return explain(output, self.plan, self.folder, self.home, _may_write)

    def close(self) -> None:
        private = self.environment.get("TMPDIR")
        if private is not None:
            shutil.rmtree(private, ignore_errors=True)


class Sandbox:
    """`own` is the daemon's home, `home` the person's. A new wish counts from the next command on."""

    def __init__(self, found: Found, *, own: Path, home: Path, wish: Wish | None = None) -> None:
        self.found: Final = found
        self.wish = wish or Wish()
        self._own = own
        self._home = home

    def set(self, section: Mapping[str, Any]) -> None:
        """Takes up what a person set."""
        self.wish = Wish.of(section)

    def cage(self, mode: Mode, folder: Path) -> Held | None:
        """The cage for a command in the workspace `folder`, None where none is wanted or, by `auto`, none is to be had.

        `SandboxMissing` where the settings demand what cannot be had. It blocks.
        """
        if mode == "danger-full-access" or self.wish.use == "off":
            return None
        mechanism = self._mechanism(mode)
        if mechanism is None:
            return None
        planned = plan(mode, look(folder, self._home, self._own), network=mode not in self.wish.offline)
        if planned is None:
            return None
        if not planned.private:
            return Held(mechanism, planned, folder, self._home)
        private = Path(os.path.realpath(tempfile.mkdtemp(prefix="hd-command-")))
        planned = replace(planned, writable=(*planned.writable, private))
        return Held(mechanism, planned, folder, self._home, {"TMPDIR": str(private)})

    def _mechanism(self, mode: Mode) -> Mechanism | None:
        mechanism = self.found.mechanism
        if mechanism is None and self.wish.use == "required":
            raise SandboxMissing(
                f"The settings require a sandbox for commands, and it {self.found.sentence()}. Nothing was run. "
                "Set `sandbox.use` to `auto` to run commands without one."
            )
        if mode in self.wish.offline and (mechanism is None or not mechanism.cuts_network):
            raise SandboxMissing(
                f"The settings cut the network for {mode}, which this machine cannot do. Nothing was run. "
                "Take the preset out of `sandbox.offline` to run commands with the network."
            )
        return mechanism

    def sentence(self) -> str:
        """How it stands, for people."""
        if self.wish.use == "off":
            return f"off; {self.found.sentence()}"
        if self.found.mechanism is None and self.wish.use == "auto":
            return f"commands are not held: it {self.found.sentence()}"
        return f"{'on' if self.found.mechanism else 'required'}; {self.found.sentence()}"

    def told(self) -> dict[str, Any]:
        """The same for clients."""
        mechanism = self.found.mechanism
        return {
            "use": self.wish.use,
            "mechanism": mechanism.name if mechanism is not None else None,
            "active": mechanism is not None and self.wish.use != "off",
            "offline": sorted(self.wish.offline),
            "gaps": list(mechanism.gaps) if mechanism is not None else [],
            "text": self.sentence(),
        }

    def for_model(self, mode: Mode) -> str | None:
        """What the model should know before it runs a command; None where nothing holds it."""
        if self.found.mechanism is None or self.wish.use == "off" or mode == "danger-full-access":
            return None
        where = (
            "nowhere but in $TMPDIR, and in the workspace where a person allowed the command"
            if mode == "read-only"
            else "in the workspace, temporary folders and package caches alone"
        )
        network = "; without network" if mode in self.wish.offline else ""
        return f"commands can write {where}, and cannot read credentials{network}. Do not try to get around it."


def _may_write(path: Path) -> bool:
    """Whether this user may write there, or where it would be made."""
    there = next((place for place in (path, *path.parents) if os.path.lexists(place)), Path("/"))
    return os.access(there, os.W_OK)
