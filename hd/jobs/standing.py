"""What the running commands of a session hold: their processes and the ports at which these listen."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from hd.jobs.job import Job
from hd.process.survivors import by_run, describe, ports


@dataclass(frozen=True, slots=True)
class Process:
    """`command` is the command line, cut; `ports` are those at which it listens."""

    pid: int
    command: str
    ports: tuple[int, ...]


async def processes(jobs: Sequence[Job]) -> dict[str, list[Process]]:
    """The living processes of each job, by the job's id."""
    return await asyncio.to_thread(_processes, [job.id for job in jobs])


def _processes(job_ids: Sequence[str]) -> dict[str, list[Process]]:
    return {
        job_id: [Process(one.pid, describe(one).command, tuple(ports(one))) for one in found]
        for job_id, found in by_run(job_ids).items()
    }
