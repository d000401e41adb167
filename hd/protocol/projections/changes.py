"""What the agent changed on disk, turn by turn, and what a person made of it: undone, done again, or accepted.

A change is two nodes, what stood under a path before and what stood there after. Several changes of one path in a turn
count as one, from the first node to the last; where the two do not meet, somebody else changed the file in between,
and that part is not the agent's to take back.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection

MOST_TURNS = 100
"""Turns with changes that are known; what older ones changed stays in the log and can no longer be undone."""

MOST_BYTES = 4_096
"""The size of the wire value; `undo/changes` tells the rest."""

Status = Literal["applied", "undone", "accepted"]

By = Literal["tool", "command", "both"]
"""What made a change: the file tools, a command, or one after the other."""


class Node(Struct, frozen=True):
    """What stands under a path.

    `kind` is file, link, directory or other, `mode` are the permission bits, -1 where they are not known beforehand.
    `blob` is the SHA-256, in hex, of the bytes of a file or of the target of a link; empty for a directory, and for
    a file that is too large to be looked into. `size` is in bytes.
    """

    kind: str
    mode: int = 0
    blob: str = ""
    size: int = 0

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"kind": self.kind, "mode": self.mode, "size": self.size}
        return {**wire, "blob": self.blob} if self.blob else wire

    @staticmethod
    def of_wire(wire: Any) -> "Node | None":
        if not isinstance(wire, Mapping):
            return None
        return Node(
            str(wire.get("kind", "other")),
            int(wire.get("mode", 0)),
            str(wire.get("blob", "")),
            int(wire.get("size", 0)),
        )


class Change(Struct, frozen=True):
    """One path. `added` and `removed` count lines over the turn so far, None where there is no text to count."""

    path: str
    before: Node | None
    after: Node | None
    added: int | None = None
    removed: int | None = None

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"path": self.path, "before": _wire(self.before), "after": _wire(self.after)}
        return wire if self.added is None else {**wire, "added": self.added, "removed": self.removed}

    @staticmethod
    def of_wire(wire: Mapping[str, Any]) -> "Change":
        before, after = Node.of_wire(wire.get("before")), Node.of_wire(wire.get("after"))
        return Change(str(wire.get("path", "")), before, after, wire.get("added"), wire.get("removed"))


class FileChange(Struct, frozen=True):
    """What a turn made of one path, and how it stands.

    `between` are the nodes of another's change in the middle of the agent's. `refused` is why the last try to undo it,
    or to do it again, left it alone. `by` is None in logs that do not tell it.

    `beside` names the programs that ran on while this, or a part of it, was seen to change outside of all calls: it may
    be theirs or a person's. `mixed` are the nodes of that part where the agent changed the path as well.
    """

    change: Change
    status: Status = "applied"
    refused: str | None = None
    between: tuple[Node | None, Node | None] | None = None
    by: By | None = None
    beside: str | None = None
    mixed: tuple[Node | None, Node | None] | None = None

    @property
    def is_beside(self) -> bool:
        """Whether no part of it is known to be the agent's."""
        return self.beside is not None and self.mixed is None

    @property
    def what(self) -> Literal["created", "deleted", "changed"]:
        if self.change.before is None:
            return "created"
        return "deleted" if self.change.after is None else "changed"


class TurnChanges(Struct, frozen=True):
    """`files` by path, in the order of their first change. `uncovered` says what could not be seen, a sentence each."""

    turn: int
    files: Mapping[str, FileChange]
    uncovered: tuple[str, ...] = ()


class Changes(Struct, frozen=True):
    """The turns with changes, oldest first. `last_undone` is the turn of the latest undo; None where none is known."""

    turns: tuple[TurnChanges, ...] = ()
    last_undone: int | None = None

    def of(self, turn: int) -> TurnChanges | None:
        return next((known for known in reversed(self.turns) if known.turn == turn), None)


def _wire(node: Node | None) -> dict[str, Any] | None:
    return None if node is None else node.to_wire()


def _changed(state: Changes, event: Event) -> Changes:
    turn = int(event.data.get("turn") or 0)
    known = state.of(turn) or TurnChanges(turn, {})
    files = dict(known.files)
    said = event.data.get("by")
    by: By | None = said if said in ("tool", "command") else None
    beside = str(event.data.get("during") or "a program") if said == "beside" else None
    for wire in event.data.get("changes") or ():
        change = Change.of_wire(wire)
        met = _met(files.get(change.path), FileChange(change, by=by, beside=beside))
        if met is None:
            files.pop(change.path, None)
        else:
            files[change.path] = met
    missed = event.data.get("uncovered")
    uncovered = (*known.uncovered, missed) if missed and missed not in known.uncovered else known.uncovered
    return _with(state, TurnChanges(turn, files, uncovered))


def _met(known: FileChange | None, new: FileChange) -> FileChange | None:
    """Both as one; None where nothing is left of them."""
    if known is None or known.status == "undone":
        return new
    change, between, mixed = new.change, known.between, known.mixed
    if known.change.after != change.before:
        between = between or (known.change.after, change.before)
    if mixed is None and (known.beside is None) != (new.beside is None):
        part = change if known.beside is None else known.change
        mixed = part.before, part.after
    whole = replace(change, before=known.change.before)
    if between is None and whole.before == whole.after and is_known(whole.after):
        return None
    by = known.by if new.by is None else new.by if known.by in (None, new.by) else "both"
    beside = known.beside if new.beside is None else new.beside
    return FileChange(whole, between=between, by=by, beside=beside, mixed=mixed)


def is_known(node: Node | None) -> bool:
    """Whether the node says all about what stands there, so that two like it are the same."""
    return node is None or bool(node.blob) or node.kind == "directory"


def _done(state: Changes, event: Event) -> Changes:
    undone = event.data.get("operation") == "undo"
    files = _names(event.data.get("files"))
    refused = {str(row.get("path")): str(row.get("reason")) for row in event.data.get("refused") or ()}
    turn = int(event.data.get("turn") or 0)

    def marked(path: str, file: FileChange) -> FileChange:
        if path in files:
            return replace(file, status="undone" if undone else "applied", refused=None)
        return replace(file, refused=refused[path]) if path in refused else file

    state = _marked(state, turn, marked)
    if undone and files:
        return replace(state, last_undone=turn)
    known = state.of(turn)
    left = known is not None and any(file.status == "undone" for file in known.files.values())
    return state if left or state.last_undone != turn else replace(state, last_undone=_latest_undone(state))


def _accepted(state: Changes, event: Event) -> Changes:
    files = _names(event.data.get("files"))

    def marked(path: str, file: FileChange) -> FileChange:
        accepted = path in files and file.status == "applied"
        return replace(file, status="accepted", refused=None) if accepted else file

    return _marked(state, int(event.data.get("turn") or 0), marked)


def _names(found: Any) -> frozenset[str]:
    return frozenset(map(str, found or ()))


def _latest_undone(state: Changes) -> int | None:
    undone = (t.turn for t in reversed(state.turns) if any(file.status == "undone" for file in t.files.values()))
    return next(undone, None)


def _marked(state: Changes, turn: int, marked: Any) -> Changes:
    known = state.of(turn)
    if known is None:
        return state
    return _with(state, replace(known, files={path: marked(path, file) for path, file in known.files.items()}))


def _with(state: Changes, turn: TurnChanges) -> Changes:
    others = tuple(known for known in state.turns if known.turn != turn.turn)
    older = tuple(known for known in others if known.turn < turn.turn)
    newer = others[len(older) :]
    return replace(state, turns=(*older, turn, *newer)[-MOST_TURNS:])


def touched(state: Changes) -> frozenset[str] | None:
    """The paths that the agent changed and that still stand so; None where not all can be known (A18)."""
    if len(state.turns) == MOST_TURNS or any(turn.uncovered for turn in state.turns):
        return None
    return frozenset(path for turn in state.turns for path, file in turn.files.items() if file.status != "undone")


def moved_from(turn: TurnChanges) -> dict[str, str]:
    """New path → old path of what was moved: one thing gone and the same thing come, each only once."""
    gone: dict[Node, list[str]] = {}
    come: dict[Node, list[str]] = {}
    for path, file in turn.files.items():
        for node, side in ((file.change.before, gone), (file.change.after, come)):
            if node is not None and node.blob and node.size and file.what != "changed" and file.beside is None:
                side.setdefault(node, []).append(path)
    return {come[n][0]: gone[n][0] for n in come if len(come[n]) == 1 and len(gone.get(n, ())) == 1}


def rows(turn: TurnChanges) -> Iterable[dict[str, Any]]:
    """The files of a turn as clients see them."""
    moved = moved_from(turn)
    sources = frozenset(moved.values())
    for path, file in turn.files.items():
        row: dict[str, Any] = {"path": path, "what": file.what, "status": file.status}
        if path in moved:
            row |= {"what": "moved", "from": moved[path]}
        elif path in sources:
            continue
        more = {"added": file.change.added, "removed": file.change.removed, "refused": file.refused, "by": file.by}
        more["beside"] = file.beside
        yield row | {key: value for key, value in more.items() if value is not None}


def _view(state: Changes) -> list[dict[str, Any]]:
    """The newest turns, oldest first, as many as fit; a turn that is too long by itself is shown by its counts."""
    shown: list[dict[str, Any]] = []
    room = MOST_BYTES
    for turn in reversed(state.turns):
        whole = {"turn": turn.turn, "files": list(rows(turn)), "uncovered": list(turn.uncovered)}
        short = {"turn": turn.turn, "count": len(turn.files), "files": [], "uncovered": list(turn.uncovered)}
        row = whole if len(turn.files) <= room // 40 and len(msgspec.json.encode(whole)) <= room else short
        room -= len(msgspec.json.encode(row)) + 1
        if room < 0:
            break
        shown.append(row)
    return shown[::-1]


CHANGES: Projection[Changes] = Projection(
    "changes",
    Changes(),
    {ev.UNDO_CHANGED: _changed, ev.UNDO_DONE: _done, ev.UNDO_ACCEPTED: _accepted},
    _view,
)
