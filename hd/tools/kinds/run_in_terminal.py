"""run_in_terminal: a command that goes on, in a terminal of its own."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from hd.errors import HdError
from hd.process.terminal import Seen
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, InvalidArguments, Outcome, Plan, ToolContext, ToolError
from hd.tools.bounds import GLANCE
from hd.tools.distil import distil
from hd.tools.kinds import spec_of

_SUMMARY_WIDTH = 160


class RunInTerminalArguments(Arguments, frozen=True):
    command: Annotated[str, Meta(min_length=1, description="The command line, such as `npm run dev`.")]


class RunInTerminal:
    def __init__(self) -> None:
        self.spec = spec_of("run_in_terminal", RunInTerminalArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        command = _command(arguments)
        first, _, more = command.strip().partition("\n")
        shown = first if len(first) <= _SUMMARY_WIDTH else f"{first[: _SUMMARY_WIDTH - 1]}…"
        return Plan(Access.TERMINAL, f"run in a terminal: {shown}{' (+ more lines)' if more else ''}", detail=command)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        command = _command(arguments)
        if context.terminals is None:
            raise ToolError("There are no terminals here. Nothing was started.", code="NO_TERMINAL")
        try:
            seen = await context.terminals.open(command, context.call_id, context.mode)
        except HdError as error:
            raise ToolError(error.message, code="NO_TERMINAL") from error
        except (OSError, ValueError) as error:
            raise ToolError(
                f"The terminal could not be started: {error}. Nothing was run.", code="NO_TERMINAL"
            ) from error
        meta = {
            "cwd": str(context.workspace),
            "command": command,
            "cmdId": seen.number,
            "terminal": seen.index,
            "state": seen.how,
            "exitCode": seen.exit_code,
            "pages": list(seen.pages),
        }
        return Outcome(report(seen), meta)


def report(seen: Seen) -> str:
    """The output, then one line for each thing that the model should know."""
    shown = distil(seen.output, GLANCE, total=seen.length).rstrip("\n") or "(no output)"
    name = f"terminal {seen.index}"
    match seen.how:
        case "exited" if seen.exit_code is None:
            state = f"{name} was ended"
        case "exited":
            state = f"the command in {name} ended with exit code {seen.exit_code}"
        case "started":
            state = f"{name} runs on; by its output it is ready"
        case "failed":
            state = f"{name} runs on, but its output tells an error"
        case _:
            state = f"{name} runs on; nothing in its output says that it is ready or that it failed"
    notes = [f"[{state}]", *(f"[web page: {page}]" for page in seen.pages)]
    if seen.length > GLANCE:
        notes.append(f"[output cut: {seen.length:,} characters in all]")
    if seen.blocked is not None:
        notes.append(f"[sandbox: {seen.blocked}]")
    return "\n".join([shown, *notes, f"[cmd #{seen.number}]"])


def _command(arguments: Mapping[str, Any]) -> str:
    command = decode(RunInTerminalArguments, arguments).command
    if not command.strip() or "\0" in command:
        raise InvalidArguments("`command` is empty or holds a NUL character. Nothing was started.")
    return command
