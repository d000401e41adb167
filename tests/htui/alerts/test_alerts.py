"""When and how somebody who looks elsewhere is called (row T10)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htui.alerts.moments import Moments
from htui.alerts.ways import BELL, is_wanted, sequence, wish_of
from htui.copying.route import Tmux

KITTY = {"TERM": "xterm-kitty"}
PASSING = Tmux("on", True, "", "xterm-kitty")


def test_t10_a_change_is_told_once_and_what_was_so_before_is_not() -> None:
    moments = Moments()

    def look(asks: list[str], running: bool, session: str | None = "s", loaded: bool = True) -> str | None:
        return moments.look(asks, session, running=running, loaded=loaded)

    assert look(["old"], True) is None
    assert look(["old"], True) is None
    assert look(["old", "new"], True) == "needs"
    assert look(["old", "new"], True) is None
    assert look([], False) == "done"
    assert look([], False) is None
    assert look([], True, "t") is None
    assert look([], True, None) is None
    assert look([], False, "t") == "done"
    moments.forget()
    assert look(["again"], False) is None


def test_t10_a_session_that_was_never_seen_working_has_not_ended() -> None:
    moments = Moments()
    assert moments.look([], "s", running=False, loaded=False) is None
    assert moments.look([], "s", running=False, loaded=True) is None
    assert moments.look([], "t", running=False, loaded=True) is None


@pytest.mark.parametrize(
    ("environ", "tmux", "sent"),
    [
        (KITTY, None, "\x1b]9;done\x07"),
        ({"TERM_PROGRAM": "iTerm.app"}, None, "\x1b]9;done\x07"),
        ({"TERM": "xterm-256color"}, None, BELL),
        ({"TMUX": "x", "TERM": "tmux-256color"}, PASSING, "\x1bPtmux;\x1b\x1b]9;done\x07\x1b\\"),
        ({"TMUX": "x", **KITTY}, Tmux("on", False, "", "xterm-kitty"), BELL),
        ({"TMUX": "x"}, Tmux("on", True, "", "xterm-256color"), BELL),
        ({"TMUX": "x"}, None, BELL),
    ],
)
def test_t10_a_notice_goes_where_it_is_known_to_be_shown_and_else_the_bell(
    environ: dict[str, str], tmux: Tmux | None, sent: str
) -> None:
    assert sequence("done", "auto", environ, tmux) == sent
    assert sequence("done", "bell", environ, tmux) == BELL
    assert sequence("done", "off", environ, tmux) == ""


@pytest.mark.parametrize(
    ("environ", "focused", "wanted"),
    [({}, True, False), ({}, False, True), ({}, None, True), ({"HTUI_NOTIFY_WHEN": "always"}, True, True)],
)
def test_t10_who_looks_here_is_not_called(environ: dict[str, str], focused: bool | None, wanted: bool) -> None:
    assert is_wanted(environ, focused) is wanted


@pytest.mark.parametrize(
    ("word", "wish"), [("", "auto"), ("BEL", "bell"), ("osc9", "osc9"), ("off", "off"), ("x", "auto")]
)
def test_t10_the_environment_chooses_the_way(word: str, wish: str) -> None:
    assert wish_of({"HTUI_NOTIFY": word}) == wish


@given(st.text())
def test_j18_no_text_ends_the_notice_or_begins_another_sequence(text: str) -> None:
    sent = sequence(f"x{text}", "osc9", KITTY, None)
    assert sent.startswith("\x1b]9;")
    assert sent.endswith("\x07")
    assert sent[4:-1].isprintable() or not sent[4:-1].isascii()
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in sent[4:-1])
