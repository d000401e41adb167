"""The tree of the workspace as the model is told it: a bounded snapshot once, then what changed. Pure.

`TREE` folds from the log what was told. `news` compares that with a look at the disk and gives the next message, which
is appended (law 2). Changes are told of folders that were told whole; in the others the model has to look for itself.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from hd.files.tree import Folder, Seen
from hd.protocol import events as ev
from hd.protocol.events import Event, Replace
from hd.protocol.projections.base import Projection

TREE_KIND: Final = "workspace-tree"
"""The `source.kind` of such a message."""

MOST_TEXT: Final = 6_000
"""Characters of a snapshot, about 1,500 tokens."""

MOST_NAMES: Final = 50
"""Names that are told of one folder."""

MOST_CHANGES: Final = 100
"""With more than so many changes the tree is told anew."""

_OPENING: Final = (
    "The tree of the workspace, without what is ignored or secret. A folder ends with `/`; one without a line of its "
    "own was not opened."
)
_UPDATE: Final = "The tree of the workspace has changed since it was told, by you or by others."
_PLAIN: Final = re.compile(r"[^\x00-\x1f\x7f\",]+")


@dataclass(frozen=True, slots=True)
class Told:
    """`folders` are those that were told by path, `seq` is that of the snapshot they began with, None before any."""

    folders: Mapping[str, Folder] = field(default_factory=dict)
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """Names that came and went by folder, and the folders that are told for the first time."""

    added: Mapping[str, list[str]]
    removed: Mapping[str, list[str]]
    opened: Mapping[str, Folder]

    def __len__(self) -> int:
        return sum(map(len, (*self.added.values(), *self.removed.values()))) + sum(
            len(folder.names) for folder in self.opened.values()
        )

    def paths_added(self) -> list[str]:
        return [*_paths(self.added), *_paths({path: folder.names for path, folder in self.opened.items()})]


@dataclass(frozen=True, slots=True)
class News:
    """A message for the model: its text, and the `source` from which it is folded."""

    text: str
    source: Mapping[str, Any]


def news(told: Told, seen: Seen) -> News | None:
    """What the model has to be told of the tree as it is `seen` now; None where there is nothing new."""
    if told.seq is None:
        return snapshot(seen) if seen.folders.get("", Folder(())).names else None
    if seen.stopped:
        return None  # What was not reached is not gone.
    changes = difference(told.folders, seen)
    if not len(changes):
        return None
    return snapshot(seen) if len(changes) > MOST_CHANGES else _update(changes, seen)


def snapshot(seen: Seen) -> News:
    """As many folders as fit, breadth first."""
    lines, folders, room = [_OPENING], dict[str, Folder](), MOST_TEXT - len(_OPENING)
    for path, folder in seen.folders.items():
        shown = _fitting(path, folder, room)
        if shown is None:
            break
        line = _line(path, shown, len(folder.names))
        lines.append(line)
        folders[path] = shown
        room -= len(line) + 1
    return News("\n".join(lines), {"kind": TREE_KIND, "form": "snapshot", "folders": _rows(folders)})


def difference(told: Mapping[str, Folder], seen: Seen) -> Changes:
    added: dict[str, list[str]] = {}
    removed: dict[str, list[str]] = {}
    for path, before in told.items():
        now = seen.folders.get(path)
        if now is None or not now.whole:
            continue
        if gone := _without(before.names, now.names):
            removed[path] = gone
        if before.whole and (new := _without(now.names, before.names)):
            added[path] = new
    return Changes(added, removed, _opened(added, seen))


def _without(names: Iterable[str], others: Iterable[str]) -> list[str]:
    known = frozenset(others)
    return [name for name in names if name not in known]


def _opened(added: Mapping[str, list[str]], seen: Seen) -> dict[str, Folder]:
    """What the new folders hold, as far down as it was looked at, and as much as may be told of one."""
    opened: dict[str, Folder] = {}
    waiting = [path[:-1] for path in _paths(added) if path.endswith("/")]
    for path in waiting:
        if (folder := seen.folders.get(path)) is not None:
            opened[path] = _cut(folder, MOST_NAMES)
            waiting += [below[:-1] for below in _paths({path: opened[path].names}) if below.endswith("/")]
    return opened


def moved(changes: Changes, marks: Mapping[str, tuple[int, int, int]]) -> dict[str, str]:
    """The files that went from one path and came at another with all their marks; from the old path to the new one."""
    came = {marks[path]: path for path in changes.paths_added() if path in marks}
    pairs = ((path, came.get(marks[path])) for path in _paths(changes.removed) if path in marks)
    return {old: new for old, new in pairs if new is not None}


def _update(changes: Changes, seen: Seen) -> News:
    pairs = moved(changes, seen.marks)
    new = set(pairs.values())
    lines = [
        _UPDATE,
        *(f"moved: {_name(old)} -> {_name(to)}" for old, to in pairs.items()),
        *_listed("added", (path for path in changes.paths_added() if path not in new)),
        *_listed("removed", (path for path in _paths(changes.removed) if path not in pairs)),
    ]
    source = {"kind": TREE_KIND, "form": "changes", "added": changes.added, "removed": changes.removed}
    return News("\n".join(lines), {**source, "folders": _rows(changes.opened)})


def _listed(word: str, paths: Iterable[str]) -> list[str]:
    names = [_name(path) for path in paths]
    return [f"{word}: {', '.join(names)}"] if names else []


def _paths(names: Mapping[str, Iterable[str]]) -> Iterator[str]:
    return (f"{path}/{name}" if path else name for path, folder in names.items() for name in folder)


def _cut(folder: Folder, most: int) -> Folder:
    return folder if len(folder.names) <= most else Folder(folder.names[:most], whole=False)


def _fitting(path: str, folder: Folder, room: int) -> Folder | None:
    """As many of the names as there is room for; None where not even some of them fit."""
    shown = _cut(folder, MOST_NAMES)
    while len(_line(path, shown, len(folder.names))) >= room:
        if len(shown.names) < 2:
            return None
        shown = _cut(shown, len(shown.names) // 2)
    return shown


def _line(path: str, folder: Folder, of: int) -> str:
    left_out = [] if folder.whole else [f"… {of - len(folder.names)} more" if of > len(folder.names) else "… more"]
    return f"{_name(path) or '.'}/: {', '.join([*map(_name, folder.names), *left_out]) or '(empty)'}"


def _name(name: str) -> str:
    """A name as it is, or as a JSON string where it could be taken for several or for a line of its own."""
    return name if _PLAIN.fullmatch(name) or not name else msgspec.json.encode(name).decode()


def _rows(folders: Mapping[str, Folder]) -> list[dict[str, Any]]:
    return [{"path": path, "names": list(one.names), "whole": one.whole} for path, one in folders.items()]


def _told(state: Told, event: Event) -> Told:
    """The snapshot or the change that a message told; nothing was told once a compaction took the snapshot away."""
    surface = event.surface
    if isinstance(surface, Replace):
        return Told() if state.seq is not None and surface.start <= state.seq <= surface.end else state
    source: Mapping[str, Any] = event.data.get("source") or {}
    if source.get("kind") != TREE_KIND or surface is None:
        return state
    try:
        said = msgspec.convert(source, type=_Said)
    except msgspec.ValidationError:
        return state  # What a damaged message told is not known, so it is told again.
    rows = {row.path: Folder(row.names, row.whole) for row in said.folders}
    if said.form == "snapshot":
        return Told(rows, event.seq)
    now = Told({**_changed(state.folders, said.added, said.removed), **rows}, state.seq)
    return state if now == state else now


class _Row(msgspec.Struct):
    path: str
    names: tuple[str, ...]
    whole: bool


class _Said(msgspec.Struct):
    """The `source` of a message, as far as it is folded."""

    form: str
    folders: list[_Row] = []
    added: dict[str, list[str]] = {}
    removed: dict[str, list[str]] = {}


def _changed(
    folders: Mapping[str, Folder], added: Mapping[str, list[str]], removed: Mapping[str, list[str]]
) -> dict[str, Folder]:
    gone = tuple(path for path in _paths(removed) if path.endswith("/"))
    kept = {path: one for path, one in folders.items() if not f"{path}/".startswith(gone)} if gone else dict(folders)
    for path in {*added, *removed} & set(kept):
        names = (*_without(kept[path].names, removed.get(path, ())), *added.get(path, ()))
        kept[path] = Folder(names, kept[path].whole)
    return kept


TREE: Final = Projection("workspaceTree", Told(), dict.fromkeys((ev.USER_MESSAGE, ev.TOOL_RESULT), _told))
