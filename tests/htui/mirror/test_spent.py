"""What a session cost where the host does not tell: what the daemon reckons, and said where it is a part."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from hd.billing.cost import COST, Cost
from hd.billing.fold import Standing
from hd.protocol.events import Event
from htui.mirror import SessionMirror
from htui.mirror.spent import EARLIER
from tests.htui.mirror.walks import page, record, snapshot
from tests.ledger.test_oracle import sessions


def shown(events: list[Event], *, seeded: bool) -> object:
    assert COST.view is not None
    return COST.view(COST.fold(events, Cost(Standing(seeded=seeded))))


@given(st.integers(0, 10**6), st.lists(st.floats(0, 1), min_size=2, max_size=4))
def test_t20_snapshot_pages_and_tail_cost_what_the_whole_log_costs(seed: int, cuts: list[float]) -> None:
    log, seeded = sessions(seed, 1)[0]
    events = [Event.from_wire(row) for row in log]
    bounds = sorted({1 + int(cut * (len(events) - 1)) for cut in cuts})
    *starts, end = [0, *bounds]
    header = {"version": 4, "id": "session-1", "createdAt": 1, "isSeeded": seeded}
    mirror = SessionMirror("session-1")
    mirror.apply(snapshot(events[starts[-1] : end], header=header))
    for event in events[end:]:
        mirror.apply(record(event))
    for start, stop in reversed(list(pairwise(starts))):
        part = mirror.cost()
        assert (part["exact"], part["reasons"][0]) == (False, EARLIER)
        mirror.prepend(page(events[start:stop]))
    assert mirror.cost() == shown(events, seeded=seeded)
    mirror.apply(snapshot(events[end - 1 :], header=header))
    if not mirror.has_more:
        assert mirror.cost() == shown(events, seeded=seeded)


def test_what_the_host_tells_counts() -> None:
    told = {"amount": "1", "currency": "CNY"}
    mirror = SessionMirror("session-1")
    assert mirror.cost() is None
    mirror.apply(snapshot([], projections={"asOfSeq": -1, "values": {"cost": told}}))
    assert mirror.cost() == told
