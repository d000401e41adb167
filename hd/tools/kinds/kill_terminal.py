"""kill_terminal: ends what the model started in terminals."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from hd.errors import HdError
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, Outcome, Plan, ToolContext, ToolError
from hd.tools.kinds import spec_of


class KillTerminalArguments(Arguments, frozen=True):
    index: Annotated[int, Meta(ge=0, description="Which terminal, from 0; all of them if not given.")] | None = None


class KillTerminal:
    def __init__(self) -> None:
        self.spec = spec_of("kill_terminal", KillTerminalArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        index = decode(KillTerminalArguments, arguments).index
        # It ends only what the person allowed to be started, so nobody is asked again.
        return Plan(Access.TALK, "end all terminals" if index is None else f"end terminal {index}")

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        parsed = decode(KillTerminalArguments, arguments)
        try:
            ended = await context.terminals.kill(parsed.index) if context.terminals is not None else ()
        except HdError as error:
            raise ToolError(f"{error.message} Nothing was ended.", code="NO_TERMINAL") from error
        lines = [f"Ended terminal {index}: {command}" for index, command in ended]
        meta = {"ended": [{"terminal": index, "command": command} for index, command in ended]}
        return Outcome("\n".join(lines) or "No terminal was running.", meta)
