"""By which way a text gets to the clipboard, and what is said of it (case J11)."""

import base64
from pathlib import Path

import pytest

from htui.copying.clipboard import told
from htui.copying.route import ASKED, Route, Tmux, read_tmux, route, sequence


@pytest.mark.parametrize(
    ("environ", "way", "takes"),
    [
        ({"TERM": "xterm-kitty"}, "osc52", "yes"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "osc52", "yes"),
        ({"TERM": "xterm-256color", "WT_SESSION": "1"}, "osc52", "yes"),
        ({"TERM": "xterm-256color", "SSH_TTY": "/dev/pts/1"}, "osc52", "perhaps"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, "none", "no"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7200"}, "none", "no"),
        ({"TERM": "linux"}, "none", "no"),
        ({"TERM": "screen", "STY": "1.pts"}, "none", "no"),
    ],
)
def test_j11_terminals_without_tmux(environ: dict[str, str], way: str, takes: str) -> None:
    assert route(environ, None) == Route(way, takes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tmux", "way", "takes"),
    [
        (Tmux("on", False, "256,clipboard,title", "xterm-256color"), "osc52", "yes"),
        (Tmux("external", True, "", "xterm-kitty"), "passthrough", "yes"),
        (Tmux("external", True, "title", "xterm-256color"), "passthrough", "perhaps"),
        (Tmux("external", False, "clipboard", "xterm-256color"), "buffer", "yes"),
        (Tmux("external", False, "", "xterm-256color"), "buffer", "perhaps"),
        (Tmux("off", False, "clipboard", "xterm-256color"), "buffer", "no"),
        (Tmux("external", True, "", ""), "buffer", "no"),
    ],
)
def test_j11_terminals_behind_tmux(tmux: Tmux, way: str, takes: str) -> None:
    assert route({"TERM": "tmux-256color", "TMUX": "x"}, tmux) == Route(way, takes)  # type: ignore[arg-type]


def test_the_sequence_is_handed_on_by_tmux_with_its_escapes_doubled() -> None:
    plain = sequence("你好\n", passthrough=False)
    assert base64.b64decode(plain.removeprefix("\x1b]52;c;").removesuffix("\x07")).decode() == "你好\n"
    assert sequence("你好\n", passthrough=True) == f"\x1bPtmux;\x1b{plain}\x1b\\"


def test_what_tmux_prints_is_read() -> None:
    assert read_tmux("external\t1\t256,clipboard\txterm\n") == Tmux("external", True, "256,clipboard", "xterm")
    assert read_tmux("on\toff\t\t\n") == Tmux("on", False, "", "")
    assert read_tmux("unknown format") is None
    assert ASKED.count("\t") == 3


def test_j11_that_it_arrived_is_said_only_where_that_is_known() -> None:
    kept = Path("f")
    sure, perhaps, none = Route("osc52", "yes"), Route("osc52", "perhaps"), Route("none", "no")
    assert told("abc", sure, done=True, long=False, kept=kept).startswith("Copied 3 B to the clipboard")
    assert "does not say if it took it. It is in f." in told("abc", perhaps, done=True, long=False, kept=kept)
    for text in (
        told("abc", none, done=False, long=False, kept=kept),
        told("a", sure, done=False, long=True, kept=kept),
    ):
        assert text.startswith("Not on the clipboard")
        assert text.endswith("It is in f.")
    buffered = told("abc", Route("buffer", "no"), done=True, long=False, kept=None)
    assert buffered.startswith("Copied 3 B: in tmux's buffer")
    assert "clipboard" not in buffered
    assert told("abc", Route("buffer", "yes"), done=False, long=False, kept=kept).startswith("Not on the clipboard")
