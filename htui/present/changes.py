"""What the agent changed in files, turn by turn, as rows to choose from: pure (`changes` and `undo/changes`)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from htui.present import count
from htui.present.cells import cut, width
from htui.present.lines import Line, Span, cells_of
from htui.present.safe import one_line, safe

_SIGNS = {"created": ("A", "good"), "deleted": ("D", "bad"), "moved": ("R", "busy"), "changed": ("M", "warning")}
_MADE_BY = {"tool": "by a tool", "command": "by a command", "both": "by a tool and a command"}
_DIFFERENCE = {"+": "added", "-": "removed", "@": "muted"}
_NARROWEST_PATH = 12


@dataclass(frozen=True, slots=True)
class File:
    """A path of a turn. `path` is as the host has it, for calls; `status` is `applied`, `undone` or `accepted`.

    `refused` says why the last try to undo it, or to do it again, left it alone. `added` and `removed` count lines.
    """

    path: str
    what: str
    status: str = "applied"
    source: str = ""
    added: int | None = None
    removed: int | None = None
    refused: str = ""
    by: str = ""
    beside: str = ""
    """What ran on while this changed outside of the agent's calls; it may be that program's work or a person's."""


@dataclass(frozen=True, slots=True)
class Turn:
    """`hidden` is True where the host gave no more than their number, `count`, instead of the files."""

    number: int
    files: tuple[File, ...]
    count: int = 0
    hidden: bool = False
    uncovered: tuple[str, ...] = ()

    def file(self, path: str) -> File | None:
        return next((file for file in self.files if file.path == path), None)


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the list: a turn, or one of its files."""

    turn: Turn
    file: File | None = None

    @property
    def key(self) -> tuple[int, str | None]:
        return self.turn.number, None if self.file is None else self.file.path

    @property
    def files(self) -> tuple[File, ...]:
        """What is meant by an action on this row."""
        return self.turn.files if self.file is None else (self.file,)


def turns_of(value: object) -> tuple[Turn, ...]:
    """The turns of the projection or of an answer, oldest first; what cannot be read is left out."""
    found = (_turn(row) for row in value if isinstance(row, Mapping)) if isinstance(value, list | tuple) else ()
    return tuple(turn for turn in found if turn.number > 0 and (turn.files or turn.hidden or turn.uncovered))


def merged(told: Sequence[Turn], read: Sequence[Turn]) -> tuple[Turn, ...]:
    """What the projection tells, and of an answer what the projection has no room for."""
    known = {turn.number: turn for turn in read}
    for turn in told:
        if not turn.hidden or turn.number not in known:
            known[turn.number] = turn
    return tuple(known[number] for number in sorted(known))


def entries(turns: Iterable[Turn]) -> list[Entry]:
    """The rows of the list: the latest turn first, below each its files by path."""
    found: list[Entry] = []
    for turn in sorted(turns, key=lambda turn: -turn.number):
        found += [Entry(turn), *(Entry(turn, file) for file in sorted(turn.files, key=lambda file: file.path))]
    return found


def entry_line(entry: Entry, cells: int) -> Line:
    """A row within `cells`; of a long path the end is kept, where the name stands."""
    turn, file = entry.turn, entry.file
    if file is None:
        number = turn.count if turn.hidden else _count(turn.files)
        parts = [Span(f"Turn {turn.number}", "strong")]
        if number:
            parts.append(Span(f" · {count.plural(number, 'file')}", "muted"))
        if turn.uncovered:
            parts.append(Span(" · not all is kept", "warning"))
        return _spread(parts, _lines_changed(turn.files), cells)
    sign, role = _SIGNS.get(file.what, _SIGNS["changed"])
    right = [*_lines_changed((file,)), *_state(file)]
    room = max(_NARROWEST_PATH, cells - 3 - (cells_of(tuple(right)) + 1 if right else 0))
    name = safe(file.path, strict=True).replace("\n", "␊") + ("/" if _is_folder(file, turn.files) else "")
    shown = _cut_left(name, room)
    return _spread([Span(f" {sign} ", role), Span(shown, "muted" if file.status == "undone" else "")], right, cells)


def about(entry: Entry) -> str:
    """What is said about the chosen row."""
    file = entry.file
    if file is None:
        return " ".join(one_line(text, 200) for text in entry.turn.uncovered)
    made = " ".join(part for part in (file.what, _MADE_BY.get(file.by, "")) if part)
    moved = f" from {one_line(file.source, 200, strict=True)}" if file.source else ""
    if file.beside:
        made += f"{' and' if file.by else ''} beside the agent, while {file.beside} ran on"
    why = f" · left alone: {one_line(file.refused, 200)}" if file.refused else ""
    return f"{made}{moved}{why}"


def open_files(turn: Turn | None) -> int:
    """How many files of a turn nobody has decided about."""
    if turn is None:
        return 0
    if turn.hidden:
        return turn.count
    return _count([file for file in turn.files if file.status == "applied" and not file.beside])


def hint(value: object, turn: int) -> str:
    """What is said after a turn that changed files; empty where there is nothing left to decide."""
    number = open_files(next((one for one in turns_of(value) if one.number == turn), None))
    return f"{count.plural(number, 'file')} changed · /changes" if number else ""


def difference_spans(text: str) -> list[Span]:
    """The lines of a unified difference, each in the role of its sign, without the names above the first part."""
    spans: list[Span] = []
    begun = False
    for line in safe(text, strict=True).rstrip("\n").split("\n"):
        begun = begun or line.startswith("@@")
        if begun or not line.startswith(("+++", "---")):
            spans.append(Span(line, _DIFFERENCE.get(line[:1], "")))
    return spans


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of an undo, a redo or an acceptance: a sentence, its role, and the path that was left alone."""

    text: str
    role: str = "good"
    left: str = ""


def taken(operation: str, value: object) -> Taken:
    """The answer of `undo/undo`, `undo/redo` or `undo/accept` in words."""
    answer: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    files, refused, spared = (_list(answer.get(key)) for key in ("files", "refused", "spared"))
    verb = {"undo": "Undone", "redo": "Done again", "accept": "Accepted"}[operation]
    number = _count([File(str(path), "changed") for path in files])
    done = f"{verb}: {count.plural(number, 'file')}." if files or not refused else ""
    kept = f" {count.plural(len(spared), 'accepted file')} left alone." if spared else ""
    beside = _list(answer.get("beside"))
    kept += f" {count.plural(len(beside), 'file')} that changed beside the agent left alone." if beside else ""
    if not refused:
        return Taken(f"{done}{kept}")
    first: Mapping[str, Any] = refused[0] if isinstance(refused[0], Mapping) else {}
    path = str(first.get("path") or "")
    more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
    why = f"{one_line(path, 80, strict=True)} was left as it is{more}: {one_line(str(first.get('reason') or ''), 200)}."
    return Taken(f"{done} {why}".strip() + kept, "warning", path)


def _turn(row: Mapping[str, Any]) -> Turn:
    files = tuple(_file(one) for one in _list(row.get("files")) if isinstance(one, Mapping) and one.get("path"))
    hidden = isinstance(row.get("count"), int) and not files
    said = tuple(str(one) for one in _list(row.get("uncovered")))
    return Turn(_whole(row.get("turn")) or 0, files, _whole(row.get("count")) or 0, hidden, said)


def _file(row: Mapping[str, Any]) -> File:
    return File(
        str(row["path"]),
        str(row.get("what") or "changed"),
        str(row.get("status") or "applied"),
        str(row.get("from") or ""),
        _whole(row.get("added")),
        _whole(row.get("removed")),
        str(row.get("refused") or ""),
        str(row.get("by") or ""),
        one_line(str(row.get("beside") or ""), 100, strict=True),
    )


def _lines_changed(files: Sequence[File]) -> list[Span]:
    counted = [file for file in files if file.added is not None]
    if not counted:
        return []
    added, removed = sum(file.added or 0 for file in counted), sum(file.removed or 0 for file in counted)
    return [Span(f"+{count.compact(added)}", "added"), Span(" "), Span(f"−{count.compact(removed)}", "removed")]


def _state(file: File) -> list[Span]:
    if file.refused:
        return [Span(" left alone", "warning")]
    word = {"undone": " undone", "accepted": " ✓ kept"}.get(file.status, "")
    if not word and file.beside:
        return [Span(" beside", "muted")]
    return [Span(word, "muted" if file.status == "undone" else "good")] if word else []


def _spread(left: list[Span], right: list[Span], cells: int) -> Line:
    gap = cells - cells_of(tuple(left)) - cells_of(tuple(right))
    return (*left, Span(" " * max(1, gap)), *right) if right else tuple(left)


def _cut_left(text: str, cells: int) -> str:
    """The end of a text that fits."""
    if width(text) <= cells:
        return text
    kept = text
    while kept and width(kept) > cells - 1:
        kept = kept[1:]
    return cut(f"…{kept}", cells)


def _is_folder(file: File, files: Iterable[File]) -> bool:
    return any(other.path.startswith(f"{file.path}/") for other in files)


def _count(files: Sequence[File]) -> int:
    """Files, without the folders that were made or removed with them."""
    return sum(not _is_folder(file, files) for file in files)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
