"""grep: lines by a regular expression."""

import threading
from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from hd.files.encoding import shown
from hd.files.search import Match, Matches
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, Outcome, Plan, ToolContext
from hd.tools.kinds import fs_errors, settled, spec_of

MOST_BYTES = 50_000


class GrepArguments(Arguments, frozen=True):
    pattern: Annotated[str, Meta(min_length=1, description="A regular expression in Python's syntax.")]
    path: Annotated[str, Meta(min_length=1, description="A folder or file; the workspace if not given.")] | None = None
    include: Annotated[str, Meta(min_length=1, description="Only files of this name, such as `*.{ts,tsx}`.")] | None = (
        None
    )


class Grep:
    def __init__(self) -> None:
        self.spec = spec_of("grep", GrepArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        parsed = decode(GrepArguments, arguments)
        with fs_errors():
            name = context.files.name(context.files.resolve(parsed.path or "."))
        return Plan(Access.READ, f"search {name} for {parsed.pattern!r}", paths=(name,))

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        parsed = decode(GrepArguments, arguments)
        cancel = threading.Event()
        found = await settled(
            lambda: context.files.grep(parsed.pattern, parsed.path or ".", parsed.include, cancel), cancel
        )
        shown_matches = bounded(found.found)
        more = found.more or len(shown_matches) < len(found.found)
        rows = [{"path": shown(one.name), "line": one.number, "text": one.text} for one in shown_matches]
        meta = {"pattern": parsed.pattern, "matches": rows, "more": more}
        return Outcome(report(shown_matches, found, more), meta)


def bounded(found: tuple[Match, ...]) -> list[Match]:
    """As many of the first matches as the model should be sent."""
    taken: list[Match] = []
    size = 0
    for match in found:
        size += len(match.text.encode()) + len(match.name) + 12
        if size > MOST_BYTES:
            break
        taken.append(match)
    return taken


def report(matches: list[Match], found: Matches, more: bool) -> str:
    """The lines as `path:number: text`, and what is missing from them."""
    notes: list[str] = []
    skipped = f", {found.skipped} left out (binary or not readable)" if found.skipped else ""
    if not matches:
        notes.append(f"No line matches ({found.files} files searched{skipped}; ignored folders are not).")
    elif skipped:
        notes.append(f"[{found.files} files searched{skipped}.]")
    if more:
        notes.append(f"[The first {len(matches)} matches are shown; there are more. Narrow the pattern or the path.]")
    if found.stopped:
        notes.append(f"[The search ended early: {found.stopped}. Narrow the path, or make the pattern simpler.]")
    return "\n".join([*(f"{shown(one.name)}:{one.number}: {one.text}" for one in matches), *notes])
