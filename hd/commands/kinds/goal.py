"""`/goal [objective|clear|edit objective|pause|resume|status]`: what the agent pursues by itself, round after round."""

from collections.abc import Mapping
from typing import Any

from hd.agent import goals
from hd.commands.base import Command, Line, Said, refused

HINT = "[<objective>|clear|edit <objective>|pause|resume|status]"
NONE = f"No goal is set. /goal {HINT}"


async def run(line: Line) -> Said:
    goal = line.agent.pursuit.wire()
    word, _, rest = line.args.partition(" ")
    if not line.args or line.args == "status":
        return Said(NONE if goal is None else described(goal))
    if line.args not in ("clear", "pause", "resume") and word != "edit":
        return Said(f"The goal is set.\n{described(await goals.create(line.agent, line.args))}")
    if goal is None:
        return refused(NONE)
    return await _changed(line, word, rest.strip(), {"id": goal["id"], "revision": goal["revision"]})


async def _changed(line: Line, word: str, rest: str, ref: Mapping[str, Any]) -> Said:
    match word:
        case "clear":
            await goals.clear(line.agent, ref)
            return Said("The goal is cleared.")
        case "pause":
            return Said(f"The goal is paused.\n{described(await goals.pause(line.agent, ref))}")
        case "resume":
            return Said(f"The goal is pursued again.\n{described(await goals.resume(line.agent, ref))}")
        case _:
            return Said(f"The goal is changed.\n{described(await goals.edit(line.agent, ref, rest, None))}")


def described(goal: Mapping[str, Any]) -> str:
    """A goal in four lines for a person."""
    lines = [
        f"Objective: {goal['objective']}",
        f"Status: {goal['phase']}",
        f"Rounds: {goal['roundsStarted']}/{goal['maxGoalRounds']}",
        f"Activation: {goal['activation']}",
    ]
    blocked = goal.get("blockedReason")
    return "\n".join([*lines, f"Reason: {blocked['message']}"] if blocked else lines)


COMMAND = Command("goal", "Sets, shows or changes the goal that the agent pursues by itself.", run, HINT)
