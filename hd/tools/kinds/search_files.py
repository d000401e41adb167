"""search_files: files and folders by name."""

import threading
from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from hd.files.encoding import shown
from hd.files.scan import Entry, Kind
from hd.files.search import Names
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, Outcome, Plan, ToolContext
from hd.tools.kinds import fs_errors, settled, spec_of


class SearchFilesArguments(Arguments, frozen=True):
    pattern: Annotated[str, Meta(min_length=1, description="Such as `**/*.test.ts` or `config`.")]
    path: Annotated[str, Meta(min_length=1, description="The folder to search; the workspace if not given.")] | None = (
        None
    )


class SearchFiles:
    def __init__(self) -> None:
        self.spec = spec_of("search_files", SearchFilesArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        parsed = decode(SearchFilesArguments, arguments)
        with fs_errors():
            name = context.files.name(context.files.resolve(parsed.path or "."))
        return Plan(Access.READ, f"search {name} for the name {parsed.pattern!r}", paths=(name,))

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        parsed = decode(SearchFilesArguments, arguments)
        cancel = threading.Event()
        found = await settled(lambda: context.files.search(parsed.pattern, parsed.path or ".", cancel), cancel)
        paths = [_row(entry) for entry in found.found]
        meta = {"pattern": parsed.pattern, "paths": paths, "more": found.more}
        return Outcome(report(parsed.pattern, paths, found), meta)


def report(pattern: str, paths: list[str], found: Names) -> str:
    """The paths, one a line, and what is missing from them."""
    notes: list[str] = []
    if not paths:
        notes.append(f"No name fits {pattern!r}. Ignored folders were not searched.")
    if found.more:
        notes.append(f"[The first {len(paths)} are shown; there are more. Narrow the pattern or the path.]")
    if found.stopped:
        notes.append(f"[The search ended early: {found.stopped}. Narrow the path.]")
    return "\n".join([*paths, *notes])


def _row(entry: Entry) -> str:
    return f"{shown(entry.name)}/" if entry.kind is Kind.DIRECTORY else shown(entry.name)
