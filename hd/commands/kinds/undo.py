"""`/undo`, `/redo`, `/accept` and `/changes`: what becomes of the files that the agent changed."""

import os
from collections.abc import Sequence
from functools import partial

from hd.commands.base import Command, Line, Said, refused
from hd.protocol.projections.changes import Changes
from hd.undo.plan import Operation
from hd.undo.tell import accepted_text, changes_text, taken_text
from hd.undo.undo import STOPPED, Undo

HINT = "[<turn>] [<file>]"


def commands(undo: Undo) -> Sequence[Command]:
    return (
        Command("accept", "Lets changes of a turn stand, so that an undo spares them.", partial(_accept, undo), HINT),
        Command("changes", "Lists what the agent changed in files, turn by turn.", _changes, "[<turn>]"),
        Command("redo", "Does again what was undone last.", partial(_take, undo, "redo"), HINT),
        Command("undo", "Takes back what a turn changed in files.", partial(_take, undo, "undo"), HINT),
    )


async def _take(undo: Undo, operation: Operation, line: Line) -> Said:
    turn, names = wish(line)
    taken = await line.agent.alone(
        lambda: undo.take(line.session, operation, turn, names), f"{operation} its changes", STOPPED
    )
    return Said(taken_text(taken), ok=bool(taken.done) or not taken.refused)


async def _accept(undo: Undo, line: Line) -> Said:
    return Said(accepted_text(*await undo.accept(line.session, *wish(line))))


async def _changes(line: Line) -> Said:
    turn, names = wish(line)
    changes: Changes = line.session.value("changes")
    if names:
        return refused(f"/changes takes the number of a turn, not “{names[0]}”.")
    return Said(changes_text(known for known in changes.turns if turn in (None, known.turn)))


def wish(line: Line) -> tuple[int | None, tuple[str, ...]]:
    """The turn and the file that a line names; a file whose name is a number is written as `./7`."""
    word, _, rest = line.args.partition(" ")
    turn = int(word) if word.isdecimal() else None
    name = rest.strip() if turn is not None else line.args
    return turn, (relative(name, line.session.header.cwd),) if name else ()


def relative(name: str, workspace: str) -> str:
    """A path as changes have it: below the workspace, without `.` and `..`."""
    return os.path.relpath(os.path.join(workspace, name), workspace)
