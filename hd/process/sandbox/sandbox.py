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
from hd.files.rules import OwnRules
from hd.process.sandbox.base import Argv, Mechanism, Spawn
from hd.process.sandbox.explain import explain
from hd.process.sandbox.ground import look
from hd.process.sandbox.plan import Mode, Plan, plan
from hd.process.sandbox.probe import Found
from hd.protocol.projections.sandbox import Hold

Use = Literal["auto", "off", "required"]
DEFAULT_USE: Final[Use] = "off"


_AS_SET: Final = Hold()
_HELD_MODES: Final[frozenset[Mode]] = frozenset({"read-only", "workspace-write"})


class SandboxMissing(HdError):
    """What is demanded of the sandbox is not to be had on this machine; nothing was run."""


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
        return explain(output, self.plan, self.folder, self.home, _may_write, within=self.mechanism.hides_within)

    def close(self) -> None:
        private = self.environment.get("TMPDIR")
        if private is not None:
            shutil.rmtree(private, ignore_errors=True)


class Sandbox:
    """`own` is the daemon's home, `home` the person's; what `rules` close in a workspace is kept from its commands.
    A new wish counts from the next command on."""

    def __init__(
        self, found: Found, *, own: Path, home: Path, wish: Wish | None = None, rules: OwnRules | None = None
    ) -> None:
        self.found: Final = found
        self.wish = wish or Wish()
        self.rules: Final = rules or OwnRules()
        self._own = own
        self._home = home

    def set(self, section: Mapping[str, Any]) -> None:
        """Takes up what a person set."""
        self.wish = Wish.of(section)

    def wish_of(self, hold: Hold) -> Wish:
        """The wish for a session in which a person chose `hold`. What the settings require holds all the same."""
        use = self.wish.use
        if hold.mode == "off":
            use = "required" if use == "required" else "off"
        elif hold.mode is not None:
            use = "required"
        offline = self.wish.offline
        if hold.network is not None:
            offline = frozenset() if hold.network else _HELD_MODES
        return Wish(use, offline)

    def cage(self, mode: Mode, folder: Path, hold: Hold = _AS_SET) -> Held | None:
        """The cage for a command in the workspace `folder`, None where none is wanted or, by `auto`, none is to be had.

        `SandboxMissing` where the settings, or the person in this session, demand what cannot be had. It blocks.
        """
        wish = self.wish_of(hold)
        if mode == "danger-full-access" or wish.use == "off":
            return None
        mechanism = self._mechanism(mode, wish)
        if mechanism is None:
            return None
        ground = look(folder, self._home, self._own, self.rules)
        planned = plan(mode, ground, network=mode not in wish.offline)
        if planned is None:
            return None
        if not planned.private:
            return Held(mechanism, planned, folder, self._home)
        private = Path(os.path.realpath(tempfile.mkdtemp(prefix="hd-command-")))
        planned = replace(planned, writable=(*planned.writable, private))
        return Held(mechanism, planned, folder, self._home, {"TMPDIR": str(private)})

    def _mechanism(self, mode: Mode, wish: Wish) -> Mechanism | None:
        mechanism = self.found.mechanism
        if mechanism is None and wish.use == "required":
            raise SandboxMissing(
                f"Commands have to be held by a sandbox, and it {self.found.sentence()}. Nothing was run. "
                "Set `sandbox.use` to `auto`, or `/sandbox default` in a session, to run commands without one."
            )
        if mode in wish.offline and (mechanism is None or not mechanism.cuts_network):
            raise SandboxMissing(
                f"The network of commands is to be cut in {mode}, which this machine cannot do. Nothing was run. "
                "Take the preset out of `sandbox.offline`, or `/sandbox network on`, to run commands with the network."
            )
        return mechanism

    def holds(self, mode: Mode, hold: Hold = _AS_SET) -> bool:
        """Whether a command of this mode would be in a cage."""
        return self.found.mechanism is not None and self.wish_of(hold).use != "off" and mode != "danger-full-access"

    def trouble_with(self, hold: Hold) -> str | None:
        """Why a session's commands cannot be held so; None where they can."""
        mechanism = self.found.mechanism
        if hold.mode == "off" and self.wish.use == "required":
            return "The settings require a sandbox for commands (`sandbox.use`)."
        if hold.mode in _HELD_MODES and mechanism is None:
            return f"Commands cannot be held: a sandbox {self.found.sentence()}."
        if hold.network is False and (mechanism is None or not mechanism.cuts_network):
            return "This machine cannot cut the network of a command."
        return None

    def told_of(self, mode: Mode, hold: Hold) -> str:
        """How a command of one session is held that nobody was asked about, for its person."""
        mechanism = self.found.mechanism
        if mechanism is None or not self.holds(mode, hold):
            return "the commands of this session are not held by a sandbox."
        network = "without network" if mode in self.wish_of(hold).offline else "with the network"
        return f"the commands of this session are held as {mode} by {mechanism.name}, {network}."

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

    def for_model(self, mode: Mode, hold: Hold = _AS_SET) -> str | None:
        """What the model should know before it runs a command; None where nothing holds it."""
        if not self.holds(mode, hold):
            return None
        where = (
            "nowhere but in $TMPDIR, and in the workspace where a person allowed the command"
            if mode == "read-only"
            else "in the workspace, temporary folders and package caches alone"
        )
        network = "; without network" if mode in self.wish_of(hold).offline else ""
        return (
            f"commands can write {where}, and cannot read credentials{network}. Do not try to get around it: where a "
            "command fails by it, the person may be asked at once whether it is to run outside."
        )


def _may_write(path: Path) -> bool:
    """Whether this user may write there, or where it would be made."""
    there = next((place for place in (path, *path.parents) if os.path.lexists(place)), Path("/"))
    return os.access(there, os.W_OK)
