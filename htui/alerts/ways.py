"""How a terminal is made to call for somebody: pure.

OSC 9 is a notice of the desktop, which a few terminals are known to show; the bell is what all have. tmux hands a
sequence on only where it is allowed to, and marks its window at a bell.
"""

from collections.abc import Mapping
from typing import Final, Literal

from htui.copying.route import Tmux
from htui.present.safe import one_line

Wish = Literal["auto", "bell", "osc9", "off"]
WISHES: Final[Mapping[str, Wish]] = {"auto": "auto", "bell": "bell", "bel": "bell", "osc9": "osc9", "off": "off"}

BELL: Final = "\x07"
LONGEST: Final = 120

_PROGRAMS: Final = ("iterm", "ghostty", "kitty", "wezterm", "warp")
_TERMS: Final = ("xterm-kitty", "xterm-ghostty", "wezterm")


def wish_of(environ: Mapping[str, str]) -> Wish:
    """`HTUI_NOTIFY`; what is no such word counts as `auto`."""
    return WISHES.get(environ.get("HTUI_NOTIFY", "").strip().lower(), "auto")


def is_wanted(environ: Mapping[str, str], focused: bool | None) -> bool:
    """Only while the terminal is not known to have the focus, unless `HTUI_NOTIFY_WHEN` is `always`.

    A terminal that does not tell (None), as tmux without `focus-events`, may be anywhere: somebody is called.
    """
    return environ.get("HTUI_NOTIFY_WHEN", "").strip().lower() == "always" or not focused


def sequence(text: str, wish: Wish, environ: Mapping[str, str], tmux: Tmux | None) -> str:
    """What is sent to the terminal for `text`, which may hold anything; empty for nothing."""
    if wish == "off":
        return ""
    if wish == "bell" or (wish == "auto" and not _shows(environ, tmux)):
        return BELL
    osc = f"\x1b]9;{one_line(text, LONGEST, strict=True)}\x07"
    if not environ.get("TMUX"):
        return osc
    if tmux is not None and not tmux.passthrough:
        return BELL
    return "\x1bPtmux;" + osc.replace("\x1b", "\x1b\x1b") + "\x1b\\"


def _shows(environ: Mapping[str, str], tmux: Tmux | None) -> bool:
    """Whether the terminal at the end is one that is known to show such a notice."""
    if environ.get("TMUX"):
        return tmux is not None and tmux.passthrough and tmux.terminal.startswith(_TERMS)
    program = (environ.get("TERM_PROGRAM") or environ.get("LC_TERMINAL") or "").lower()
    return program.startswith(_PROGRAMS) or environ.get("TERM", "").startswith(_TERMS)
