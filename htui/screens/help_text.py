"""The text of `/help`."""

from collections.abc import Sequence

from htui.present.lines import EMPTY, Line, Span, indent, wrap
from htui.present.rows import NARROW
from htui.screens.command_table import COMMANDS, beyond
from htui.screens.host_commands import HostCommand

COLUMN = 20

KEYS = (
    ("Enter", "send"),
    ("Ctrl+J, Alt+Enter", "new line; also \\ before Enter"),
    ("Ctrl+C", "clear the draft, stop the turn, leave; twice leaves"),
    ("Esc", "close, dismiss, stop the turn"),
    ("PgUp, PgDn", "scroll; with an empty draft Ctrl+U, Ctrl+D"),
    ("↑ ↓, Ctrl+P, Ctrl+N", "earlier prompts"),
    ("Ctrl+T", "show or fold thoughts and summaries"),
    ("Ctrl+G", "what the agent changed in files"),
    ("Ctrl+O", "what a command printed: of yours (!COMMAND), or of the agent"),
    ("!COMMAND", "run a command on this machine, which the agent does not see"),
    ("Ctrl+]", "leave a terminal that is typed into"),
    ("Ctrl+S, a click", "hold the screen and free the mouse, for selecting"),
    ("Ctrl+L", "draw the screen anew"),
    ("Tab", "complete a command, take a file of the list behind @"),
    ("Ctrl+Y, Alt+Y", "bring back what was cut, and what was cut before"),
    ("1 2 3", "answer what waits, while the draft is empty"),
)


def help_lines(cells: int, hosted: Sequence[HostCommand] | None = ()) -> list[Line]:
    """Two columns where there is room for them; `hosted` are the host's own commands."""
    lines: list[Line] = [(Span("Keys", "strong"),)]
    for keys, text in KEYS:
        lines += _row(keys, text, "", cells)
    lines += [EMPTY, *wrap([Span("Commands", "strong"), Span("  the beginning of a name is enough", "muted")], cells)]
    for command in COMMANDS:
        note = " · in full" if command.exact else ""
        lines += _row(f"/{command.name} {command.args}".rstrip(), command.summary, note, cells)
    more = beyond(hosted)
    if more:
        lines += [EMPTY, *wrap([Span("Commands of the host", "strong"), Span("  typed in full", "muted")], cells)]
    for other in more:
        lines += _row(f"/{other.name} {other.args}".rstrip(), other.summary, "", cells)
    return lines


def _row(name: str, text: str, note: str, cells: int) -> list[Line]:
    wide = cells >= NARROW and len(name) <= COLUMN
    shown = f"{name:<{COLUMN}}" if wide else name
    spans = [Span(f"{shown}  ", "code"), Span(text), Span(note, "muted")]
    return indent(wrap(spans, cells if wide else cells - 2), Span(""), Span("  "))
