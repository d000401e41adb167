"""The ways from here to a clipboard: pure.

A terminal is asked by OSC 52 to put text on the clipboard of the machine that a person sits at, over SSH too. It never
answers, so what may be said afterwards depends on what is known of it. tmux stands between the two where it runs.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

MOST = 74_994
"""Bytes that terminals take by OSC 52: 100,000 characters when encoded."""

Takes = Literal["yes", "perhaps", "no"]
"""Whether a terminal takes OSC 52, as far as one can know."""


@dataclass(frozen=True, slots=True)
class Tmux:
    """What the tmux around us says: its `set-clipboard`, whether it lets sequences through, and its own terminal.

    `features` are those that it knows its terminal to have, `terminal` is that one's TERM; both empty without a client.
    """

    clipboard: str = ""
    passthrough: bool = False
    features: str = ""
    terminal: str = ""


@dataclass(frozen=True, slots=True)
class Route:
    """`way` is how the text goes. `takes` tells whether it arrives."""

    way: Literal["osc52", "passthrough", "buffer", "none"]
    takes: Takes


_TERMS = ("xterm-kitty", "xterm-ghostty", "ghostty", "alacritty", "foot", "wezterm", "contour", "rio")
_PROGRAMS = frozenset({"iterm.app", "wezterm", "ghostty", "vscode", "kitty", "rio", "alacritty", "mintty"})
_WITHOUT = frozenset({"apple_terminal"})


def route(environ: Mapping[str, str], tmux: Tmux | None) -> Route:
    """The way that fits; `tmux` is None where no tmux answers."""
    if tmux is None:
        if environ.get("STY"):
            return Route("none", "no")  # GNU screen cuts long sequences to pieces
        takes = terminal_takes(environ)
        return Route("none" if takes == "no" else "osc52", takes)
    outer = tmux_terminal_takes(tmux)
    if tmux.clipboard == "on":
        return Route("osc52", outer)
    if tmux.passthrough and outer != "no":
        return Route("passthrough", outer)
    return Route("buffer", outer if tmux.clipboard == "external" else "no")


def terminal_takes(environ: Mapping[str, str]) -> Takes:
    """What the environment says of the terminal. Over SSH little of it arrives."""
    term = environ.get("TERM", "").lower()
    program = (environ.get("TERM_PROGRAM") or environ.get("LC_TERMINAL") or "").lower()
    if program in _WITHOUT or environ.get("VTE_VERSION") or term in ("linux", "vt100", "vt220", "ansi"):
        return "no"
    if program.startswith("iterm") or program in _PROGRAMS or term.startswith(_TERMS):
        return "yes"
    return "yes" if environ.get("WT_SESSION") or environ.get("KITTY_WINDOW_ID") else "perhaps"


def tmux_terminal_takes(tmux: Tmux) -> Takes:
    if not tmux.terminal:
        return "no"
    if "clipboard" in tmux.features.split(",") or tmux.terminal.startswith(_TERMS):
        return "yes"
    return "perhaps"


def sequence(text: str, *, passthrough: bool) -> str:
    """The sequence that puts `text` on the clipboard; for tmux to hand on to its own terminal with `passthrough`."""
    encoded = base64.b64encode(text.encode(errors="replace")).decode()
    osc = f"\x1b]52;c;{encoded}\x07"
    return "\x1bPtmux;" + osc.replace("\x1b", "\x1b\x1b") + "\x1b\\" if passthrough else osc


def read_tmux(output: str) -> Tmux | None:
    """What `tmux display-message -p ASKED` printed; None when that is something else."""
    parts = output.strip("\n").split("\t")
    if len(parts) != 4:
        return None
    clipboard, passthrough, features, terminal = parts
    return Tmux(clipboard, passthrough in ("on", "all", "1"), features, terminal)


ASKED = "#{set-clipboard}\t#{allow-passthrough}\t#{client_termfeatures}\t#{client_termname}"
"""A format of tmux: options and what it knows of its terminal, in the order of `Tmux`."""
