"""The pauses between attempts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htui.link.backoff import delay, failures_after


@pytest.mark.parametrize(
    ("failures", "seconds"), [(1, 0.5), (2, 1.0), (3, 2.0), (4, 4.0), (5, 8.0), (6, 10.0), (99, 10.0)]
)
def test_pauses_double_up_to_a_limit(failures: int, seconds: float) -> None:
    assert delay(failures, 0.5) == pytest.approx(seconds)


@given(st.integers(1, 10_000), st.floats(0, 1))
def test_a_pause_is_never_off_by_more_than_a_fifth(failures: int, chance: float) -> None:
    assert 0.8 - 1e-9 <= delay(failures, chance) / delay(failures, 0.5) <= 1.2 + 1e-9


def test_only_a_connection_that_lasted_starts_the_count_again() -> None:
    assert failures_after(5, 0.0) == 6
    assert failures_after(5, 14.9) == 6
    assert failures_after(5, 15.0) == 1
