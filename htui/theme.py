"""The roles that text is shown in, and their styles, in this one place.

Only the sixteen colours of the terminal's own palette are used and never a background, so that the screen looks like
the rest of the terminal, light or dark, and costs few bytes; the screen of another program keeps the ones it chose. No
meaning hangs on colour alone: every state also has its own sign or word (case J20).
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Final

from rich.color import Color
from rich.style import Style

_COMMON: Final[Mapping[str, str]] = {
    "muted": "dim",
    "rule": "dim",
    "strong": "bold",
    "em": "italic",
    "strike": "strike",
    "heading": "bold underline",
    "subheading": "bold",
    "link": "underline",
    "href": "dim",
    "quote": "italic",
    "tool": "bold",
    "context": "dim",
    "thought": "dim",
    "reasoning": "dim",
    "comment": "dim italic",
    "math": "italic",
    "diagram": "",
    "selected": "reverse",
    "bold": "bold",
    "dim": "dim",
    "italic": "italic",
    "underline": "underline",
    "reverse": "reverse",
    "block": "",
    "user": "",
}

_DARK: Final[Mapping[str, str]] = {
    "you": "bold cyan",
    "assistant": "bold green",
    "prompt": "bold cyan",
    "bullet": "cyan",
    "code": "cyan",
    "keyword": "magenta",
    "string": "green",
    "number": "cyan",
    "name": "bold",
    "added": "green",
    "removed": "red",
    "busy": "cyan",
    "good": "green",
    "warning": "yellow",
    "bad": "bold red",
    "needs": "bold yellow",
}

_LIGHT: Final[Mapping[str, str]] = {
    **_DARK,
    "you": "bold blue",
    "prompt": "bold blue",
    "bullet": "blue",
    "code": "blue",
    "number": "blue",
    "busy": "blue",
    "warning": "magenta",
    "needs": "bold magenta",
}

_COLOURLESS: Final[Mapping[str, str]] = {
    "you": "bold",
    "assistant": "bold",
    "prompt": "bold",
    "code": "bold",
    "bad": "bold",
    "needs": "bold reverse",
    "added": "bold",
    "removed": "strike",
}


class Theme:
    """Styles by role. `name` is `dark`, `light` or `mono` and part of every cache key."""

    def __init__(self, name: str) -> None:
        self.name = name if name in ("dark", "light", "mono") else "dark"
        self._styles: dict[str, Style] = {"": Style.null()}

    @cached_property
    def _table(self) -> Mapping[str, str]:
        return {**_COMMON, **{"dark": _DARK, "light": _LIGHT, "mono": _COLOURLESS}[self.name]}

    def style(self, role: str) -> Style:
        """The style of one role or of several joined by blanks, later over earlier; unknown ones are plain."""
        style = self._styles.get(role)
        if style is None:
            style = Style.combine(self._of(part) for part in role.split())
            self._styles[role] = style
        return style

    def _of(self, part: str) -> Style:
        """A role of the table, or a colour of another program's screen: `fg3`, `bg12`, by the 256-colour palette."""
        kind, number = part[:2], part[2:]
        if kind in ("fg", "bg") and number.isdecimal():
            if self.name == "mono":
                return Style(reverse=True) if kind == "bg" else Style.null()
            colour = Color.from_ansi(int(number))
            return Style(color=colour) if kind == "fg" else Style(bgcolor=colour)
        return Style.parse(self._table.get(part) or "none")


def choose(environ: Mapping[str, str]) -> Theme:
    """The theme for a terminal: `HTUI_THEME`, no colour where `NO_COLOR` is set, light where the terminal says so."""
    if environ.get("NO_COLOR"):
        return Theme("mono")
    named = environ.get("HTUI_THEME", "").strip().lower()
    if named in ("dark", "light", "mono"):
        return Theme(named)
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    return Theme("light" if background in ("7", "15") else "dark")
