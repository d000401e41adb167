"""What undoing a turn, or doing it again, means against what is on disk now; pure.

A path is only touched where what stands there is exactly what the agent left there (for a redo: what the undo left).
Anything else is somebody's work since, and is refused for this path alone.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from hd.protocol.projections.changes import Change, Changes, FileChange, Node, TurnChanges, is_known, moved_from

Operation = Literal["undo", "redo"]

TOO_LARGE: Final = "it is too large for its content to have been kept"
LET_GO: Final = "its earlier content is no longer kept; what is oldest goes first"
MIXED: Final = "the agent changed it, and so did a program that ran on ({beside}) or a person; name it to undo it all"
NOT_EMPTY: Final = "the folder holds other things now, so it stays"


@dataclass(frozen=True, slots=True)
class Step:
    """One path to be changed from what stands there now to what shall stand there."""

    path: str
    now: Node | None
    goal: Node | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A path that is left alone. Whoever asks why may see what became of `ours` since: `theirs`."""

    path: str
    reason: str
    ours: Node | None = None
    theirs: Node | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """`steps` in the order in which they are to be made; `already` are paths that stand so; `spared` were accepted.

    `beside` changed outside of all calls, while programs ran on; so they are undone only where they are named.
    """

    steps: tuple[Step, ...] = ()
    already: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    spared: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


def plan(
    changes: Changes,
    turn: TurnChanges,
    operation: Operation,
    names: Collection[str],
    now: Mapping[str, Node | None],
    is_kept: Callable[[str], bool],
) -> Plan:
    """The plan for the files of a turn that `names` name (empty: all); `now` says what stands under each of them."""
    steps: list[Step] = []
    already: list[str] = []
    refused: list[Refusal] = []
    spared: list[str] = []
    beside: list[str] = []
    for path in chosen(turn, operation, names):
        file = turn.files[path]
        if file.status == "accepted" and operation == "undo" and not names:
            spared.append(path)
            continue
        if file.beside is not None and operation == "undo" and path not in names:
            if file.mixed is None:
                beside.append(path)
            else:
                refused.append(Refusal(path, MIXED.format(beside=file.beside), *file.mixed))
            continue
        here = now.get(path)
        goal = ends(file.change, operation)[1]
        if here == goal and is_known(goal):
            already.append(path)
        elif (refusal := _refusal(changes, turn.turn, file, operation, here, is_kept)) is not None:
            refused.append(refusal)
        else:
            steps.append(Step(path, here, goal))
    return Plan(ordered(steps), tuple(already), tuple(refused), tuple(spared), tuple(beside))


def chosen(turn: TurnChanges, operation: Operation, names: Collection[str]) -> list[str]:
    """The paths that can be undone or done again and that are named, or lie below what is named, or moved with it."""
    wanted = "undone" if operation == "redo" else "applied"
    open_ones = [path for path, file in turn.files.items() if (file.status == "undone") == (wanted == "undone")]
    if not names:
        return open_ones
    moved = moved_from(turn)
    named = {path for path in open_ones if any(path == name or path.startswith(f"{name}/") for name in names)}
    named |= {old for new, old in moved.items() if new in named} | {new for new, old in moved.items() if old in named}
    return [path for path in open_ones if path in named]


def ends(change: Change, operation: Operation) -> tuple[Node | None, Node | None]:
    """What must stand there, and what shall."""
    return (change.after, change.before) if operation == "undo" else (change.before, change.after)


def _refusal(
    changes: Changes,
    turn: int,
    file: FileChange,
    operation: Operation,
    here: Node | None,
    is_kept: Callable[[str], bool],
) -> Refusal | None:
    path = file.change.path
    start, goal = ends(file.change, operation)
    if file.between is not None:
        reason = "somebody else changed it in the middle of that turn, and that would be lost"
        return Refusal(path, reason, *file.between)
    if not (is_known(start) and is_known(goal)):
        return Refusal(path, TOO_LARGE)
    if here != start:
        return Refusal(path, _since(changes, turn, path, start, here), start, here)
    if goal is not None and goal.blob and not is_kept(goal.blob):
        return Refusal(path, LET_GO)
    return None


def _since(changes: Changes, turn: int, path: str, start: Node | None, here: Node | None) -> str:
    later = [t.turn for t in changes.turns if t.turn > turn and path in t.files and t.files[path].status != "undone"]
    if later:
        return f"turn {later[-1]} changed it again; undo that one first"
    if here is None:
        return "it has been removed since"
    if start is None:
        return "something else stands there now"
    if (start.kind, start.blob) == (here.kind, here.blob):
        return f"its mode has been changed since, from {start.mode:04o} to {here.mode:04o}"
    return "it has been changed since"


def ordered(steps: Collection[Step]) -> tuple[Step, ...]:
    """First what stands in the way, then folders from the top, files, what is to go, and folders from the bottom.

    So a moved file is there twice for a moment, and never not at all.
    """
    blocking = {step.path for step in steps if _exchanges_folder(step)}

    def rank(step: Step) -> tuple[int, int, str]:
        depth = step.path.count("/")
        in_the_way = any(step.path.startswith(f"{path}/") for path in blocking)
        if step.goal is None and in_the_way:
            return 0, -depth, step.path
        if step.path in blocking:
            return 1, depth, step.path
        if step.goal is None:
            return (5 if step.now is not None and step.now.kind == "directory" else 4), -depth, step.path
        return (2 if step.goal.kind == "directory" else 3), depth, step.path

    return tuple(sorted(steps, key=rank))


def _exchanges_folder(step: Step) -> bool:
    """Whether a folder takes the place of a file, or a file that of a folder."""
    both = step.now is not None and step.goal is not None
    return both and (step.now.kind == "directory") != (step.goal.kind == "directory")  # type: ignore[union-attr]
