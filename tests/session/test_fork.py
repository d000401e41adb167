"""Where a fork is cut off."""

import pytest

from hd.session.fork import ForkUnavailable, Mark, cut

MARKS = [
    Mark("turn/start", 4),
    Mark("turn/end", 9),
    Mark("turn/start", 12),
    Mark("turn/end", 20),
]
OPEN = [*MARKS, Mark("turn/start", 25)]


@pytest.mark.parametrize(
    ("at_seq", "through"), [(0, 11), (4, 11), (9, 11), (10, 24), (12, 24), (20, 24), (22, 24), (None, 24)]
)
def test_a_fork_ends_with_a_whole_turn_and_what_was_logged_behind_it(at_seq: int | None, through: int) -> None:
    assert cut(OPEN, 30, at_seq, "s") == through


def test_behind_the_last_turn_all_is_taken() -> None:
    assert cut(MARKS, 23, None, "s") == cut(MARKS, 23, 23, "s") == 23


@pytest.mark.parametrize(("marks", "at_seq"), [([], None), (OPEN[:1], None), (OPEN, 25), (OPEN, 30), (OPEN, 31)])
def test_a_turn_that_has_not_ended_cannot_be_forked(marks: list[Mark], at_seq: int | None) -> None:
    with pytest.raises(ForkUnavailable):
        cut(marks, 30, at_seq, "s")
