"""What changes in workspaces while programs run on beside the calls of a turn: in terminals, or left by commands.

Nobody can tell whether such a program or a person made a change outside of all calls. So it is listed as what it is,
and undone only where a person names the file.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hd.protocol.projections.changes import Change
from hd.protocol.projections.jobs import TERMINAL
from hd.undo.nodes import counted
from hd.undo.tree import Tree, Window

UNSEEN: Final = "What changed beside the agent while {during} ran on is not known: {trouble}."


@dataclass(frozen=True, slots=True)
class _Watch:
    """`since` is in ms of the epoch."""

    tree: Tree
    window: Window
    since: int


class Beside:
    """By session, from the moment in which something runs on to the end of the turn. All methods block."""

    def __init__(self) -> None:
        self._watches: dict[str, _Watch] = {}

    def begin(self, session_id: str, tree: Tree, since: int, *, look: bool) -> None:
        """Watches from now on, if it does not yet; `look` as in `Tree.watch`."""
        if session_id not in self._watches:
            self._watches[session_id] = _Watch(tree, tree.watch(look=look), since)

    def paths(self, session_id: str) -> frozenset[str]:
        """What was seen to change by now."""
        known = self._watches.get(session_id)
        return frozenset() if known is None else known.tree.seen_by(known.window)

    def end(self, session_id: str, turn: int, step: int, jobs: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
        """Stops watching; the body of `undo/changed`, None where nothing changed or nothing ran."""
        known = self._watches.pop(session_id, None)
        if known is None:
            return None
        known.tree.unwatch(known.window)
        during = ran_on(jobs, known.since)
        if not during:
            return None
        where = {"turn": turn, "step": step, "by": "beside", "during": during}
        if known.window.trouble is not None:
            said = UNSEEN.format(during=during, trouble=known.window.trouble)
            return {**where, "changes": [], "uncovered": said}
        changes = [_counted(change, known.tree) for change in known.window.changes.values()]
        return {**where, "changes": changes} if changes else None


def ran_on(jobs: Iterable[Mapping[str, Any]], since: int) -> str:
    """Which commands ran on at some time since then, such as `#3, #5`; empty for none. Pure."""
    found = (
        job
        for job in jobs
        if (job.get("kind") == TERMINAL or job.get("left"))
        and (job.get("finishedAt") is None or int(job["finishedAt"]) >= since)
    )
    return ", ".join(f"#{job['number']}" for job in found)


def _counted(change: Change, tree: Tree) -> dict[str, Any]:
    return counted(change, change.before, tree.blobs).to_wire()
