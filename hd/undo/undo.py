"""Undo: traces of calls, and the driver that takes their changes back, does them again, or lets them stand."""

import asyncio
import logging
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from hd.errors import HdError
from hd.files.errors import Code, FileError
from hd.files.exact import Exact, Form
from hd.files.guard import Guard
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.ids import new_id
from hd.protocol.projections.changes import Change, Changes, FileChange, Node, TurnChanges, touched
from hd.session.live import LiveSession
from hd.undo.beside import Beside
from hd.undo.blobs import Blobs
from hd.undo.claims import borne_out
from hd.undo.index import IndexFile
from hd.undo.nodes import MOST_FILE, difference, form_of, node_of, store
from hd.undo.pending import Pending
from hd.undo.plan import NOT_EMPTY, Operation, Plan, Refusal, Step, chosen, plan
from hd.undo.trace import Origin, Trace, through
from hd.undo.tree import Tree

_log = logging.getLogger(__name__)

MOST_DIFFERENCE: Final = 20_000
"""Characters of a difference that are shown."""

STOPPED: Final = "It was stopped. What was done by then is whole and stands in the list of changes."


class NothingToUndo(HdError):
    """There is no such change, or none that is still to be undone, done again or accepted."""

    code = "undo/nothing"


@dataclass(frozen=True, slots=True)
class Refused:
    """A path that was left alone, why, and what became of it since as a difference, where that can be shown."""

    path: str
    reason: str
    difference: str | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of an undo or a redo of a turn; `spared` are files that a person had accepted, `beside` those that
    changed outside of all calls and were not named."""

    turn: int
    operation: Operation
    done: tuple[str, ...]
    refused: tuple[Refused, ...]
    spared: tuple[str, ...]
    beside: tuple[str, ...] = ()


class Undo:
    """All that this daemon keeps for undoing, in `folder`. `scratch` is for notes about files in the making."""

    def __init__(self, folder: Path, guard: Guard, scratch: Path) -> None:
        self.blobs = Blobs(folder / "blobs")
        self.pending = Pending(folder / "pending")
        self._indexes = folder / "index"
        self._guard = guard
        self.scratch = scratch
        self._beside = Beside()
        self._trees: dict[Path, Tree] = {}
        self._roots: dict[str, Path] = {}

    def trace(self, session: LiveSession, call_id: str) -> Trace:
        """A trace for the next call of a session. All that the session recorded before is on disk by now."""
        self.pending.drop(session.id)
        turn = session.value("turn")
        known = session.value("changes").of(turn.number)
        return Trace(self._tree(session), self.pending, Origin(session.id, call_id, turn.number, turn.step), known)

    def _tree(self, session: LiveSession) -> Tree:
        root = self._roots.setdefault(session.id, Path(os.path.realpath(session.header.cwd)))
        known = self._trees.get(root)
        if known is None:
            kept = IndexFile(self._indexes, root)
            known = self._trees[root] = Tree(root, self._guard, self.blobs, kept=kept)
        return known

    def keep(self) -> None:
        """Keeps what the trees look like, for the next daemon. Blocks."""
        for tree in list(self._trees.values()):
            tree.save()

    def borne_out(self, session: LiveSession, claimed: Collection[str]) -> frozenset[str] | None:
        """Those of the claimed paths whose change is recorded, or could not have been seen; None where nothing can be
        said of any. Blocks."""
        known = touched(session.value("changes"))
        if known is None:
            return None
        return borne_out(claimed, known | self._beside.paths(session.id), self._tree(session).root, self._guard)

    def watch(self, session: LiveSession, *, look: bool = True) -> None:
        """Notes from now to the end of the turn what changes outside of all calls: something runs on. Blocks."""
        self._beside.begin(session.id, self._tree(session), session.now(), look=look)

    def beside(self, session: LiveSession) -> dict[str, Any] | None:
        """At the end of a turn: what is to be recorded of that, None for nothing. Blocks."""
        turn = session.value("turn")
        return self._beside.end(session.id, turn.number, turn.step, session.value("jobs"))

    def rests(self, session_id: str) -> bool:
        return True

    def leave(self, session_id: str) -> None:
        """Forgets what the tree of a workspace looked like when the last of its sessions leaves memory."""
        self.pending.drop(session_id)
        root = self._roots.pop(session_id, None)
        if root is not None and root not in self._roots.values():
            del self._trees[root]

    def exact(self, session: LiveSession) -> Exact:
        return Exact(self._tree(session).root, self._guard, self.scratch)

    async def take(
        self, session: LiveSession, operation: Operation, turn: int | None, names: Collection[str] = ()
    ) -> Taken:
        """Undoes what a turn changed, or does it again; the latest one where none is named. `NothingToUndo`.

        `names` are files or folders of the workspace; none means all that were not accepted. Not while a turn runs.
        A cancelled caller does not stop it half-way.
        """
        changes: Changes = session.value("changes")
        found = chosen_turn(changes, operation, turn, names)
        key = new_id()
        taken: list[Taken] = []

        def work() -> None:
            taken.append(self._take(session, changes, found, operation, names, key))

        try:
            await through(asyncio.to_thread(work))
        finally:
            if taken:
                session.record(done(taken[0], key))
                session.save_projections()
        await session.written(durable=True)
        self.pending.drop(session.id)
        return taken[0]

    def _take(
        self,
        session: LiveSession,
        changes: Changes,
        turn: TurnChanges,
        operation: Operation,
        names: Collection[str],
        key: str,
    ) -> Taken:
        exact = self.exact(session)
        now: dict[str, Node | None] = {}
        unusable: list[Refusal] = []
        for path in chosen(turn, operation, names):
            try:
                now[path] = self._kept(exact.form(path, MOST_FILE))
            except FileError as error:
                unusable.append(Refusal(path, error.message))
        readable = replace(turn, files={path: file for path, file in turn.files.items() if path in now})
        made = plan(changes, readable, operation, names, now, self.blobs.has)
        self._note(session.id, key, turn.turn, operation, made)
        finished, refused = self._make(exact, made.steps)
        self._tree(session).note({step.path: step.goal for step in made.steps if step.path in finished})
        told = [Refused(one.path, one.reason, self._difference(one)) for one in (*made.refused, *refused, *unusable)]
        return Taken(turn.turn, operation, (*made.already, *finished), tuple(told), made.spared, made.beside)

    def _kept(self, form: Form | None) -> Node | None:
        """The node of what stands there now, whose content is kept for the way back."""
        if form is not None and form.content is not None:
            store(form.content, self.blobs)
        return node_of(form)

    def _note(self, session_id: str, key: str, turn: int, operation: Operation, made: Plan) -> None:
        changes = [Change(step.path, step.now, step.goal).to_wire() for step in made.steps]
        try:
            self.pending.write(session_id, key, {"operation": operation, "turn": turn, "changes": changes})
        except OSError as error:
            raise HdError(
                f"The {operation} could not be begun: its note could not be written ({error.strerror}). "
                "No file was changed."
            ) from error

    def _make(self, exact: Exact, steps: Sequence[Step]) -> tuple[list[str], list[Refusal]]:
        finished: list[str] = []
        refused: list[Refusal] = []
        for step in steps:
            form = None if step.goal is None else form_of(step.goal, self.blobs)
            if step.goal is not None and form is None:
                refused.append(Refusal(step.path, "its earlier content could not be read"))
                continue
            try:
                exact.bring(step.path, form, _same_as(step.now), MOST_FILE)
            except FileError as error:
                refused.append(Refusal(step.path, NOT_EMPTY if error.code is Code.NOT_EMPTY else error.message))
            else:
                finished.append(step.path)
        return finished, refused

    def _difference(self, refusal: Refusal) -> str | None:
        if refusal.ours == refusal.theirs:
            return None
        return bounded(difference(refusal.path, refusal.ours, refusal.theirs, self.blobs))

    async def accept(
        self, session: LiveSession, turn: int | None, names: Collection[str] = ()
    ) -> tuple[int, list[str]]:
        """Lets changes stand: an undo of the whole turn leaves them alone. The turn and its accepted paths."""
        found = chosen_turn(session.value("changes"), "undo", turn, names)
        files = [path for path in chosen(found, "undo", names) if found.files[path].status == "applied"]
        session.record(Draft(ev.UNDO_ACCEPTED, {"turn": found.turn, "files": files}))
        session.save_projections()
        await session.written(durable=True)
        return found.turn, files

    async def difference(self, session: LiveSession, turn: int, path: str) -> tuple[str | None, str | None]:
        """What a turn changed in a file, and what was changed in it since; None where there is no text to show."""
        known: TurnChanges | None = session.value("changes").of(turn)
        file = None if known is None else known.files.get(path)
        if file is None:
            raise NothingToUndo(f"Turn {turn} changed no file {path}.")
        return await asyncio.to_thread(self._differences, self.exact(session), file)

    def _differences(self, exact: Exact, file: FileChange) -> tuple[str | None, str | None]:
        path, change = file.change.path, file.change
        left = change.before if file.status == "undone" else change.after
        try:
            here = self._kept(exact.form(path, MOST_FILE))
        except FileError:
            here = left
        since = None if here == left else difference(path, left, here, self.blobs)
        return bounded(difference(path, change.before, change.after, self.blobs)), bounded(since)


def _same_as(node: Node | None) -> Callable[[Form | None], bool]:
    return lambda form: node_of(form) == node


def bounded(text: str | None) -> str | None:
    if text is None or len(text) <= MOST_DIFFERENCE:
        return text
    return f"{text[:MOST_DIFFERENCE]}\n[… {len(text) - MOST_DIFFERENCE:,} more characters]\n"


def done(taken: Taken, key: str) -> Draft:
    """The fact of an undo or a redo."""
    refused = [{"path": one.path, "reason": one.reason} for one in taken.refused]
    body: dict[str, Any] = {"turn": taken.turn, "operation": taken.operation, "undoId": key}
    return Draft(ev.UNDO_DONE, {**body, "files": list(taken.done), "refused": refused})


def chosen_turn(changes: Changes, operation: Operation, turn: int | None, names: Collection[str]) -> TurnChanges:
    """The turn that is meant; `NothingToUndo` where there is nothing of it to be undone (or done again). Pure."""
    what = "undo" if operation == "undo" else "do again"
    if turn is not None:
        known = changes.of(turn)
        if known is None or not known.files:
            raise NothingToUndo(f"Turn {turn} changed no file that is known, so there is nothing to {what}.")
        candidates = [known]
    elif operation == "redo" and not names:
        candidates = [known for known in changes.turns if known.turn == changes.last_undone]
    else:
        candidates = list(reversed(changes.turns))
    for candidate in candidates:
        paths = chosen(candidate, operation, names)
        if paths and (names or operation == "redo" or any(_is_open(candidate, path) for path in paths)):
            return candidate
    where = "" if turn is None else f" of turn {turn}"
    of = f" of {', '.join(names)}" if names else ""
    more = ""
    if not names and any(file.is_beside for known in candidates for file in known.files.values()):
        more = " What changed beside the agent is only undone file by file: name one."
    raise NothingToUndo(f"There is nothing{of}{where} to {what}.{more}")


def _is_open(turn: TurnChanges, path: str) -> bool:
    """Whether nobody has decided about this change."""
    return turn.files[path].status == "applied" and not turn.files[path].is_beside
