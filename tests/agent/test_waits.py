"""What of a request's waiting is worth an event."""

from typing import Any

import pytest

from hd.agent.waits import Waits
from hd.llm.base import Waiting
from hd.protocol.events import Draft

LIMIT = Waiting("limit", 0.0, 41.0)


@pytest.mark.parametrize(
    ("heard", "recorded"),
    [
        ([], []),
        ([None], []),
        ([Waiting("limit", 0.0, 0.3), Waiting("place", 0.2), None], []),
        ([LIMIT, Waiting("limit", 1.0, 41.2), None], [("limit", 1000, 42_000), (None, 1000, None)]),
        ([LIMIT, Waiting("limit", 1.0, 60.0)], [("limit", 1000, 42_000), ("limit", 0, 61_000)]),
        ([LIMIT, Waiting("place", 5.0)], [("limit", 1000, 42_000), ("place", -4000, None)]),
        ([Waiting("queue", n / 4) for n in range(9)], [("queue", 0, None)]),
        ([LIMIT, None, LIMIT], [("limit", 1000, 42_000), (None, 1000, None), ("limit", 1000, 42_000)]),
    ],
)
def test_f06_f08_waits_are_recorded_once(heard: list[Waiting | None], recorded: list[tuple[Any, ...]]) -> None:
    drafts: list[Draft] = []
    waits = Waits(drafts.append, lambda: 1000, 2, 3)
    for waiting in heard:
        waits(waiting)
    assert [(d.data["reason"], d.data["sinceMs"], d.data.get("untilMs")) for d in drafts] == recorded
    assert all((draft.data["turn"], draft.data["step"]) == (2, 3) for draft in drafts)
