"""How a session is held, out of its log."""

import pytest

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.sandbox import SANDBOX, Hold


@pytest.mark.parametrize(
    ("data", "hold"),
    [
        ({"mode": "off", "network": None}, Hold("off")),
        ({"mode": "workspace-write", "network": False}, Hold("workspace-write", False)),
        ({"mode": None, "network": True}, Hold(None, True)),
        ({}, Hold()),
        ({"mode": "some-later-word", "network": "maybe"}, Hold("read-only")),
    ],
)
def test_the_last_choice_counts_and_a_word_that_is_not_known_is_the_strictest(
    data: dict[str, object], hold: Hold
) -> None:
    before = Hold("workspace-write", True)
    assert SANDBOX.apply(before, Event(ev.SANDBOX_HOLD, 0, 0, data)) == hold
    assert SANDBOX.apply(before, Event(ev.SANDBOX_HOLD, 0, 0, before.to_wire())) is before
