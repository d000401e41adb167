"""The text of `/help`."""

from htui.present.lines import EMPTY, Line, Span
from htui.screens.command_table import COMMANDS

KEYS = (
    ("Enter", "send"),
    ("Ctrl+J, Alt+Enter", "new line; also \\ before Enter"),
    ("Ctrl+C", "clear the draft, stop the turn, leave; twice leaves"),
    ("Esc", "close, dismiss, stop the turn"),
    ("PgUp, PgDn", "scroll; with an empty draft Ctrl+U, Ctrl+D"),
    ("↑ ↓, Ctrl+P, Ctrl+N", "earlier prompts"),
    ("Ctrl+T", "show or fold the thoughts"),
    ("Ctrl+S", "release the mouse for selecting, take it back"),
    ("Ctrl+L", "draw the screen anew"),
    ("Tab", "complete a command"),
    ("1 2 3", "answer what waits, while the draft is empty"),
)


def help_lines() -> list[Line]:
    lines: list[Line] = [(Span("Keys", "strong"),)]
    lines += [(Span(f"{keys:<20} ", "code"), Span(text)) for keys, text in KEYS]
    lines += [EMPTY, (Span("Commands", "strong"), Span("  the beginning of a name is enough", "muted"))]
    for command in COMMANDS:
        name = f"/{command.name} {command.args}".rstrip()
        note = " · in full" if command.exact else ""
        lines.append((Span(f"{name:<20} ", "code"), Span(command.summary), Span(note, "muted")))
    return lines
