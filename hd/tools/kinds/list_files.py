"""list_files: what one folder holds."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from hd.files.encoding import shown
from hd.files.listing import Item
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, Outcome, Plan, ToolContext
from hd.tools.kinds import fs_errors, settled, spec_of


class ListFilesArguments(Arguments, frozen=True):
    path: Annotated[str, Meta(min_length=1, description="The folder; the workspace if not given.")] | None = None


class ListFiles:
    def __init__(self) -> None:
        self.spec = spec_of("list_files", ListFilesArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        parsed = decode(ListFilesArguments, arguments)
        with fs_errors():
            name = context.files.name(context.files.resolve(parsed.path or "."))
        return Plan(Access.READ, f"list {name}", paths=(name,))

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        parsed = decode(ListFilesArguments, arguments)
        listing = await settled(lambda: context.files.list(parsed.path or "."))
        name = shown(listing.name) or "."
        meta = {"path": name, "entries": [_wire(item) for item in listing.items], "more": listing.more}
        if not listing.items:
            return Outcome(f"{name}/ holds nothing that can be shown.", meta)
        return Outcome("\n".join([f"{name}/", *(f"  {row}" for row in listing.rows())]), meta)


def _wire(item: Item) -> dict[str, Any]:
    wire: dict[str, Any] = {"name": shown(item.entry.base), "kind": str(item.entry.kind)}
    if item.size is not None:
        wire["size"] = item.size
    if item.entry.ignored:
        wire["ignored"] = True
    return wire
