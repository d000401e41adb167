"""edit_file: one exact text replaced by another."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from hd.files.changes import Edited
from hd.files.difference import pairs, unified
from hd.files.encoding import shown
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, Outcome, Plan, ToolContext
from hd.tools.kinds import fs_errors, settled, spec_of

_NAMED_LINES = 20


class EditFileArguments(Arguments, frozen=True):
    path: Annotated[str, Meta(min_length=1, description="The file, relative to the workspace or absolute.")]
    old_string: Annotated[str, Meta(description="The text to replace, exactly as it stands in the file.")]
    new_string: Annotated[str, Meta(description="The text to put in its place; empty to remove it.")]
    replace_all: Annotated[bool, Meta(description="Replace every place instead of the only one.")] = False


class EditFile:
    def __init__(self) -> None:
        self.spec = spec_of("edit_file", EditFileArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        parsed = decode(EditFileArguments, arguments)
        with fs_errors():
            change = _edit(parsed, context, dry_run=True)
        name = context.files.name(change.after.path)
        return Plan(
            Access.WRITE,
            f"edit {name}",
            unified(name, change.before.view, change.after.view),
            (name,),
            change.before.hash,
        )

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        parsed = decode(EditFileArguments, arguments)
        change = await settled(lambda: _edit(parsed, context, dry_run=False))
        real = change.after.path
        # An edit proves that the model knows the place, not the file: only what was read before counts as read.
        if real in context.seen:
            context.seen[real] = change.hash
        path = shown(str(real))
        both = pairs(change.before.view, change.after.view)
        diffs = [{"path": path, "oldText": was, "newText": now} for was, now in both]
        return Outcome(report(context.files.name(real), change), {"operation": "edit", "path": path, "diffs": diffs})


def report(name: str, change: Edited) -> str:
    """What the model is told about the edit."""
    named = ", ".join(map(str, change.lines[:_NAMED_LINES])) + (", …" if change.count > _NAMED_LINES else "")
    places = f"1 replacement at line {named}" if change.count == 1 else f"{change.count} replacements at lines {named}"
    links = f" {change.other_links} hard links to it elsewhere keep the old content." if change.other_links else ""
    apart = ""
    if change.apart_from:
        apart = (
            f" old_string is not exactly what stood there: apart from {', '.join(change.apart_from)} it was the same."
        )
    return f"Edited {name}: {places}.{apart}{links}"


def _edit(parsed: EditFileArguments, context: ToolContext, *, dry_run: bool) -> Edited:
    return context.files.edit(
        parsed.path,
        parsed.old_string,
        parsed.new_string,
        replace_all=parsed.replace_all,
        expect=context.seen.get(context.files.resolve(parsed.path)),
        dry_run=dry_run,
    )
