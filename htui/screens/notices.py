"""What is told for a while, above the composer."""

from dataclasses import dataclass

from htui.commands import Level
from htui.present.lines import Line, Span, indent, wrap
from htui.present.safe import safe

LIFE = 10.0
ERROR_LIFE = 30.0
MOST = 3

_MARKS = {"info": ("·", "muted"), "warning": ("!", "warning"), "error": ("✗", "bad")}


@dataclass(frozen=True, slots=True)
class Notice:
    """`until` is a moment of the desk's clock."""

    text: str
    level: Level
    until: float


class Notices:
    """The latest few; each goes after a time, all go at the next thing that is typed."""

    def __init__(self) -> None:
        self._notices: list[Notice] = []

    def __bool__(self) -> bool:
        return bool(self._notices)

    def say(self, text: str, level: Level, now: float) -> None:
        life = ERROR_LIFE if level == "error" else LIFE
        self._notices = [n for n in self._notices if n.text != text][-(MOST - 1) :]
        self._notices.append(Notice(text, level, now + life))

    def clear(self) -> bool:
        """True when there was anything."""
        had = bool(self._notices)
        self._notices = []
        return had

    def expire(self, now: float) -> bool:
        """True when anything went."""
        kept = [n for n in self._notices if n.until > now]
        gone = len(kept) != len(self._notices)
        self._notices = kept
        return gone

    def lines(self, cells: int) -> list[Line]:
        lines: list[Line] = []
        for notice in self._notices:
            mark, role = _MARKS[notice.level]
            text = wrap([Span(safe(notice.text), role)], cells - 2)[:4]
            lines.extend(indent(text, Span(f"{mark} ", role), Span("  ")))
        return lines
