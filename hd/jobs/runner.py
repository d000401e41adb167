"""Runs a command as a job of its session."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hd.jobs.background import Background
from hd.jobs.job import OUTPUT_LIMIT, Status
from hd.jobs.jobs import Jobs
from hd.process.remains import Remains
from hd.process.run import DEFAULT_TIMEOUT_S, Ran, Runner
from hd.process.sandbox.plan import Mode
from hd.process.sandbox.sandbox import Held, Sandbox
from hd.secrets.mask import Mask
from hd.session.live import LiveSession

KIND = "bash"


@dataclass(frozen=True, slots=True)
class JobRunner:
    """What a tool runs commands with: the same as the runner's, watched and stopped from outside, and held as the
    session says.

    What people see of the output while it comes is rid of the values that `look` knows before the command begins;
    values that the command itself makes are hidden in its result (`hd.agent.dispatch`).
    """

    runner: Runner
    sandbox: Sandbox
    jobs: Jobs
    background: Background
    session: LiveSession
    look: Callable[[], Mask]

    async def run(
        self, command: str, *, cwd: Path, run_id: str, mode: Mode, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Ran:
        """As `Runner.run`, held by the sandbox of `mode`; `SandboxMissing` where there must be one and is none."""
        cage = await asyncio.to_thread(self.sandbox.cage, mode, cwd, self.session.value("sandbox"))
        if cage is None:
            return await self._run(command, cwd, run_id, timeout_s, None)
        left = False
        try:
            ran = await self._run(command, cwd, run_id, timeout_s, cage)
            left = ran.left
            blocked = await asyncio.to_thread(self._blocked, cage, ran.output)
            return replace(ran, sandbox={"mechanism": cage.mechanism.name, "mode": mode}, blocked=blocked)
        finally:
            if not left:
                await asyncio.to_thread(cage.close)

    def _blocked(self, cage: Held, output: str) -> str | None:
        """What the sandbox kept the command from, rid of secrets: a person may be asked about it before the result is
        recorded."""
        blocked = cage.explain(output)
        return None if blocked is None else self.look().hide(blocked)

    async def _run(self, command: str, cwd: Path, run_id: str, timeout_s: float, cage: Held | None) -> Ran:
        """The job is settled whatever ends it; where it left something running, by the end of that."""
        mask = await asyncio.to_thread(self.look)
        job = self.jobs.register(self.session, KIND, command, run_id)
        remains: list[Remains] = []
        try:
            ran = await self.runner.run(
                command,
                cwd=cwd,
                run_id=job.id,
                timeout_s=timeout_s,
                on_output=lambda text: job.add(mask.hide(text)),
                stop=job.stop,
                cage=cage,
                leave=remains.append if self.background.has_room(self.session.id) else None,
            )
        except asyncio.CancelledError:
            self.jobs.settle(self.session, job, "killed", "the call was stopped")
            raise
        except BaseException:
            self.jobs.settle(self.session, job, "failed", "it could not be started")
            raise
        job.spill = str(ran.spill) if ran.spill is not None and ran.length > OUTPUT_LIMIT else None
        if remains:
            self.background.take(self.session, job, remains[0], ran.exit_code, ran.survivors, cage)
        else:
            self.jobs.settle(self.session, job, *ended(ran, timeout_s, job.stopped_by))
        return replace(ran, number=job.number)

    def output(self, job_id: str) -> Iterator[str] | None:
        """The whole output of a job of any daemon of this home, rid of secrets, in pieces of whole lines; None where
        it is not kept. Blocks."""
        blocks = self.runner.spills.blocks(job_id)
        return None if blocks is None else map(self.look().hide, blocks)


def ended(ran: Ran, timeout_s: float, stopped_by: str) -> tuple[Status, str]:
    """How a run ended, in the words of a job."""
    if ran.stopped:
        return "killed", f"stopped by {stopped_by}"
    if ran.timed_out:
        return "failed", f"timed out after {timeout_s:g} s"
    if ran.exit_code is None:
        return "failed", "it did not end"
    return "completed", f"exit code: {ran.exit_code}"
