"""The table of commands, and the one way to run a line of it."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hd.agent.agent import Agent
from hd.agent.gate import Gate
from hd.commands.base import Command, Line, Said, refused
from hd.errors import HdError, StoreFull
from hd.files.guard import Guard
from hd.jobs.background import Background
from hd.jobs.jobs import Jobs
from hd.later.later import Later
from hd.permit.rulebook import Rulebook
from hd.process.sandbox.sandbox import Sandbox
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.ids import new_id
from hd.undo.undo import Undo

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that was run, under the id of its two events."""

    id: str
    said: Said

    def to_wire(self) -> dict[str, Any]:
        return {"commandId": self.id, "result": self.said.to_wire()}


class CommandTable:
    """Commands by name, listed in the order of their names."""

    def __init__(self, commands: Iterable[Command]) -> None:
        self._commands = {command.name: command for command in sorted(commands, key=lambda command: command.name)}

    def listed(self) -> list[dict[str, Any]]:
        return [command.to_wire() for command in self._commands.values()]

    def named(self, line: str) -> tuple[Command, str] | None:
        """The command that a line means and the rest behind its name, as typed; None for a line that is none."""
        stripped = line.strip()
        if not stripped.startswith("/"):
            return None
        name = stripped[1:].split(maxsplit=1)[0] if stripped[1:].strip() else ""
        command = self._commands.get(name) if stripped[1 : 1 + len(name)] == name else None
        return None if command is None else (command, stripped[1 + len(name) :])

    async def execute(self, agent: Agent, line: str) -> Ran | None:
        """Runs the command of a line, between its `command/run` and its `command/done`; None for no command.

        A command that fails says so in its result. One whose caller is gone is done too, as an error.
        """
        named = self.named(line)
        if named is None:
            return None
        command, rest = named
        command_id = f"cmd-{new_id()}"
        data: dict[str, Any] = {"commandId": command_id, "name": command.name, "source": {"kind": "user"}}
        if not command.private:
            data["args"] = rest
        agent.session.record(Draft(ev.COMMAND_RUN, data))
        said = refused(f"/{command.name} was given up before it was done.")
        try:
            said = await _said(command, Line(command_id, rest.strip(), agent))
        finally:
            agent.session.record(Draft(ev.COMMAND_DONE, {"commandId": command_id, **said.to_wire()}))
            agent.session.save_projections()
        await agent.session.written(durable=True)
        return Ran(command_id, said)


async def _said(command: Command, line: Line) -> Said:
    try:
        return await command.run(line)
    except StoreFull:
        raise
    except HdError as error:
        return refused(error.message)
    except Exception as error:
        _log.exception("the command /%s failed", command.name)
        return refused(f"/{command.name} failed with an internal error ({type(error).__name__}). The log has more.")


def default_commands(
    kept: Undo,
    jobs: Jobs,
    background: Background,
    guard: Guard,
    rules: Rulebook,
    sandbox: Sandbox,
    gate: Gate,
    keep_day: Callable[[Decimal | None], Awaitable[object]],
    later: Later,
) -> CommandTable:
    """All commands of the host; `kept` is what they undo with, `jobs` are the commands of the sessions, `background` is
    what these left running, `guard` is what keeps files secret, `rules` are a person's own on what runs unasked,
    `sandbox` holds what runs, `gate` bounds what is sent to a model and `keep_day` keeps what a day may
    cost, `later` holds messages until that is less."""
    from hd.commands.kinds import budget, cache, compact, export, feedback, goal, permission, plan, processes, undo
    from hd.commands.kinds import later as waiting
    from hd.commands.kinds import sandbox as held

    plain = [module.COMMAND for module in (cache, compact, export, feedback, goal, plan)]
    own = [
        permission.command(guard, rules),
        held.command(sandbox, guard, rules),
        *budget.commands(gate, keep_day),
        waiting.command(later),
    ]
    return CommandTable([*plain, *own, *undo.commands(kept), *processes.commands(jobs, background)])
