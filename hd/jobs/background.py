"""What commands left running: each goes on as the job of its command until the turn ends, or a person keeps it."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hd.errors import HdError
from hd.jobs.job import Job, Status
from hd.jobs.jobs import Jobs
from hd.process.remains import Remains
from hd.process.sandbox.sandbox import Held
from hd.process.survivors import Survivor
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.session.live import LiveSession

MOST: Final = 16
"""Commands of a session that may have something running; what one more leaves is ended when it returns."""

_END_S: Final = 5.0
TURN: Final = "the end of the turn"
DAEMON: Final = "the end of the daemon"


class NotLeft(HdError):
    """A command that is over, or that does not run in the background, so that nobody needs to keep it."""

    code = "process/not-found"


@dataclass(slots=True, eq=False)
class _Left:
    job: Job
    remains: Remains
    exit_code: int | None
    cage: Held | None
    task: asyncio.Task[None] | None = None


class Background:
    """By session. Every task is waited for by `end_turn` or `close`."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._left: defaultdict[str, list[_Left]] = defaultdict(list)

    def has_room(self, session_id: str) -> bool:
        return len(self._left.get(session_id, ())) < MOST

    def take(
        self,
        session: LiveSession,
        job: Job,
        remains: Remains,
        exit_code: int | None,
        processes: Sequence[Survivor],
        cage: Held | None,
    ) -> None:
        """Answers from here on for what a command left running, and for its sandbox; a fact of the session."""
        job.left, job.detail = True, f"exit code: {exit_code}"
        rows = [{"pid": one.pid, "command": one.command, "ports": list(one.ports)} for one in processes]
        session.record(Draft(ev.PROCESS_LEFT, {"jobId": job.id, "exitCode": exit_code, "processes": rows}))
        one = _Left(job, remains, exit_code, cage)
        self._left[session.id].append(one)
        one.task = asyncio.create_task(self._see(session, one), name=f"background of {job.id}")
        self._jobs.changed(job)

    def keep(self, session: LiveSession, number: int) -> Literal["kept", "already-kept"]:
        """Has what a command left outlive the turn; it then runs until a person or the end of the daemon ends it.
        `NotLeft`, `JobNotFound`."""
        job = self._jobs.numbered(session.id, number)
        if not job.left or job.finished_at is not None or job.stop.is_set():
            runs = job.finished_at is None and not job.left
            why = "runs by itself and is not ended with the turn" if runs else "has nothing that still runs"
            raise NotLeft(f"Command #{number} {why}, so there is nothing to keep.", {"number": number})
        if job.kept:
            return "already-kept"
        job.kept = True
        session.record(Draft(ev.PROCESS_KEPT, {"jobId": job.id}))
        self._jobs.changed(job)
        return "kept"

    async def end_turn(self, session_id: str) -> None:
        """Ends what the commands of a session left, but what is kept."""
        await self._end([one for one in self._left.get(session_id, ()) if not one.job.kept], TURN)

    async def close(self) -> None:
        """Ends everything."""
        await self._end([one for own in self._left.values() for one in own], DAEMON)

    def rests(self, session_id: str) -> bool:
        return not self._left.get(session_id)

    def leave(self, session_id: str) -> None:
        self._left.pop(session_id, None)

    async def _end(self, ending: Sequence[_Left], by: str) -> None:
        for one in ending:
            if not one.job.stop.is_set():
                self._jobs.kill(one.job.owner, one.job.id, by=by)
        tasks = {one.task for one in ending if one.task is not None}
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=_END_S)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=_END_S)

    async def _see(self, session: LiveSession, one: _Left) -> None:
        """Until nothing of it runs any more, or somebody wants its end."""
        over, stop = asyncio.create_task(one.remains.over()), asyncio.create_task(one.job.stop.wait())
        try:
            await asyncio.wait({over, stop}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (over, stop):
                task.cancel()
            await asyncio.wait({over, stop})
            try:
                await one.remains.end()
            finally:
                self._left[session.id].remove(one)
                self._jobs.settle(session, one.job, *_ended(one))
                session.save_projections()
                if one.cage is not None:
                    await asyncio.to_thread(one.cage.close)


def _ended(one: _Left) -> tuple[Status, str]:
    """How the job ended: as its command did, whatever became of the rest, unless somebody ended that by name."""
    code = f"exit code: {one.exit_code}"
    if not one.job.stop.is_set():
        return "completed", code
    if one.job.stopped_by == TURN:
        return "completed", f"{code}; what it left running was ended with the turn"
    return "killed", f"stopped by {one.job.stopped_by}"
