"""read_command_output: what an earlier command of the session wrote, by pages or by a filter."""

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta

from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, CommandRunner, InvalidArguments, Outcome, Plan, ToolContext, ToolError
from hd.tools.kinds import fs_errors, settled, spec_of
from hd.tools.pages import Page, matching, page

DEFAULT_LINES = 500
MOST_LINES = 5_000
FILTER_S = 10.0
"""Seconds for a filter; it then says how far it came."""


class ReadCommandOutputArguments(Arguments, frozen=True):
    cmd_id: Annotated[int, Meta(ge=1, description="The number of the command: 3 for `[cmd #3]`.")]
    offset: Annotated[int, Meta(ge=0, description="The line to begin with; the first is 1.")] | None = None
    limit: (
        Annotated[int, Meta(ge=1, le=MOST_LINES, description=f"How many lines, {DEFAULT_LINES} if not given.")] | None
    ) = None
    filter: Annotated[str, Meta(min_length=1, description="A regular expression; only lines that match.")] | None = None


class ReadCommandOutput:
    def __init__(self) -> None:
        self.spec = spec_of("read_command_output", ReadCommandOutputArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        parsed = decode(ReadCommandOutputArguments, arguments)
        return Plan(Access.READ, f"read the output of command #{parsed.cmd_id}")

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        parsed = decode(ReadCommandOutputArguments, arguments)
        command = _command(parsed.cmd_id, context.value("jobs") or ())
        cancel = threading.Event()
        found = await settled(lambda: _read(context.runner, command, parsed, cancel), cancel)
        if found is None:
            raise ToolError(
                f"The output of command #{parsed.cmd_id} is not kept any more; only the newest outputs are. Run the "
                "command again if you need it.",
                code="OUTPUT_GONE",
            )
        first = max(parsed.offset or 1, 1)
        if not found.rows and parsed.filter is None and first > 1:
            raise InvalidArguments(f"The output has {found.total:,} lines, so none begins at offset {first}.")
        meta = {"cmdId": parsed.cmd_id, "offset": first, "totalLines": None if found.more else found.total}
        return Outcome(report(command, found, parsed.filter), meta)


def report(command: Mapping[str, Any], found: Page, pattern: str | None) -> str:
    """The rows below a heading that says whose they are and what is behind them."""
    state = _state(command)
    counted = f"{found.total:,} line{'' if found.total == 1 else 's'}"
    if pattern is None:
        notes = [state, f"lines {found.rows[0][0]}–{found.rows[-1][0]} of {counted}" if found.rows else "no output"]
    else:
        notes = [state, f"{len(found.rows)} matching line{'' if len(found.rows) == 1 else 's'}"]
        notes.append(f"{counted} searched" if not found.more else "there are more")
    if found.ended:
        notes[-1] = f"the filter took too long and was given up after {counted}: make it simpler"
    elif found.more:
        notes.append(f"go on with offset {found.rows[-1][0] + 1}")
    heading = f"[cmd #{command['number']} `{command.get('label')}`: {'; '.join(notes)}]"
    return "\n".join([heading, *(f"{number}: {text}" for number, text in found.rows)])


def _state(command: Mapping[str, Any]) -> str:
    if command.get("finishedAt") is not None:
        return str(command.get("detail") or command.get("status"))
    return f"{command.get('detail')}; what it left still runs" if command.get("left") else "still running"


def _command(number: int, jobs: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    for job in jobs:
        if job["number"] == number:
            return job
    last = jobs[-1]["number"] if jobs else 0
    if number <= last:
        raise ToolError(
            f"Command #{number} is too long ago; outputs are kept from #{jobs[0]['number']} on.", code="OUTPUT_GONE"
        )
    ran = f"they are numbered #1 to #{last}" if last else "none was run yet"
    raise InvalidArguments(f"There is no command #{number} in this session; {ran}.")


def _read(
    runner: CommandRunner, command: Mapping[str, Any], asked: ReadCommandOutputArguments, cancel: threading.Event
) -> Page | None:
    blocks = runner.output(str(command["id"]))
    if blocks is None:
        return None
    first, limit = max(asked.offset or 1, 1), asked.limit or DEFAULT_LINES
    if asked.filter is None:
        return page(blocks, first, limit)
    deadline = time.monotonic() + FILTER_S

    def may_go_on() -> bool:
        return time.monotonic() < deadline and not cancel.is_set()

    with fs_errors():
        return matching(blocks, first, limit, asked.filter, seconds=FILTER_S, may_go_on=may_go_on)
