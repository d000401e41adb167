"""What each session's tools work with; built beside the assembly, of which it is a part."""

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

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
from hd.secrets.find import WorkspaceSecrets
from hd.secrets.mask import Mask
from hd.session.live import LiveSession
from hd.tools.base import Asker, ToolContext
from hd.undo.trace import TracedRunner, through
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
            TracedRunner(runner, trace, lambda command: reading.doubt(command, DiskLook(files)) is None),
            ask,
            call_id,
            seen,
            session.view,
            partial(self._undo.borne_out, session),
            trace.facts,
            SessionDesk(self.terminals, session, trace.terminal),
        )

    async def turn_over(self, session: LiveSession) -> None:
        """Before a turn ends: ends what its commands left running. A cancelled caller waits for that as well."""
        try:
            await through(self.background.end_turn(session.id))
        except Exception:
            _log.exception("what commands of %s left running could not be ended with the turn", session.id)

    def mask_for(self, session: LiveSession) -> Mask:
        secrets = self._secrets.get(session.id)
        if secrets is None:
            root = Path(session.header.cwd)
            secrets = self._secrets.setdefault(session.id, WorkspaceSecrets(root, self._guard, self._own))
        return secrets.look()

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
