"""Tool rows: what was called, in one or two lines (CLIENT 7). The result's text is not shown, save why it failed."""

from collections.abc import Mapping
from typing import Any

from hd.protocol.projections.transcript import Row
from htui.present import arguments
from htui.present.lines import Line, Span, cut_line
from htui.present.safe import one_line, safe

SUMMARY = (
    "description",
    "command",
    "cmd",
    "path",
    "filePath",
    "file_path",
    "pattern",
    "query",
    "url",
    "task",
    "key",
    "summary",
    "question",
)
"""Arguments that say what a call is about, the best first."""

_MARKS = {"running": ("⚙", "busy"), "done": ("✓", "good"), "failed": ("✗", "bad"), "cancelled": ("✗", "warning")}


def tool_lines(row: Row, cells: int) -> list[Line]:
    """One line `⚙ name · summary`, then the command where the summary is another text, then why it failed."""
    given = arguments.read(row.arguments)
    mark, role = _MARKS.get(row.status, ("⚙", "busy"))
    code = exit_code(row)
    if code:
        mark, role = _MARKS["failed"]
    head = [Span(f"{mark} ", role), Span(one_line(row.name, 80) or "tool", "tool")]
    text = summary(given) if report(row) is None else ""
    if code:
        head.append(Span(f" · exit {code}", "bad"))
    if row.status == "cancelled":
        head.append(Span(" · stopped", "warning"))
    if text:
        head += [Span(" · ", "muted"), Span(text, "muted")]
    lines = [cut_line(tuple(head), cells)]
    command = first_line(command_of(given))
    if command and command != text:
        lines.append(cut_line((Span("  $ ", "muted"), Span(command, "code")), cells))
    if row.status == "failed":
        lines.append(cut_line((Span("  "), Span(first_line(row.text) or "failed without a text", "bad")), cells))
    return lines


def report(row: Row) -> str | None:
    """The summary of the work that this call wrote, in Markdown, which people read in full; None for other calls."""
    meta = row.meta or {}
    text = meta.get("summary") if meta.get("kind") == "summary" else None
    return text if isinstance(text, str) and row.status == "done" else None


def exit_code(row: Row) -> int:
    """The code of a command that ended, 0 for one that went well or told none: a red test run must not look green."""
    code = (row.meta or {}).get("exitCode")
    return code if isinstance(code, int) and row.status == "done" else 0


def summary(given: Mapping[str, Any]) -> str:
    """What the call is about, as one safe line; empty when nothing says so."""
    for key in SUMMARY:
        value = given.get(key)
        if isinstance(value, str) and value.strip():
            return first_line(value)
    for key in ("questions", "tasks", "todos"):
        value = given.get(key)
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            more = f" (+{len(value) - 1})" if len(value) > 1 else ""
            return summary(value[0]) + more
    return next((first_line(v) for v in given.values() if isinstance(v, str) and v.strip()), "")


def command_of(given: Mapping[str, Any]) -> str:
    value = given.get("command", given.get("cmd"))
    return value if isinstance(value, str) else ""


def first_line(text: str) -> str:
    """The first line with anything on it, as one safe line, with a mark when more follows."""
    rest = safe(text.strip()[:4000])
    first, _, more = rest.partition("\n")
    return one_line(first) + (" …" if more.strip() else "")
