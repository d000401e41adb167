"""What is held, as a fold of the log."""

from typing import Any

import pytest

from hd.protocol.events import LATER_HELD, LATER_TAKEN, Event
from hd.protocol.projections.later import LATER

HELD = {"id": "a", "text": "x", "at": 5}


def fold(*steps: tuple[str, dict[str, Any]]) -> Any:
    events = [Event(kind, seq, 1000 + seq, data) for seq, (kind, data) in enumerate(steps)]
    return [one.to_wire() for one in LATER.fold(events)]


def test_x6_what_is_held_keeps_its_order_and_its_words_when_its_time_is_another() -> None:
    both = ((LATER_HELD, HELD), (LATER_HELD, {"id": "b", "text": "y", "at": 6, "pause": True}))
    first, second = {**HELD, "since": 1000}, {"id": "b", "text": "y", "at": 6, "since": 1001, "pause": True}
    assert fold(*both) == [first, second]
    assert fold(*both, (LATER_HELD, {"id": "a", "at": 9})) == [{**first, "at": 9}, second]
    assert fold(*both, (LATER_TAKEN, {"id": "a", "how": "sent"})) == [second]


@pytest.mark.parametrize("change", [{"at": "soon"}, {"at": True}, {"at": -1}, {"at": 2**60}, {"id": 3}, {"text": None}])
def test_x6_what_cannot_be_read_holds_nothing(change: dict[str, Any]) -> None:
    assert fold((LATER_HELD, {**HELD, **change})) == []
