"""What the first screen says."""

from htui.present.lines import EMPTY, Line, Span, wrap
from htui.present.safe import one_line, safe


def connect_lines(origin: str, phase: str, reason: str, left: int | None, note: str, cells: int) -> list[Line]:
    """`left` are the seconds until the next try, `note` what goes wrong after the connection was made."""
    lines: list[Line] = [(Span("htui", "strong"), Span("  "), Span(one_line(origin, 200), "muted")), EMPTY]
    if note:
        return [*lines, *wrap([Span("! ", "bad"), Span(safe(note))], cells), EMPTY, *_keys("q leaves", cells)]
    if phase == "online":
        return [*lines, (Span("● ", "good"), Span("Connected · opening a session …"))]
    if phase == "login":
        lines += wrap([Span("! ", "bad"), Span(safe(reason) or "The host wants a login.")], cells)
        return [*lines, EMPTY, *_keys("Paste the token and press Enter · Esc leaves", cells), EMPTY]
    if not reason:
        return [*lines, (Span("◐ ", "busy"), Span("Connecting …")), EMPTY, *_keys("q leaves", cells)]
    lines += wrap([Span("! ", "bad"), Span(safe(reason))], cells)
    if phase == "offline" and left is None:
        return [*lines, EMPTY, *_keys("r tries again · q leaves", cells)]
    again = "Trying again now …" if phase == "connecting" or not left else f"Next try in {left} s."
    hint = "Is hd running? Start it with: hd web"
    return [
        *lines,
        EMPTY,
        (Span(again),),
        *wrap([Span(hint, "muted")], cells),
        EMPTY,
        *_keys("r tries now · q leaves", cells),
    ]


def _keys(text: str, cells: int) -> list[Line]:
    return wrap([Span(text, "muted")], cells)
