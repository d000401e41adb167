"""read_file: a text file by numbered lines, or what a folder holds."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from hd.files.content import FileText
from hd.files.encoding import shown
from hd.files.errors import Code, FileError
from hd.files.layer import FileLayer
from hd.files.listing import Listing
from hd.files.pages import Part
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, InvalidArguments, Outcome, Plan, ToolContext
from hd.tools.kinds import fs_errors, settled, spec_of

DEFAULT_LINES = 2_000
LONGEST_LINE = 2_000
MOST_BYTES = 50_000
LONGEST_WAIT_S = 10.0
"""How long lines are looked for in a file that is too large to be read as a whole."""


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
        first, cancel = max(parsed.offset or 1, 1), threading.Event()
        found = await settled(
            lambda: _read(context.files, parsed.path, first, parsed.limit or DEFAULT_LINES, cancel), cancel
        )
        if isinstance(found, Listing):
            return Outcome("\n".join([f"{shown(found.name) or '.'}/ is a folder. It holds:", *found.rows()]))
        if isinstance(found, Part):
            real = context.files.resolve(parsed.path)
            return _part_outcome(real, context.files.name(real), found)
        lines = found.lines
        if lines and first > len(lines):
            raise InvalidArguments(f"The file has {len(lines)} lines, so none begins at offset {first}.")
        page = paged(lines, first, parsed.limit or DEFAULT_LINES)
        context.seen[found.path] = found.hash
        rows = [{"number": number, "text": text} for number, text in enumerate(page.lines, page.first)]
        meta = {"path": shown(str(found.path)), "offset": page.first, "lines": rows, "totalLines": page.total}
        return Outcome(report(context.files.name(found.path), found, page), meta)


def paged(lines: list[str], first: int, limit: int) -> Page:
    """At most `limit` lines from line `first` on, no longer each and in all than the model should be sent."""
    wanted = lines[first - 1 : first - 1 + limit]
    missing = [max(len(line) - LONGEST_LINE, 0) for line in wanted]
    taken = _fitting([_cut(line[:LONGEST_LINE], lacking) for line, lacking in zip(wanted, missing, strict=True)])
    return Page(first, taken, len(lines), any(missing[: len(taken)]))


def _cut(line: str, missing: int) -> str:
    return f"{line}… ({missing:,} more characters)" if missing else line


def _fitting(lines: list[str]) -> tuple[str, ...]:
    """As many of the lines as the model should be sent, but one at least."""
    size = 0
    for index, line in enumerate(lines):
        size += len(line.encode("utf-8", "surrogatepass")) + 8
        if index and size > MOST_BYTES:
            return tuple(lines[:index])
    return tuple(lines)


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


def _part_outcome(path: Path, name: str, part: Part) -> Outcome:
    """Lines of a file that is too large to be read as a whole, or changed."""
    lines = _fitting([_cut(line, missing) for line, missing in zip(part.lines, part.missing, strict=True)])
    if not lines:
        raise InvalidArguments(f"The file has fewer lines, so none begins at offset {part.first}.")
    after = part.first + len(lines)
    notes = [f"lines {part.first}–{after - 1} of a file of {part.size:,} bytes, too large for edit_file and write_file"]
    if not part.encoding.plain:
        notes.append(part.encoding.label)
    if any(part.missing[: len(lines)]):
        notes.append(f"lines longer than {LONGEST_LINE:,} characters are cut")
    notes.append("the file ends here" if part.last and len(lines) == len(part.lines) else f"go on with offset {after}")
    numbered = list(enumerate(lines, part.first))
    text = "\n".join([f"[{name}: {'; '.join(notes)}]", *(f"{number}: {line}" for number, line in numbered)])
    rows = [{"number": number, "text": line} for number, line in numbered]
    return Outcome(text, {"path": shown(str(path)), "offset": part.first, "lines": rows})


def _read(files: FileLayer, path: str, first: int, limit: int, cancel: threading.Event) -> FileText | Listing | Part:
    if files.kind(path) == "directory":
        return files.list(path)
    try:
        return files.read(path)
    except FileError as error:
        if error.code is not Code.TOO_LARGE:
            raise
    until = time.monotonic() + LONGEST_WAIT_S
    return files.read_part(path, first, limit, LONGEST_LINE, lambda: not cancel.is_set() and time.monotonic() < until)
