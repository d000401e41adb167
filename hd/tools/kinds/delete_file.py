"""delete_file: a file or an empty folder removed."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from hd.files.changes import Deleted
from hd.files.encoding import shown
from hd.files.scan import Kind
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, Outcome, Plan, ToolContext
from hd.tools.kinds import fs_errors, settled, spec_of


class DeleteFileArguments(Arguments, frozen=True):
    path: Annotated[str, Meta(min_length=1, description="The file or the empty folder.")]


class DeleteFile:
    def __init__(self) -> None:
        self.spec = spec_of("delete_file", DeleteFileArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        parsed = decode(DeleteFileArguments, arguments)
        with fs_errors():
            doomed = _delete(parsed.path, context, dry_run=True)
        name = context.files.name(doomed.path)
        what = {Kind.DIRECTORY: "an empty folder", Kind.LINK: "a link; what it leads to stays"}.get(doomed.kind)
        return Plan(
            Access.DELETE, f"delete {name}", f"{name} ({what or f'{doomed.size:,} bytes'})", (name,), doomed.state
        )

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        parsed = decode(DeleteFileArguments, arguments)
        gone = await settled(lambda: _delete(parsed.path, context, dry_run=False))
        context.seen.pop(gone.path, None)
        meta = {"operation": "delete", "path": shown(str(gone.path))}
        return Outcome(f"Deleted {context.files.name(gone.path)}.", meta)


def _delete(path: str, context: ToolContext, *, dry_run: bool) -> Deleted:
    expect = context.seen.get(context.files.resolve(path))
    return context.files.delete(path, expect=expect, dry_run=dry_run)
