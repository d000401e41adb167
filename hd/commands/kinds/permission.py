"""`/permission [preset | why …]`: shows or changes what a session may do without asking, or says which rule decides."""

import asyncio
from functools import partial
from pathlib import Path

from hd.commands.base import Command, Line, Said, refused
from hd.files.guard import Guard
from hd.files.layer import FileLayer
from hd.permit.presets import DEFAULT_PRESET, PRESETS, facts, preset
from hd.permit.why import why_command, why_path


def command(guard: Guard) -> Command:
    return Command(
        "permission",
        "Shows or changes what this session may do without asking, or says which rule decides.",
        partial(_run, guard),
        f"[{'|'.join(PRESETS)}|why <path or command>]",
    )


async def _run(guard: Guard, line: Line) -> Said:
    session = line.session
    kept = session.value("preset")
    before = preset(kept) if kept is not None else None
    word, _, rest = line.args.partition(" ")
    if word == "why":
        return await asyncio.to_thread(_why, guard, line, rest.strip())
    if not line.args:
        if before is None:
            return Said("This session has no preset: everything asks first.")
        return Said(f"This session is in {before.name}: {before.description}")
    chosen = PRESETS.get(line.args)
    if chosen is None:
        return refused(f"There is no preset “{line.args}”; there are {', '.join(PRESETS)}. Nothing was changed.")
    session.record(*facts(chosen, before))
    return Said(f"From now on: {chosen.name}. {chosen.description}")


def _why(guard: Guard, line: Line, asked: str) -> Said:
    """One word may be a path or a command, so both are answered; several are a command."""
    if not asked:
        return refused("/permission why takes a path or a command, such as `/permission why .env`.")
    files = FileLayer(Path(line.session.header.cwd), guard)
    kept = preset(line.session.value("preset") or DEFAULT_PRESET).name
    told = why_command(asked, kept, files, planning=line.session.value("plan"))
    if len(asked.split()) > 1:
        return Said(told)
    return Said(f"As a path, {why_path(asked, files)}\nAs a command, {told}")
