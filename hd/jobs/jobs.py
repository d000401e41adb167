"""The jobs of a daemon: registered and settled as facts of their sessions, listed, followed and stopped by people."""

from collections import defaultdict
from collections.abc import AsyncGenerator
from typing import Any, Final, Literal
from uuid import uuid4

import msgspec

from hd.errors import HdError
from hd.jobs.job import Bell, Job, Status
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.session.live import LiveSession

KEPT: Final = 20
"""Settled jobs whose output is kept, in each session."""

_LABEL: Final = 200

_encode = msgspec.json.encode


class JobNotFound(HdError):
    """No job of this daemon has this id; one of an earlier daemon is a fact of its log only."""

    code = "job/not-found"


class Jobs:
    """All jobs that this daemon started, by session."""

    def __init__(self) -> None:
        self._jobs: defaultdict[str, dict[str, Job]] = defaultdict(dict)
        self._bells: defaultdict[str, Bell] = defaultdict(Bell)
        self._closed = False

    def register(self, session: LiveSession, kind: str, label: str, call_id: str) -> Job:
        """A new job, which is a fact of the session from here on."""
        shown = label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}…"
        job = Job(
            f"{kind}-{uuid4().hex[:16]}",
            kind=kind,
            label=shown,
            owner=session.id,
            call_id=call_id,
            started_at=session.now(),
        )
        own = self._jobs[session.id]
        settled = [known for known in own.values() if known.finished_at is not None]
        for old in settled[: max(0, len(settled) - KEPT + 1)]:
            del own[old.id]
        own[job.id] = job
        session.record(Draft(ev.JOB_REGISTERED, job.facts()))
        job.number = session.value("jobs")[-1]["number"]
        self._bells[session.id].ring()
        return job

    def settle(self, session: LiveSession, job: Job, status: Status, detail: str) -> None:
        """The end of a job, as a fact of the session."""
        job.status, job.detail, job.finished_at = status, detail, session.now()
        cause = "kill" if status == "killed" else "producer"
        end = {
            "finishedAt": job.finished_at,
            "status": status,
            "cause": cause,
            "producerReported": True,
            "detail": detail,
        }
        session.record(Draft(ev.JOB_SETTLED, {**job.facts(), **end}))
        self.changed(job)

    def offer(self, session: LiveSession, job: Job, page: str) -> None:
        """A web page that a job serves, as a fact of the session."""
        job.pages.append(page)
        session.record(Draft(ev.PROCESS_PAGE, {"jobId": job.id, "url": page}))
        self._bells[session.id].ring()

    def changed(self, job: Job) -> None:
        """Tells whoever watches that a job stands otherwise."""
        job.bell.ring()
        self._bells[job.owner].ring()

    def kill(self, session_id: str, job_id: str, *, by: str = "a person") -> Literal["requested", "already-finished"]:
        """Asks a job to end, in somebody's name; its end comes as any other end of it does."""
        job = self.get(session_id, job_id)
        if job.finished_at is not None:
            return "already-finished"
        job.status, job.stopped_by = "stopping", by
        job.stop.set()
        self.changed(job)
        return "requested"

    def numbered(self, session_id: str, number: int) -> Job:
        """The job that the model knows by a number; `JobNotFound`."""
        for job in self._jobs.get(session_id, {}).values():
            if job.number == number:
                return job
        raise JobNotFound(f"No command #{number} of this session was run by this daemon.", {"number": number})

    def running(self, session_id: str) -> list[Job]:
        return [job for job in self._jobs.get(session_id, {}).values() if job.finished_at is None]

    def get(self, session_id: str | None, job_id: str) -> Job:
        """The job of a session, or of any where none is named; `JobNotFound`."""
        own = [self._jobs.get(session_id, {})] if session_id is not None else list(self._jobs.values())
        for jobs in own:
            if job_id in jobs:
                return jobs[job_id]
        raise JobNotFound(f"This daemon has no job {job_id}.", {"jobId": job_id})

    async def listed(self, session_id: str) -> AsyncGenerator[list[bytes], None]:
        """All rows of a session, and all again whenever a job begins, is stopped or ends."""
        with self._bells[session_id].listening() as woken:
            while not self._closed:
                woken.clear()
                rows = [job.row() for job in self._jobs.get(session_id, {}).values()]
                yield [_encode({"type": "rows", "jobs": rows})]
                await woken.wait()

    async def followed(self, job: Job, start: int | None) -> AsyncGenerator[list[bytes], None]:
        """The job, its output from an offset on (default: all that is kept), its status; ends with the job."""
        at = min(job.earliest if start is None else start, job.total)
        status = job.status
        yield [_encode({"type": "opened", "job": job.row(), "from": at})]
        with job.bell.listening() as woken:
            while not self._closed:
                woken.clear()
                items: list[dict[str, Any]] = []
                chunks = job.output(at)
                if chunks:
                    at = job.total
                    items.append({"type": "output", "chunks": chunks, "next": at})
                if job.status != status:
                    status = job.status
                    items.append({"type": "status", "job": job.row()})
                if items:
                    yield [_encode(item) for item in items]
                if job.finished_at is not None and at == job.total and status == job.status:
                    return
                await woken.wait()

    def rests(self, session_id: str) -> bool:
        return all(job.finished_at is not None for job in self._jobs.get(session_id, {}).values())

    def leave(self, session_id: str) -> None:
        """Drops the settled jobs with their output, as a restart does: what they were is in the log of the session."""
        self._jobs.pop(session_id, None)
        self._bells.pop(session_id, None)

    def close(self) -> None:
        """Ends all streams; the jobs end with their turns."""
        self._closed = True
        for bell in (*self._bells.values(), *(job.bell for own in self._jobs.values() for job in own.values())):
            bell.ring()
