"""rename_file: another name or place for a file or folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from hd.files.encoding import shown
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, Outcome, Plan, ToolContext
from hd.tools.kinds import fs_errors, settled, spec_of


class RenameFileArguments(Arguments, frozen=True):
    path: Annotated[str, Meta(min_length=1, description="The file or folder as it is called now.")]
    new_path: Annotated[str, Meta(min_length=1, description="Its new path, which must be free.")]


class RenameFile:
    def __init__(self) -> None:
        self.spec = spec_of("rename_file", RenameFileArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        parsed = decode(RenameFileArguments, arguments)
        with fs_errors():
            source, target = context.files.rename(parsed.path, parsed.new_path, dry_run=True)
        names = (context.files.name(source), context.files.name(target))
        return Plan(Access.WRITE, f"rename {names[0]} to {names[1]}", f"{names[0]}\n{names[1]}", names)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        parsed = decode(RenameFileArguments, arguments)
        source, target = await settled(lambda: context.files.rename(parsed.path, parsed.new_path))
        carry(context.seen, source, target)
        text = f"Renamed {context.files.name(source)} to {context.files.name(target)}."
        meta = {"operation": "rename", "path": shown(str(source)), "newPath": shown(str(target))}
        return Outcome(text, meta)


def carry(seen: dict[Path, str], source: Path, target: Path) -> None:
    """What was read under the old path, or below it, counts as read under the new one."""
    for path in [path for path in seen if path.is_relative_to(source)]:
        seen[target / path.relative_to(source)] = seen.pop(path)
