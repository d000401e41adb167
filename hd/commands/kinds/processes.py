"""`/ps`, `/tail` and `/kill`: the commands that run in a session, for any client."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from hd.commands.base import Command, Line, Said, refused
from hd.jobs.jobs import Jobs
from hd.jobs.standing import Process, processes

_LINES: Final = 20
_MOST_LINES: Final = 200
_SHOWN: Final = 10_000


def commands(jobs: Jobs) -> Sequence[Command]:
    return (
        Command("kill", "Ends a command that runs, by its number.", partial(_kill, jobs), "<number>"),
        Command("ps", "Lists the commands that run, with their processes and ports.", partial(_list, jobs)),
        Command("tail", "Shows the last lines that a command wrote.", partial(_tail, jobs), "<number> [<lines>]"),
    )


async def _list(jobs: Jobs, line: Line) -> Said:
    running = jobs.running(line.session.id)
    if not running:
        return Said("No command runs in this session.")
    found = await processes(running)
    return Said("\n".join(f"#{job.number} {job.label}{_held(found[job.id])}" for job in running))


def _held(found: Sequence[Process]) -> str:
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


async def _kill(jobs: Jobs, line: Line) -> Said:
    if not line.args.lstrip("#").isdecimal():
        return refused("/kill takes the number of a command, as /ps shows it. Nothing was ended.")
    job = jobs.numbered(line.session.id, int(line.args.lstrip("#")))
    if jobs.kill(line.session.id, job.id) == "already-finished":
        return refused(f"#{job.number} had ended already.")
    return Said(f"#{job.number} {job.label} is being ended.")
