"""create_directory: a folder and those above it."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from hd.files.encoding import shown
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, Outcome, Plan, ToolContext
from hd.tools.kinds import fs_errors, settled, spec_of


class CreateDirectoryArguments(Arguments, frozen=True):
    path: Annotated[str, Meta(min_length=1, description="The folder, relative to the workspace or absolute.")]


class CreateDirectory:
    def __init__(self) -> None:
        self.spec = spec_of("create_directory", CreateDirectoryArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        parsed = decode(CreateDirectoryArguments, arguments)
        with fs_errors():
            context.files.make_directory(parsed.path, dry_run=True)
            name = context.files.name(context.files.resolve(parsed.path))
        return Plan(Access.WRITE, f"create the folder {name}", paths=(name,))

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        parsed = decode(CreateDirectoryArguments, arguments)
        made = await settled(lambda: context.files.make_directory(parsed.path))
        real = context.files.resolve(parsed.path)
        name = context.files.name(real)
        text = f"Created the folder {name}." if made else f"The folder {name} exists already."
        return Outcome(text, {"operation": "create-directory", "path": shown(str(real))})
