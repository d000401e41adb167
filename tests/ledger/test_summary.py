"""The sums over many sessions are those of the daemon's books."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hd.billing.cost import Cost
from hd.billing.fold import Ledger
from hd.billing.summary import summary_of
from hd.ledger.books import Books
from hd.protocol.events import Event
from tests.ledger.test_books import records
from tests.ledger.test_oracle import sessions
from tests.pricing.moments import beijing


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(0, 40))
def test_h03_a_summary_of_folds_is_that_of_the_books(seed: int, day: int) -> None:
    books, costs = Books(), []
    for number, (wire, seeded) in enumerate(sessions(seed, 40)):
        events = [Event.from_wire(row) for row in wire]
        books.grow([records(f"s{number}", events, is_seeded=seeded)])
        cost = Cost(Ledger(seeded=seeded))
        for event in events:
            cost = cost.apply(event)
        costs.append(cost)
    now = beijing(2026, 9, 20, 13) + day * 86_400_000
    assert summary_of(costs, now) == books.summary(now)
