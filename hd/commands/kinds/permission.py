"""`/permission [preset]`: shows or changes what a session may do without asking."""

from hd.commands.base import Command, Line, Said, refused
from hd.permit.presets import PRESETS, facts, preset


async def run(line: Line) -> Said:
    session = line.session
    kept = session.value("preset")
    before = preset(kept) if kept is not None else None
    if not line.args:
        if before is None:
            return Said("This session has no preset: everything asks first.")
        return Said(f"This session is in {before.name}: {before.description}")
    chosen = PRESETS.get(line.args)
    if chosen is None:
        return refused(f"There is no preset “{line.args}”; there are {', '.join(PRESETS)}. Nothing was changed.")
    session.record(*facts(chosen, before))
    return Said(f"From now on: {chosen.name}. {chosen.description}")


COMMAND = Command(
    "permission",
    "Shows or changes what this session may do without asking.",
    run,
    f"[{'|'.join(PRESETS)}]",
)
