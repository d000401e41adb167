"""What a session is told of the place it works in: sections of text from several sources, and the tree of its folder.

A look at the disk is taken before each turn, in a thread, and waited for only so long: what comes later is told before
the next step. Nothing is said about what was not looked at yet, so a slow disk makes nothing look as if it were gone.
"""

import asyncio
import logging
import platform
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from hd.files.guard import Guard
from hd.files.tree import Seen, Tree
from hd.permit.policy import unasked
from hd.permit.presets import preset
from hd.process.sandbox.sandbox import Sandbox
from hd.projects.catalogue import languages
from hd.prompt import tree
from hd.prompt.context import PROJECT, Sections, runtime_context
from hd.prompt.tree import News
from hd.session.live import LiveSession
from hd.undo.tell import undone

_log = logging.getLogger(__name__)

WAIT_S: Final = 0.05
"""A turn begins without the look that takes longer."""

REMEMBERED: Final = 16
"""Trees of which is remembered what they held; another one is read anew."""

_HOME: Final = "not told: this folder holds a person's whole home. Look only where the task leads you."
_UNREADABLE: Final = "not told: this folder could not be read."

Source = Callable[[LiveSession], Mapping[str, str]]
"""Where sections come from: what a session has to know now, text by title. Whatever has something to tell is one of
these; only what changed is told again."""


def local_time() -> datetime:
    """Now, where this machine is."""
    return datetime.now(UTC).astimezone()


class Surroundings:
    """The surroundings of all sessions of a house. `now` is the time where the person is."""

    def __init__(
        self,
        guard: Guard,
        sandbox: Sandbox,
        shell: str,
        home: Path,
        now: Callable[[], datetime],
        sources: Sequence[Source] = (),
    ) -> None:
        self._guard = guard
        self._sandbox = sandbox
        self._shell = shell
        self._home = home
        self._now = now
        self._sources = sources
        self._trees: dict[Path, Tree] = {}
        self._lock = threading.Lock()
        self._looks: dict[str, asyncio.Task[None]] = {}
        self._seen: dict[str, Seen | str] = {}
        """By session, the last look at its folder, or why there is none."""

    async def look(self, session: LiveSession) -> None:
        """Looks at the session's folder, and returns when that is done or has taken `WAIT_S`."""
        running = self._looks.get(session.id)
        if running is None:
            running = asyncio.create_task(self._look(session), name=f"look at the folder of {session.id}")
            self._looks[session.id] = running
            running.add_done_callback(lambda _: self._looks.pop(session.id, None))
        await asyncio.wait({running}, timeout=WAIT_S)

    async def _look(self, session: LiveSession) -> None:
        root = Path(session.header.cwd)
        wanted = tuple(session.value(tree.TREE.key).folders)
        try:
            self._seen[session.id] = await asyncio.to_thread(self._seen_now, root, wanted)
        except OSError:
            self._seen[session.id] = _UNREADABLE
        except Exception:
            # A turn needs no tree: it goes on without, and the log has the reason.
            _log.exception("the folder of %s could not be looked at", session.id)

    def _seen_now(self, root: Path, wanted: tuple[str, ...]) -> Seen | str:
        real = root.resolve()
        if real == self._home or real in self._home.parents:
            return _HOME
        return self._tree(real).look(wanted)

    def _tree(self, root: Path) -> Tree:
        """The tree of a folder; the one that was asked for longest ago is forgotten. Several threads may call this."""
        with self._lock:
            found = self._trees.pop(root, None) or Tree(root, self._guard)
            self._trees[root] = found
            for oldest in list(self._trees)[:-REMEMBERED]:
                del self._trees[oldest]
            return found

    def tree(self, session: LiveSession) -> News | None:
        """What the model has to be told of the tree; None where that is nothing, or not known yet."""
        seen = self._seen.get(session.id)
        return tree.news(session.value(tree.TREE.key), seen) if isinstance(seen, Seen) else None

    def sections(self, session: LiveSession) -> Sections:
        chosen, hold = preset(session.value("preset")), session.value("sandbox")
        seen = self._seen.get(session.id)
        told = session.value("history").sections
        sections = runtime_context(
            workspace=Path(session.header.cwd),
            preset=chosen.name,
            preset_description=chosen.description,
            platform=f"{platform.system()} {platform.machine()}",
            shell=self._shell,
            date=self._now().strftime("%Y-%m-%d (%A)"),
            planning=session.value("plan"),
            undone=undone(session.value("changes")),
            sandbox=self._sandbox.for_model(unasked(chosen.sandbox, hold), hold),
            project=told.get(PROJECT) if seen is None else _project(seen),
            untold=seen if isinstance(seen, str) else None,
        )
        for source in self._sources:
            sections.update(source(session))
        return sections

    def rests(self, session_id: str) -> bool:
        return session_id not in self._looks

    def leave(self, session_id: str) -> None:
        self._seen.pop(session_id, None)

    async def close(self) -> None:
        """Waits for the looks that are on their way; each has its own end."""
        if self._looks:
            await asyncio.wait(self._looks.values())


def _project(seen: Seen | str) -> str | None:
    """The languages of the project and what says so: `Python (pyproject.toml)`."""
    if isinstance(seen, str):
        return None
    found = languages(frozenset(seen.folders[""].names))
    return ", ".join(f"{language} ({', '.join(marks)})" for language, marks in found.items()) or None
