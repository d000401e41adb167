"""What each session's tools work with; built beside the assembly, of which it is a part."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, Final

from hd.files.guard import Guard
from hd.files.layer import FileLayer
from hd.jobs.background import Background
from hd.jobs.jobs import Jobs
from hd.jobs.runner import JobRunner
from hd.jobs.terminals import SessionDesk, Terminals
from hd.permit import reading
from hd.permit.look import DiskLook
from hd.process.run import Runner
from hd.process.sandbox.sandbox import Sandbox
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.secrets.find import WorkspaceSecrets
from hd.secrets.mask import Mask
from hd.session.live import LiveSession
from hd.tools.base import Asker, ToolContext
from hd.undo.beside import ran_on
from hd.undo.trace import Trace, TracedRunner, through
from hd.undo.undo import Undo

_log = logging.getLogger(__name__)

_REMEMBERED: Final = 256


class Desks:
    """What each session's tools work with.

    What the model has seen of a session's files, a hash for each, outlives the session in memory: who comes back after
    an hour may write what was read before, and a file that changed since is found out all the same. Of the sessions
    that are not in memory it is kept for the last `_REMEMBERED`; the model of an older one has to read again, as after
    a restart. The texts themselves, by which a refused write says what is new in a file, go with the session.
    """

    def __init__(
        self,
        runner: Runner,
        sandbox: Sandbox,
        jobs: Jobs,
        guard: Guard,
        scratch: Path,
        undo: Undo,
        own: Callable[[], Mask],
    ) -> None:
        self._own = own
        self._secrets: dict[str, WorkspaceSecrets] = {}
        self._runner = runner
        self._sandbox = sandbox
        self._jobs = jobs
        self._scratch = scratch
        self._guard = guard
        self._undo = undo
        self.background = Background(jobs)
        self.terminals = Terminals(runner, sandbox, jobs, self.mask_for)
        self._files: dict[str, FileLayer] = {}
        self._seen: dict[str, dict[Path, str]] = {}
        """By session, the last that left memory at the end."""

    def context_for(self, session: LiveSession, call_id: str, ask: Asker) -> ToolContext:
        workspace = Path(session.header.cwd)
        files = self._files.get(session.id)
        if files is None:
            files = self._files[session.id] = FileLayer(workspace, self._guard, scratch=self._scratch)
        seen = self._seen.setdefault(session.id, {})
        trace = self._undo.trace(session, call_id)
        look = partial(self.mask_for, session)
        runner = JobRunner(self._runner, self._sandbox, self._jobs, self.background, session, look)
        return ToolContext(
            workspace,
            files.witnessed(trace.witness),
            TracedRunner(
                runner,
                trace,
                lambda command: reading.doubt(command, DiskLook(files)) is None,
                partial(self._undo.watch, session, look=False),
            ),
            ask,
            call_id,
            seen,
            session.view,
            partial(self._undo.borne_out, session),
            trace.facts,
            SessionDesk(self.terminals, session, partial(self._opens, session, trace)),
        )

    async def calls_begin(self, session: LiveSession) -> None:
        """Where something runs on beside the calls, what changes outside of them is noted."""
        if ran_on(session.value("jobs"), session.now()):
            await self._surely(asyncio.to_thread(self._undo.watch, session), session)

    async def turn_over(self, session: LiveSession) -> None:
        """Ends what commands left running, and records what changed beside the calls."""
        await self._surely(self._turn_over(session), session)

    async def _turn_over(self, session: LiveSession) -> None:
        await self.background.end_turn(session.id)
        if (changed := await asyncio.to_thread(self._undo.beside, session)) is not None:
            session.record(Draft(ev.UNDO_CHANGED, changed))

    async def _surely(self, work: Coroutine[Any, Any, None], session: LiveSession) -> None:
        try:
            await through(work)
        except Exception:
            _log.exception("what runs on beside the calls of %s could not be seen to", session.id)

    def _opens(self, session: LiveSession, trace: Trace) -> None:
        """A terminal is about to be opened."""
        trace.terminal()
        self._undo.watch(session)

    def mask_for(self, session: LiveSession) -> Mask:
        secrets = self._secrets.get(session.id)
        if secrets is None:
            root = Path(session.header.cwd)
            secrets = self._secrets.setdefault(session.id, WorkspaceSecrets(root, self._guard, self._own))
        return secrets.look()

    def masks(self) -> Mask:
        """What must not be shown of any workspace in use, as of now; may be called from any thread."""
        found = self._own()
        for secrets in list(self._secrets.values()):
            found |= secrets.look()
        return found

    def rests(self, session_id: str) -> bool:
        return True

    def leave(self, session_id: str) -> None:
        self._files.pop(session_id, None)
        self._secrets.pop(session_id, None)
        seen = self._seen.pop(session_id, None)
        if seen:
            self._seen[session_id] = seen
        absent = [known for known in self._seen if known not in self._files]
        for known in absent[:-_REMEMBERED]:
            del self._seen[known]
