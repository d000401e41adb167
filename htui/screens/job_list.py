"""The list of a session's commands: read from the host for as long as it is open."""

from collections.abc import Callable
from typing import Any

from htui.errors import RemoteError
from htui.link.watch import Watch
from htui.present.jobs import Job, jobs_of
from htui.screens.desk import Desk


class JobList:
    """`shown` is called with the jobs whenever they are others, `missing` with why there is nothing to show; `jobs` are
    the ones that were told last."""

    def __init__(
        self, desk: Desk, session_id: str, shown: Callable[[tuple[Job, ...]], None], missing: Callable[[str], None]
    ) -> None:
        self._desk = desk
        self._session_id = session_id
        self._shown = shown
        self._missing = missing
        self._watch: Watch | None = None
        self.jobs: tuple[Job, ...] = ()

    def open(self) -> None:
        request = {"sessionId": self._session_id}
        self._watch = self._desk.link.watch("job/list", self._came, self._refused, request=request)

    def close(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    def job(self, job_id: str) -> Job | None:
        return next((job for job in self.jobs if job.id == job_id), None)

    def _came(self, items: list[Any]) -> None:
        rows = items[-1].get("jobs") if items and isinstance(items[-1], dict) else None
        self._show(jobs_of(rows), "No command has run here since the daemon was started.")

    def _refused(self, error: RemoteError) -> None:
        """Older hosts tell their jobs beside the session's other values."""
        jobs = jobs_of(self._desk.link.host.values(self._session_id).jobs)
        self._show(jobs, "This host tells of no commands that run.")

    def _show(self, jobs: tuple[Job, ...], otherwise: str) -> None:
        self.jobs = jobs
        if jobs:
            self._shown(jobs)
        else:
            self._missing(otherwise)
