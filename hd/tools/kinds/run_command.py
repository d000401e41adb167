"""run_command: one shell command, to its end."""

import errno
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from hd.process.run import DEFAULT_TIMEOUT_S, Ran
from hd.process.sandbox.explain import OWN_CLOSED
from hd.process.survivors import Survivor
from hd.protocol.tools import ToolSpec
from hd.tools.arguments import Arguments, decode, schema
from hd.tools.base import Access, InvalidArguments, Outcome, Plan, ToolContext, ToolError
from hd.tools.bounds import DISTILLED, LIMIT, bound
from hd.tools.distil import distil

_SUMMARY_WIDTH = 160
_NOTES_ROOM = 2_000
_NAMED_SURVIVORS = 5
_NARROW = "to see more, run it again with `| grep …` or `| tail -n …`"


class RunCommandArguments(Arguments, frozen=True):
    command: Annotated[str, Meta(description="The command line, for bash where it is there and sh otherwise.")]
    timeout_s: Annotated[
        float, Meta(ge=1, le=3600, description="Seconds after which the command is ended, 1 to 3600.")
    ] = DEFAULT_TIMEOUT_S


class RunCommand:
    def __init__(self) -> None:
        self.spec = ToolSpec(
            name="run_command",
            description=files("hd.tools.kinds").joinpath("run_command.md").read_text(encoding="utf-8").strip(),
            parameters=schema(RunCommandArguments),
        )

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        command = _parsed(arguments).command
        return Plan(Access.EXECUTE, f"run {_first_line(command)}", detail=command)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        parsed = _parsed(arguments)
        try:
            ran = await context.runner.run(
                parsed.command,
                cwd=context.workspace,
                timeout_s=parsed.timeout_s,
                run_id=context.call_id,
                mode=context.mode,
            )
        except (OSError, ValueError) as error:
            raise ToolError(_not_started(error, context.workspace), code="COMMAND_NOT_STARTED") from error
        meta: dict[str, Any] = {
            "cwd": str(context.workspace),
            "command": parsed.command,
            "exitCode": ran.exit_code,
            "durationMs": ran.duration_ms,
            **({"sandbox": _held(ran.sandbox, ran.blocked)} if ran.sandbox is not None else {}),
        }
        if ran.number is not None:
            meta["cmdId"] = ran.number
        if ran.left:
            meta["left"] = [{"pid": one.pid, "command": one.command, "ports": list(one.ports)} for one in ran.survivors]
        return Outcome(report(ran, parsed.timeout_s), meta)


def report(ran: Ran, timeout_s: float) -> str:
    """What the model is told about a run: the output, then one line for each thing that it should know."""
    kept = ran.number is not None and ran.spill is not None
    limit = DISTILLED if kept else LIMIT - _NOTES_ROOM
    shown = _shown(ran, limit, kept=kept).rstrip("\n")
    notes = []
    if ran.truncated or len(ran.output) > limit:
        more = _reading(ran.number) if kept and ran.number is not None else _NARROW
        notes.append(f"[output cut: {ran.length:,} characters in all; {more}]")
    if ran.timed_out:
        notes.append(f"[timed out after {timeout_s:g} s: the command and all that it had started was ended]")
    elif ran.stopped:
        notes.append("[stopped by the person before it was done: all that it had started was ended]")
    elif ran.exit_code is None:
        notes.append("[the command did not end, even when killed]")
    elif ran.exit_code != 0:
        notes.append(f"[exit code: {ran.exit_code}]")
    if ran.blocked is not None:
        notes.append(f"[sandbox: {ran.blocked}]")
    if ran.survivors:
        notes.append(_survivors(ran))
    if not shown and not ran.timed_out:
        shown = "(no output)"
    if ran.number is not None:
        notes.append(f"[cmd #{ran.number}]")
    return "\n".join([*([shown] if shown else []), *notes])


def _held(sandbox: Mapping[str, str], blocked: str | None) -> dict[str, str]:
    """`blocked` is what a person could allow, and not what is closed to everybody."""
    return dict(sandbox) | ({} if blocked in (None, OWN_CLOSED) else {"blocked": blocked})


def _shown(ran: Ran, limit: int, *, kept: bool) -> str:
    """As much of the output as the model is given; its end says more than its beginning, and its errors more yet."""
    if kept:
        return distil(ran.output, limit, total=ran.length)
    return bound(ran.output, limit, total=ran.length, head_share=0.25)


def _reading(number: int) -> str:
    return f"`read_command_output` with cmd_id {number} reads the rest, in pages or by a filter"


def _survivors(ran: Ran) -> str:
    named = [_named(one) for one in ran.survivors[:_NAMED_SURVIVORS]]
    more = len(ran.survivors) - len(named)
    listed = "; ".join([*named, *([f"{more} more"] if more else [])])
    one = len(ran.survivors) == 1
    became = f"run{'s' if one else ''} on until the turn ends" if ran.left else "ended"
    return f"[{len(ran.survivors)} background process{'' if one else 'es'} {became}: {listed}]"


def _named(one: Survivor) -> str:
    ports = f" (port {', '.join(map(str, one.ports))})" if one.ports else ""
    return f"{one.pid} {_first_line(one.command)}{ports}"


def _parsed(arguments: Mapping[str, Any]) -> RunCommandArguments:
    parsed = decode(RunCommandArguments, arguments)
    if not parsed.command.strip():
        raise InvalidArguments("`command` is empty. Nothing was run.")
    if "\0" in parsed.command:
        raise InvalidArguments("`command` holds a NUL character, which no command line can. Nothing was run.")
    return parsed


def _first_line(command: str) -> str:
    """One line for lists and titles; what is left out is counted, so that nothing hides behind a harmless start."""
    lines = command.strip().splitlines()
    first = lines[0] if lines else ""
    shown = first if len(first) <= _SUMMARY_WIDTH else f"{first[: _SUMMARY_WIDTH - 1]}…"
    rest = len(lines) - 1
    return f"{shown} (+{rest} more line{'' if rest == 1 else 's'})" if rest else shown


def _not_started(error: Exception, workspace: Path) -> str:
    if not workspace.is_dir():
        return f"The workspace {workspace} is gone, so the command could not be started. Nothing was run."
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    hint = " A very long command belongs in a script file." if getattr(error, "errno", 0) == errno.E2BIG else ""
    return f"The command could not be started: {reason}. Nothing was run.{hint}"
