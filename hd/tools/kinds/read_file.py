"""read_file: a text file by numbered lines, or what a folder holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from hd.files.content import FileText
from hd.files.encoding import shown
from hd.files.layer import FileLayer
from hd.files.listing import Listing
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, InvalidArguments, Outcome, Plan, ToolContext
from hd.tools.kinds import fs_errors, settled, spec_of

DEFAULT_LINES = 2_000
LONGEST_LINE = 2_000
MOST_BYTES = 50_000


class ReadFileArguments(Arguments, frozen=True):
    path: Annotated[str, Meta(min_length=1, description="The file, relative to the workspace or absolute.")]
    offset: Annotated[int, Meta(ge=0, description="The line to begin with; the first is 1.")] | None = None
    limit: Annotated[int, Meta(ge=1, description=f"How many lines, {DEFAULT_LINES} if not given.")] | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Lines `first` to `first + len(lines) - 1` of `total`, counted from 1; `cut` says whether one was too long."""

    first: int
    lines: tuple[str, ...]
    total: int
    cut: bool

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1

    @property
    def whole(self) -> bool:
        return len(self.lines) == self.total


class ReadFile:
    def __init__(self) -> None:
        self.spec = spec_of("read_file", ReadFileArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        parsed = decode(ReadFileArguments, arguments)
        with fs_errors():
            name = context.files.name(context.files.resolve(parsed.path))
        return Plan(Access.READ, f"read {name}", paths=(name,))

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        parsed = decode(ReadFileArguments, arguments)
        found = await settled(lambda: _read(context.files, parsed.path))
        if isinstance(found, Listing):
            return Outcome("\n".join([f"{shown(found.name) or '.'}/ is a folder. It holds:", *found.rows()]))
        first, lines = max(parsed.offset or 1, 1), found.lines
        if lines and first > len(lines):
            raise InvalidArguments(f"The file has {len(lines)} lines, so none begins at offset {first}.")
        page = paged(lines, first, parsed.limit or DEFAULT_LINES)
        context.seen[found.path] = found.hash
        rows = [{"number": number, "text": text} for number, text in enumerate(page.lines, page.first)]
        meta = {"path": shown(str(found.path)), "offset": page.first, "lines": rows, "totalLines": page.total}
        return Outcome(report(context.files.name(found.path), found, page), meta)


def paged(lines: list[str], first: int, limit: int) -> Page:
    """At most `limit` lines from line `first` on, no longer each and in all than the model should be sent."""
    taken: list[str] = []
    size, cut = 0, False
    for line in lines[first - 1 : first - 1 + limit]:
        text = line
        if len(line) > LONGEST_LINE:
            text, cut = f"{line[:LONGEST_LINE]}… ({len(line) - LONGEST_LINE:,} more characters)", True
        size += len(text.encode("utf-8", "surrogatepass")) + 8
        if taken and size > MOST_BYTES:
            break
        taken.append(text)
    return Page(first, tuple(taken), len(lines), cut)


def report(name: str, file: FileText, page: Page) -> str:
    """What the model is sent: the lines, below a heading if there is something to know about them."""
    if not page.total:
        return f"{name} is empty."
    notes = [] if page.whole else [f"lines {page.first}–{page.last} of {page.total}"]
    if not file.encoding.plain:
        notes.append(file.encoding.label)
    if file.endings in {"CRLF", "mixed"}:
        notes.append(f"{file.endings} line endings, which stay as they are: send plain newlines")
    if not file.ends_with_newline and page.last == page.total:
        notes.append("no newline at the end")
    if page.cut:
        notes.append(f"lines longer than {LONGEST_LINE:,} characters are cut")
    if page.last < page.total:
        notes.append(f"go on with offset {page.last + 1}")
    heading = [f"[{name}: {'; '.join(notes)}]"] if notes else []
    return "\n".join([*heading, *(f"{number}: {text}" for number, text in enumerate(page.lines, page.first))])


def _read(files: FileLayer, path: str) -> FileText | Listing:
    return files.list(path) if files.kind(path) == "directory" else files.read(path)
