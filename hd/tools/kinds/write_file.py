"""write_file: a new file, or another whole content for one that the model has read."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from hd.files.changes import Written
from hd.files.difference import pairs, unified
from hd.files.encoding import shown
from hd.files.errors import Code, FileError
from hd.files.layer import ABSENT, FileLayer
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, Outcome, Plan, ToolContext
from hd.tools.kinds import fs_errors, settled, spec_of


class WriteFileArguments(Arguments, frozen=True):
    path: Annotated[str, Meta(min_length=1, description="The file, relative to the workspace or absolute.")]
    content: Annotated[str, Meta(description="Everything that the file shall hold.")]


class WriteFile:
    def __init__(self) -> None:
        self.spec = spec_of("write_file", WriteFileArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        parsed = decode(WriteFileArguments, arguments)
        with fs_errors():
            change = _write(parsed, context, dry_run=True)
        name = context.files.name(change.after.path)
        before, base = (None, "") if change.before is None else (change.before.view, change.before.hash)
        verb = "create" if change.created else "write"
        return Plan(Access.WRITE, f"{verb} {name}", unified(name, before, change.after.view), (name,), base)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        parsed = decode(WriteFileArguments, arguments)
        change = await settled(lambda: _write(parsed, context, dry_run=False))
        context.seen[change.after.path] = change.hash
        path = shown(str(change.after.path))
        old = "" if change.before is None else change.before.view
        diffs = [{"path": path, "oldText": was, "newText": now} for was, now in pairs(old, change.after.view)]
        meta = {"operation": "create" if change.created else "write", "path": path, "diffs": diffs}
        return Outcome(report(context.files.name(change.after.path), change), meta)


def report(name: str, change: Written) -> str:
    """What the model is told about the write."""
    if not change.changed:
        return f"{name} holds exactly this already. Nothing was written."
    after = change.after
    text = [f"{'Created' if change.created else 'Wrote'} {name}: {len(after.lines):,} lines, {after.size:,} bytes."]
    if change.before is not None and change.before.endings in {"CRLF", "mixed"}:
        text.append(f"Its line endings were kept ({change.before.endings}).")
    if change.other_links:
        text.append(f"{change.other_links} hard links to it elsewhere keep the old content.")
    return " ".join(text)


def _write(parsed: WriteFileArguments, context: ToolContext, *, dry_run: bool) -> Written:
    expect = _expected(context.files, parsed.path, context.seen)
    return context.files.write(parsed.path, parsed.content, expect=expect, dry_run=dry_run)


def _expected(files: FileLayer, path: str, seen: Mapping[Any, str]) -> str:
    """The state that the model knows: what it read, an empty file, or none. FS_UNREAD for a file it has not seen."""
    real = files.resolve(path)
    if files.kind(path) is None:
        return ABSENT
    if real in seen:
        return seen[real]
    file = files.read(path)
    if file.size:
        raise FileError(
            Code.UNREAD,
            f"{files.name(real)} exists and has not been read, so it was not replaced. Read it first with read_file, "
            "or change a part of it with edit_file.",
        )
    return file.hash
