"""write_summary: the report on work that changed something, a fact of the session."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from hd.protocol.events import SUMMARY_WRITE
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, Outcome, Plan, ToolContext, ToolError
from hd.tools.kinds import spec_of
from hd.tools.summary import claimed, faults


class WriteSummaryArguments(Arguments, frozen=True):
    summary: Annotated[str, Meta(min_length=1, description="The summary in Markdown, with the sections above.")]


class WriteSummary:
    def __init__(self) -> None:
        self.spec = spec_of("write_summary", WriteSummaryArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        return Plan(Access.TALK, "write the summary", detail=decode(WriteSummaryArguments, arguments).summary)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        summary = decode(WriteSummaryArguments, arguments).summary.strip()
        changed = await asyncio.to_thread(context.borne_out, claimed(summary))
        found = faults(summary, context.value("todos") or (), changed)
        if found:
            raise ToolError(
                f"The summary was not taken. {' '.join(found)} Write it again with all of its sections.",
                code="SUMMARY_REFUSED",
            )
        return Outcome(
            "The summary is written. If nothing is open, call `task_complete` now.",
            {"kind": "summary", "summary": summary},
            events=((SUMMARY_WRITE, {"summary": summary}),),
        )
