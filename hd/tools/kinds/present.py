"""present: the files that are the result."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Any

from msgspec import Meta

from hd.files.errors import Code, FileError
from hd.protocol.events import DELIVERABLES_PRESENTED
from hd.protocol.tools import ToolSpec
from hd.tools.arguments import Arguments, decode, schema
from hd.tools.base import Access, Outcome, Plan, ToolContext, ToolError


class PresentArguments(Arguments, frozen=True):
    files: Annotated[
        list[Annotated[str, Meta(min_length=1)]],
        Meta(min_length=1, description="Paths, relative to the workspace or absolute, the most important first."),
    ]


class Present:
    def __init__(self) -> None:
        self.spec = ToolSpec(
            name="present",
            description=files("hd.tools.kinds").joinpath("present.md").read_text(encoding="utf-8").strip(),
            parameters=schema(PresentArguments),
        )

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        paths = tuple(_place(path, context) for path in decode(PresentArguments, arguments).files)
        return Plan(Access.READ, f"present {', '.join(paths)}", detail="\n".join(paths), paths=paths)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        wanted = decode(PresentArguments, arguments).files
        shown = list(dict.fromkeys(_place(path, context) for path in wanted))
        event = {"files": [{"path": path} for path in shown]}
        return Outcome(f"Presented: {', '.join(shown)}.", events=((DELIVERABLES_PRESENTED, event),))


def _place(path: str, context: ToolContext) -> str:
    """The path relative to the workspace; ToolError unless it names a file that may be seen."""
    try:
        name = context.files.name(context.files.resolve(path))
        kind = context.files.kind(path)
    except FileError as error:
        raise ToolError(error.message, name="FsError", code=error.code) from error
    if kind != "file":
        state = "does not exist" if kind is None else "is no file"
        raise ToolError(f"{name} {state}. Nothing was presented.", name="FsError", code=Code.NOT_FOUND)
    return name
