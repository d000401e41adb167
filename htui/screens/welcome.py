"""What stands where the conversation will be, before there is one: pure."""

from htui.mirror import SessionMirror
from htui.present.lines import EMPTY, Line, Span, wrap
from htui.present.safe import one_line, safe
from htui.screens.desk import Desk


def welcome_lines(desk: Desk, mirror: SessionMirror, cells: int) -> list[Line]:
    if mirror.failure is not None:
        return wrap([Span("✗ ", "bad"), Span(safe(mirror.failure.message))], cells)
    if not mirror.loaded:
        return [(Span("◐ ", "busy"), Span("Loading …", "muted"))]
    entry = desk.link.host.session(mirror.session_id)
    folder = one_line(entry.cwd if entry is not None and entry.cwd else str(desk.directory), 300)
    return [
        (Span("New session", "strong"),),
        *wrap([Span("in ", "muted"), Span(folder)], cells),
        EMPTY,
        *wrap([Span("Type what is to be done and press Enter.", "muted")], cells),
        *wrap([Span("/help shows keys and commands, /resume earlier sessions.", "muted")], cells),
    ]
