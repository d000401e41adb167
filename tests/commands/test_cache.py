"""What `/cache` says."""

from hd.commands.kinds.cache import report
from hd.ledger.cache import Cache
from tests.ledger.test_cache import answer, fold, header, replaced, said


def test_it_says_that_nothing_is_known_yet() -> None:
    assert report(Cache()).startswith("No request of this session told yet")


def test_g05_it_names_for_each_request_what_was_read_and_what_broke_it() -> None:
    begin = (header(), said(), answer(1, 0, 10_000), answer(2, 9_984, 16))
    assert report(fold(*begin)).splitlines() == [
        "2 requests: 9,984 of 20,000 tokens were read from the cache (49.9 %). "
        "Nothing that was sent before had to be read anew.",
        "  turn 1.1: 0 read, 10,000 new (the first request)",
        "  turn 1.2: 9,984 read, 16 new",
    ]
    head, *_, last = report(fold(*begin, replaced(1, 2, "compact-checkpoint"), answer(3, 4_000, 2_000))).splitlines()
    assert "2,000 tokens that were sent before were read anew, for 0.00" in head
    assert last.startswith("  turn 1.3: 4,000 read, 2,000 new; 2,000 read anew for 0.00")
    assert last.endswith("(from message #1 on: summed up by a compaction)")
    gone = report(fold(*begin, answer(3, 0, 10_100))).splitlines()[-1]
    assert gone.endswith("(nothing sent before was changed: the provider no longer had it)")
