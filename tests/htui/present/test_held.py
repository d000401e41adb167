"""What holds the commands of a session, in words."""

import pytest

from htui.present.held import held_words


@pytest.mark.parametrize(
    ("hold", "host", "words"),
    [
        (None, "off; landlock works", "off; landlock works"),
        ({"mode": None, "network": None}, "on", "on"),
        ({"mode": "off", "network": None}, "on", "off in this session (all sessions: on)"),
        ({"mode": "read-only", "network": False}, "off", "held as read-only, network off (all sessions: off)"),
        ({"mode": None, "network": True}, "", "network on"),
        ("odd", "", ""),
    ],
)
def test_the_session_comes_before_the_host(hold: object, host: str, words: str) -> None:
    assert held_words(hold, host) == words
