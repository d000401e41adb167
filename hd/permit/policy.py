"""Whether a call may run: a function of the preset, of what the call would do, and of what is proven of a command."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hd.permit import reasons
from hd.permit.commands import reach
from hd.permit.places import Ground
from hd.permit.presets import PresetName
from hd.permit.reading import Doubt, unproven
from hd.permit.reasons import Reason
from hd.permit.servers import starts_server
from hd.protocol.projections.sandbox import Hold
from hd.tools.base import Access, Plan


@dataclass(frozen=True, slots=True)
class Allow:
    """Go ahead."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A person must say so first."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Deny:
    """Not at all, whoever might say so."""

    reason: Reason


Verdict = Allow | Ask | Deny
_AS_SET: Final = Hold()
_FREEDOM: Final[tuple[PresetName, ...]] = ("read-only", "workspace-write", "danger-full-access")


def decide(
    preset: PresetName, plan: Plan, workspace: Path, *, planning: bool = False, doubt: Doubt = unproven
) -> Verdict:
    """The verdict on one call of a session in `workspace`; `planning` says that the session is in plan mode.

    Reading and talking are always allowed: what may be read at all is the file layer's rule. So are commands that
    `doubt` has nothing against, which only read. Plan mode denies all else, whatever the preset, and no command that
    starts a server is waited for. An access that this function does not know is asked about, and so is each terminal.
    No preset denies anything.
    """
    if plan.access in (Access.READ, Access.TALK):
        return Allow()
    if plan.access is Access.EXECUTE and not planning and starts_server(plan.detail):
        return Deny(reasons.SERVER)
    if plan.access is Access.EXECUTE and (planning or preset == "read-only"):
        against = doubt(plan.detail)
        if against is None:
            return Allow()
        return Deny(reasons.in_plan_mode(against)) if planning else Ask(reasons.in_read_only(against))
    if planning:
        return Deny(reasons.PLANNING)
    if preset == "danger-full-access":
        return Allow()
    if plan.access is Access.DELETE:
        return Ask(reasons.DELETES)
    runs = plan.access in (Access.EXECUTE, Access.TERMINAL)
    if preset == "workspace-write":
        ground = Ground.of(workspace)
        reason = reach(plan.detail, ground) if runs else _outside(plan.paths, ground)
        if reason is None and plan.access is Access.TERMINAL:
            reason = reasons.TERMINAL
        return Ask(reason) if reason else Allow()
    return Ask(reasons.TERMINAL if plan.access is Access.TERMINAL else reasons.WRITES)


def rules_count(preset: PresetName, *, planning: bool) -> bool:
    """Whether a person's rules count: not where they chose to be asked about everything that does more than read."""
    return preset == "workspace-write" and not planning


def outside_counts(preset: PresetName, *, planning: bool) -> bool:
    """Whether a person's rules on what runs outside the sandbox count."""
    return preset != "read-only" and not planning


def unasked(preset: PresetName, hold: Hold) -> PresetName:
    """What a command may touch that nobody was asked about: what the preset allows, or less."""
    most: PresetName = "danger-full-access" if hold.mode is None or hold.mode == "off" else hold.mode
    return min(preset, most, key=_FREEDOM.index)


def mode_of(
    preset: PresetName,
    plan: Plan,
    workspace: Path,
    *,
    allowed: bool,
    planning: bool = False,
    hold: Hold = _AS_SET,
) -> PresetName:
    """What the command of a call may touch, by the mode of a sandbox; `allowed` says that a person was asked, `hold`
    how they want the commands of their session held.

    What a person allowed must not fail by a rule that they were not told of: a command that reaches beyond the
    workspace by its words runs without a sandbox this one time, any other as where the workspace may be written. While
    a plan is made nothing runs but what was proven to read, and it is held to that.
    """
    if planning:
        return "read-only"
    if not allowed or plan.access not in (Access.EXECUTE, Access.TERMINAL):
        return unasked(preset, hold)
    return "danger-full-access" if reach(plan.detail, Ground.of(workspace)) else "workspace-write"


def _outside(paths: tuple[str, ...], ground: Ground) -> Reason | None:
    return None if all(map(ground.holds, paths)) else reasons.OUTSIDE
