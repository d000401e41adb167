"""What the running commands of a session hold: their processes and the ports at which these listen."""

import asyncio
from collections.abc import Sequence

from hd.jobs.job import Job
from hd.process.survivors import Survivor, by_run, listed


async def processes(jobs: Sequence[Job]) -> dict[str, tuple[Survivor, ...]]:
    """The living processes of each job, by the job's id."""
    return await asyncio.to_thread(_processes, [job.id for job in jobs])


def _processes(job_ids: Sequence[str]) -> dict[str, tuple[Survivor, ...]]:
    return {job_id: listed(found) for job_id, found in by_run(job_ids).items()}
