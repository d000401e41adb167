"""Styles of rich as the numbers of an SGR sequence."""

from functools import lru_cache

from rich.color import ColorSystem
from rich.style import Style

_MARK = "x"
_DEFAULTS = ("39", "49")
_SIMPLE = 3
"""A style of more codes may hold numbers of the long colour forms, which mean something else."""


@lru_cache(maxsize=1024)
def numbers(style: Style | None) -> str:
    """`1;32` for bold green; empty for a style that changes nothing. Colours are those of the terminal's palette."""
    if not style:
        return ""
    rendered = style.render(_MARK, color_system=ColorSystem.EIGHT_BIT)
    start = rendered.find("\x1b[")
    end = rendered.find("m", start)
    if start < 0 or rendered.index(_MARK) < start:
        return ""
    codes = rendered[start + 2 : end].split(";")
    return ";".join(codes if len(codes) > _SIMPLE else [code for code in codes if code not in _DEFAULTS])
