"""Styles of rich as the numbers of an SGR sequence."""

from functools import lru_cache

from rich.color import ColorSystem
from rich.style import Style

_MARK = "x"


@lru_cache(maxsize=1024)
def numbers(style: Style | None) -> str:
    """`1;32` for bold green; empty for a style that changes nothing. Colours are those of the terminal's palette."""
    if not style:
        return ""
    rendered = style.render(_MARK, color_system=ColorSystem.EIGHT_BIT)
    start = rendered.find("\x1b[")
    end = rendered.find("m", start)
    return rendered[start + 2 : end] if start >= 0 and rendered.index(_MARK) > start else ""
