"""`/plan [off|message]`: turns plan mode on or off; with a message it also starts a turn."""

from hd.commands.base import Command, Line, Said
from hd.protocol import events as ev
from hd.protocol.events import Draft

ON = "Plan mode is on: the agent only reads until a plan is approved. /plan off leaves it."
OFF = "Plan mode is off."


async def run(line: Line) -> Said:
    wanted = line.args != "off"
    if line.session.value("plan") != wanted:
        line.session.record(Draft(ev.PLAN_MODE, {"active": wanted}))
    if wanted and line.args:
        await line.agent.prompt([{"type": "text", "text": line.args}], request_id=line.command_id, steer=True)
    return Said(ON if wanted else OFF)


COMMAND = Command("plan", "Lets the agent only read and plan until a plan is approved.", run, "[off|<message>]")
