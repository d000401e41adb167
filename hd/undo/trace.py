"""What one call of a session changes: file tools tell it as they go, a command is seen by its tree."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from hd.files.encoding import shown
from hd.files.exact import below
from hd.files.scan import relative_name
from hd.process.run import DEFAULT_TIMEOUT_S, Ran
from hd.process.sandbox.plan import Mode
from hd.protocol.projections.changes import Change, Node, TurnChanges
from hd.tools.base import CommandRunner
from hd.undo.blobs import digest
from hd.undo.nodes import counted, node_at, store
from hd.undo.pending import Pending
from hd.undo.recover import found
from hd.undo.tree import MOST_CHANGES, Tree, merged

_log = logging.getLogger(__name__)

LARGE_FOLDER = f"A folder of more than {MOST_CHANGES:,} entries was moved; that is not kept."
ODD_NAME = "A file was changed whose name is no UTF-8; that is not kept."
UNSEEN_TERMINAL = (
    "What programs in terminals change is listed at the end of each turn; what between turns, is not kept."
)
UNSEEN_COMMAND = "A command was cut off when the daemon was killed; what it had changed by then is not known."


@dataclass(frozen=True, slots=True)
class Origin:
    """Which call it is; `turn` and `step` as in its other events."""

    session_id: str
    call_id: str
    turn: int
    step: int

    def facts(self, by: str, changes: Sequence[Change], uncovered: str | None) -> dict[str, Any]:
        """The body of `undo/changed`; `by` is `tool` or `command`."""
        where = {"turn": self.turn, "step": self.step, "callId": self.call_id, "by": by}
        said = {"uncovered": uncovered} if uncovered is not None else {}
        return {**where, "changes": [change.to_wire() for change in changes], **said}


class Trace:
    """One call of a turn of which `known` is known. Its methods may be called from any thread."""

    def __init__(self, tree: Tree, pending: Pending, origin: Origin, known: TurnChanges | None) -> None:
        self._tree = tree
        self._pending = pending
        self._origin = origin
        self._known = known or TurnChanges(origin.turn, {})
        self._changes: dict[str, Change] = {}
        self._uncovered: str | None = None
        self._by = "tool"
        self._lock = threading.Lock()

    def facts(self) -> dict[str, Any] | None:
        """What is to be recorded now, and was not given before; None for nothing."""
        with self._lock:
            changes, self._changes = self._changes, {}
            uncovered, self._uncovered = self._uncovered, None
        return self._origin.facts(self._by, list(changes.values()), uncovered) if changes or uncovered else None

    @contextmanager
    def witness(self, *places: Path, content: bytes | None = None) -> Iterator[None]:
        """Around one change of the file layer (`hd.files.witness`)."""
        before = self._standing(places)
        if not before:
            yield
            return
        names = [relative_name(self._tree.root, place) for place in places]
        planned = [Change(name, before.get(name), node) for name, node in intended(before, names, content).items()]
        self._note([*self._changes.values(), *planned], None)
        whole = False
        try:
            yield
            whole = True
        finally:
            made = told(planned, self._standing(places, before), whole=whole)
            if content is not None and made:
                store(content, self._tree.blobs)
            self._tree.note({change.path: change.after for change in made})
            self._add(made)

    def begin(self, cancel: threading.Event) -> Callable[[], None]:
        """Looks at the tree before a command; gives what looks at it again behind the command."""
        self._by = "command"
        window = self._tree.begin(cancel)
        if window.trouble is None:
            self._note(list(self._changes.values()), UNSEEN_COMMAND)

        def end() -> None:
            self._tree.end(window, cancel)
            if window.trouble is not None:
                said = f"What commands change here is not kept: {window.trouble}."
                if said not in self._known.uncovered:
                    self._uncovered = said
            self._add(window.changes.values())

        return end

    def terminal(self) -> None:
        """A terminal was opened: what runs there goes on beside all other calls, so nobody can tell its changes."""
        if UNSEEN_TERMINAL not in self._known.uncovered:
            self._uncovered = UNSEEN_TERMINAL

    def _note(self, changes: Sequence[Change], uncovered: str | None) -> None:
        try:
            self._pending.write(
                self._origin.session_id, self._origin.call_id, self._origin.facts(self._by, changes, uncovered)
            )
        except OSError as error:
            _log.warning("a change of %s goes on without a note: %s", self._origin.session_id, error)

    def _add(self, changes: Any) -> None:
        found: dict[str, Change] = {}
        for change in changes:
            merged(found, change)
        with self._lock:
            for change in found.values():
                merged(self._changes, change)
                if (whole := self._changes.get(change.path)) is not None:
                    self._changes[change.path] = self._weighed(whole)

    def _weighed(self, change: Change) -> Change:
        for node in (change.before, change.after):
            if node is not None and node.blob:
                self._tree.blobs.use(node.blob)
        known = self._known.files.get(change.path)
        return counted(change, change.before if known is None else known.change.before, self._tree.blobs)

    def _standing(
        self, places: Sequence[Path], known: Mapping[str, Node | None] | None = None
    ) -> dict[str, Node | None]:
        """What stands at these places, in them, and where a folder above them was missing; `known` names more of it.

        Nothing where it is too much, or where no log can tell the names.
        """
        root = self._tree.root
        wanted = dict.fromkeys(places)
        for place in places:
            missing = (parent for parent in place.parents if parent.is_relative_to(root) and not parent.exists())
            wanted |= dict.fromkeys(missing)
            if place.is_dir() and not place.is_symlink():
                inside = below(root, place, self._tree.guard, MOST_CHANGES)
                if inside is None:
                    self._uncovered = LARGE_FOLDER
                    return {}
                wanted |= dict.fromkeys(inside)
        names = {relative_name(root, place): place for place in wanted} | {name: root / name for name in known or ()}
        if not all(map(_is_text, names)):
            self._uncovered = ODD_NAME
            return {}
        return {name: node_at(root, place, self._tree.blobs) for name, place in names.items()}


def intended(before: Mapping[str, Node | None], names: Sequence[str], content: bytes | None) -> dict[str, Node | None]:
    """What shall stand where, once a change of the file layer is made; modes that are not known are -1. Pure."""
    made: dict[str, Node | None] = {
        name: Node("directory", -1) for name, node in before.items() if node is None and name not in names
    }
    here = before.get(names[0])
    if content is not None:
        made[names[0]] = Node("file", -1 if here is None else here.mode, digest(content), len(content))
    elif len(names) == 2:
        source, target = names
        for name, node in before.items():
            if node is not None and (name == source or name.startswith(f"{source}/")):
                made[target + name[len(source) :]] = node
                made[name] = None
    else:
        made[names[0]] = Node("directory", -1) if here is None else None
    return made


def told(planned: Sequence[Change], now: Mapping[str, Node | None], *, whole: bool) -> list[Change]:
    """Which of the planned changes are the agent's, by what stands there right behind them; pure.

    What stands there and is not what was meant was saved by somebody else in the same moment. Where the change was
    made all the same (`whole`) theirs came after it; where it failed there was none.
    """
    seen = found(planned, now)
    overtaken = [change for change in planned if whole and change.path in seen.unclear]
    return [*seen.made, *(replace(change, after=_usual(change.after)) for change in overtaken)]


def _usual(node: Node | None) -> Node | None:
    """With the mode that a new file or folder mostly gets, where nobody saw which it was."""
    if node is None or node.mode >= 0:
        return node
    return replace(node, mode=0o755 if node.kind == "directory" else 0o644)


def _is_text(name: str) -> bool:
    """Whether a log can tell this name."""
    return name == shown(name)


@dataclass(frozen=True, slots=True)
class TracedRunner:
    """Runs commands with another runner, and looks at the tree around them; `watch` where one left something running.

    Not around those that provably only read, which `only_reads` says; it looks at the disk, so it blocks.
    """

    runner: CommandRunner
    trace: Trace
    only_reads: Callable[[str], bool]
    watch: Callable[[], None]

    async def run(
        self, command: str, *, cwd: Path, run_id: str, mode: Mode, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Ran:
        if await asyncio.to_thread(self.only_reads, command):
            return await self.runner.run(command, cwd=cwd, run_id=run_id, mode=mode, timeout_s=timeout_s)
        cancel = threading.Event()
        left = False
        beginning = asyncio.ensure_future(asyncio.to_thread(self.trace.begin, cancel))
        try:
            await asyncio.shield(beginning)
            ran = await self.runner.run(command, cwd=cwd, run_id=run_id, mode=mode, timeout_s=timeout_s)
            left = ran.left
            return ran
        except asyncio.CancelledError:
            if not beginning.done():
                cancel.set()
            raise
        finally:
            await through(self._end(beginning, left=left))

    def output(self, job_id: str) -> Iterator[str] | None:
        return self.runner.output(job_id)

    async def _end(self, beginning: "asyncio.Future[Callable[[], None]]", *, left: bool) -> None:
        end = await beginning
        await asyncio.to_thread(end)
        if left:
            await asyncio.to_thread(self.watch)


async def through(work: Any) -> None:
    """Waits for the end of what ends by itself, also where the caller is cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
