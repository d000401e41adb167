"""What happened to files, in lines for people and in one section for the model; pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from hd.protocol.projections.changes import Changes, TurnChanges, rows
from hd.undo.undo import Taken

_SIGNS: Final = {"created": "A", "deleted": "D", "changed": "M", "moved": "R"}
_TOLD_TURNS: Final = 10
_TOLD_FILES: Final = 50


def taken_text(taken: Taken) -> str:
    """An undo or a redo: how many files, which, and for each one that was left alone the reason."""
    verb = "Undone" if taken.operation == "undo" else "Done again"
    lines = [f"{verb}: {_count(len(taken.done))} of turn {taken.turn}."]
    lines += [f"  {path}" for path in taken.done]
    if taken.refused:
        lines.append(f"Left as {'it is' if len(taken.refused) == 1 else 'they are'}:")
    for one in taken.refused:
        lines.append(f"  {one.path}: {one.reason}")
        lines += [f"    {line}" for line in (one.difference or "").splitlines()]
    if taken.spared:
        lines.append(f"Accepted before and left alone (name a file to undo it): {', '.join(taken.spared)}")
    if taken.beside:
        shown, more = taken.beside[:_TOLD_FILES], len(taken.beside) - _TOLD_FILES
        named = f"{', '.join(shown)}{f' and {more} more' if more > 0 else ''}"
        lines.append(f"Changed beside the agent and left alone (name a file to undo it): {named}")
    return "\n".join(lines)


def accepted_text(turn: int, paths: Sequence[str]) -> str:
    return "\n".join([f"Accepted: {_count(len(paths))} of turn {turn}.", *(f"  {path}" for path in paths)])


def changes_text(turns: Iterable[TurnChanges]) -> str:
    """The files of these turns, one a line: what became of it, where, how many lines, how it stands."""
    return "\n".join(line for turn in turns for line in _turn_lines(turn)) or "No file was changed by the agent."


def _turn_lines(turn: TurnChanges) -> list[str]:
    shown = [_line(row) for row in rows(turn)]
    return [f"Turn {turn.turn}: {_count(len(shown))}", *shown, *(f"  {said}" for said in turn.uncovered)]


def _line(row: Mapping[str, Any]) -> str:
    counts = f" (+{row['added']} −{row['removed']})" if "added" in row else ""
    came = f" from {row['from']}" if "from" in row else ""
    stands = "" if row["status"] == "applied" else f" [{row['status']}]"
    beside = f" [beside the agent, while {row['beside']} ran on]" if "beside" in row else ""
    refused = f" [not undone: {row['refused']}]" if "refused" in row else ""
    return f"  {_SIGNS[row['what']]} {row['path']}{came}{counts}{beside}{stands}{refused}"


def _count(number: int) -> str:
    return f"{number} file{'' if number == 1 else 's'}"


def undone(changes: Changes) -> str | None:
    """What the model is told of what is undone now; None where nothing is."""
    told = []
    for turn in changes.turns[-_TOLD_TURNS:]:
        paths = [path for path, file in turn.files.items() if file.status == "undone"]
        if paths:
            more = f" and {len(paths) - _TOLD_FILES} more" if len(paths) > _TOLD_FILES else ""
            told.append(f"turn {turn.turn}: {', '.join(paths[:_TOLD_FILES])}{more}")
    if not told:
        return None
    return f"{'; '.join(told)}. These stand as they did before that turn; read them again before you change them."
