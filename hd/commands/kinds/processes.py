"""`/ps`, `/tail`, `/kill` and `/keep`: the commands that run in a session, for any client."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from hd.commands.base import Command, Line, Said, refused
from hd.jobs.background import Background
from hd.jobs.job import Job
from hd.jobs.jobs import Jobs
from hd.jobs.standing import processes
from hd.process.survivors import Survivor

_LINES: Final = 20
_MOST_LINES: Final = 200
_SHOWN: Final = 10_000


def commands(jobs: Jobs, background: Background) -> Sequence[Command]:
    return (
        Command("keep", "Lets what a command left running outlive the turn.", partial(_keep, background), "<number>"),
        Command("kill", "Ends a command that runs, by its number.", partial(_kill, jobs), "<number>"),
        Command("ps", "Lists the commands that run, with their processes and ports.", partial(_list, jobs)),
        Command("tail", "Shows the last lines that a command wrote.", partial(_tail, jobs), "<number> [<lines>]"),
    )


async def _list(jobs: Jobs, line: Line) -> Said:
    running = jobs.running(line.session.id)
    if not running:
        return Said("No command runs in this session.")
    found = await processes(running)
    return Said("\n".join(f"#{job.number} {job.label}{_held(found[job.id])}{_stays(job)}" for job in running))


def _stays(job: Job) -> str:
    """How long what a command left goes on."""
    if not job.left:
        return ""
    return (
        " — done; what it left is kept"
        if job.kept
        else f" — done; what it left ends with the turn (/keep {job.number})"
    )


def _held(found: Sequence[Survivor]) -> str:
    ports = sorted({port for one in found for port in one.ports})
    count = f"{len(found)} process{'' if len(found) == 1 else 'es'}"
    return f" ({count}{', port ' if ports else ''}{', '.join(map(str, ports))})"


async def _tail(jobs: Jobs, line: Line) -> Said:
    words = line.args.split()
    if not 1 <= len(words) <= 2 or not all(word.lstrip("#").isdecimal() for word in words):
        return refused("/tail takes the number of a command, as /ps shows it, and how many lines.")
    job = jobs.numbered(line.session.id, int(words[0].lstrip("#")))
    lines = min(int(words[1]), _MOST_LINES) if len(words) == 2 else _LINES
    return Said(job.tail(max(lines, 1))[-_SHOWN:] or f"#{job.number} has written nothing yet.")


async def _keep(background: Background, line: Line) -> Said:
    if not line.args.lstrip("#").isdecimal():
        return refused("/keep takes the number of a command, as /ps shows it. Nothing was kept.")
    number = int(line.args.lstrip("#"))
    again = background.keep(line.session, number) == "already-kept"
    return Said(f"#{number} {'was kept already' if again else 'outlives the turn now'}; /kill {number} ends it.")


async def _kill(jobs: Jobs, line: Line) -> Said:
    if not line.args.lstrip("#").isdecimal():
        return refused("/kill takes the number of a command, as /ps shows it. Nothing was ended.")
    job = jobs.numbered(line.session.id, int(line.args.lstrip("#")))
    if jobs.kill(line.session.id, job.id) == "already-finished":
        return refused(f"#{job.number} had ended already.")
    return Said(f"#{job.number} {job.label} is being ended.")
