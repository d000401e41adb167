"""The jobs of a session: commands that run or ran (WIRE 14, `job/registered` and `job/settled`). Our own projection."""

from collections.abc import Mapping
from typing import Any

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection

TERMINAL = "terminal"
"""The kind of a job that goes on when its turn ends."""

SHOWN = 50
"""How many settled jobs are shown; open ones always are."""

Jobs = tuple[Mapping[str, Any], ...]


def _registered(state: Jobs, event: Event) -> Jobs:
    settled = [job for job in state if job.get("finishedAt") is not None]
    dropped = settled[: max(0, len(settled) - SHOWN + 1)]
    # The last one is never dropped before there is a next, so the count goes on over the whole log.
    number = (state[-1]["number"] if state else 0) + 1
    return (*(job for job in state if job not in dropped), {**event.data, "number": number, "status": "running"})


def _settled(state: Jobs, event: Event) -> Jobs:
    job_id = event.data.get("jobId")
    if not any(job.get("jobId") == job_id for job in state):
        return state
    end = {"finishedAt": event.time, **event.data}
    return tuple({**job, **end} if job.get("jobId") == job_id else job for job in state)


def _page(state: Jobs, event: Event) -> Jobs:
    job_id, url = event.data.get("jobId"), event.data.get("url")
    if not any(job.get("jobId") == job_id and url not in job.get("pages", ()) for job in state):
        return state
    return tuple({**job, "pages": [*job.get("pages", ()), url]} if job.get("jobId") == job_id else job for job in state)


def _left(state: Jobs, event: Event) -> Jobs:
    """The command is over, and something that it started is not."""
    more = {"left": True, "detail": f"exit code: {event.data.get('exitCode')}"}
    return _with(state, event, more)


def _kept(state: Jobs, event: Event) -> Jobs:
    return _with(state, event, {"kept": True})


def _with(state: Jobs, event: Event, more: Mapping[str, Any]) -> Jobs:
    job_id = event.data.get("jobId")
    if not any(job.get("jobId") == job_id and job.get("status") == "running" for job in state):
        return state
    return tuple({**job, **more} if job.get("jobId") == job_id else job for job in state)


def _row(job: Mapping[str, Any]) -> dict[str, Any]:
    """A job in the shape that the dialect gives rows of jobs (WIRE 6), and the number that the model knows it by."""
    row = {"id": job.get("jobId"), "number": job["number"]}
    keys = ["kind", "label", "status", "detail", "startedAt", "finishedAt", "pages"]
    if job.get("finishedAt") is None:
        keys += ["left", "kept"]
    return row | {key: job[key] for key in keys if job.get(key) is not None}


JOBS: Projection[Jobs] = Projection(
    "jobs",
    (),
    {
        ev.JOB_REGISTERED: _registered,
        ev.JOB_SETTLED: _settled,
        ev.PROCESS_PAGE: _page,
        ev.PROCESS_LEFT: _left,
        ev.PROCESS_KEPT: _kept,
    },
    lambda state: [_row(job) for job in state],
)


def outlives_turn(job: Mapping[str, Any]) -> bool:
    """Whether a job without an end goes on when the turn ends: a terminal, or what a person keeps."""
    return job.get("kind") == TERMINAL or bool(job.get("kept"))


def open_jobs(state: Jobs) -> list[Mapping[str, Any]]:
    """The registered facts of the jobs without an end."""
    return [job for job in state if job.get("status") == "running"]
