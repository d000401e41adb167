"""The arithmetic and the table of the benchmark; nothing is timed here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bench.figures import HEAD, Figure, Result, Row, Unmeasured, document, percentile, short, standing, table

SAMPLES = st.lists(st.floats(0.001, 1e6), min_size=1, max_size=50)


@given(SAMPLES)
def test_a_figure_keeps_the_order_of_its_values(samples: list[float]) -> None:
    figure = Figure.of(samples, "ms")
    assert min(samples) == figure.min <= figure.median <= figure.max == max(samples)
    assert figure.n == len(samples)


@given(SAMPLES, st.floats(0, 1))
def test_a_percentile_is_a_sample_that_enough_samples_do_not_exceed(samples: list[float], share: float) -> None:
    found = percentile(samples, share)
    assert found in samples
    assert sum(sample <= found for sample in samples) >= share * len(samples) - 1e-9


def test_the_95th_of_a_hundred_is_the_fifth_from_the_top() -> None:
    assert percentile([float(n) for n in range(100, 0, -1)], 0.95) == 95


def test_nothing_comes_of_no_samples() -> None:
    with pytest.raises(ValueError):
        Figure.of([], "s")
    with pytest.raises(ValueError):
        percentile([], 0.5)


@pytest.mark.parametrize(
    "value, text", [(0, "0"), (0.0123, "0.0123"), (0.4281, "0.428"), (5.9, "5.90"), (47.3, "47.3"), (12345.6, "12346")]
)
def test_values_have_three_digits(value: float, text: str) -> None:
    assert short(value) == text


def test_standing_says_whether_the_median_is_within_the_aim() -> None:
    assert standing(Figure(5, 4, 9, "ms", 3), 5) == "met, 1.00 of it"
    assert standing(Figure(6, 4, 9, "ms", 3), 5) == "missed, 1.20 of it"
    assert standing(Figure(6, 4, 9, "ms", 3), None) == ""


def test_the_table_shows_every_row_and_why_one_has_no_figure() -> None:
    turn, start = Row("turn", "ms", 6), Row("start to usable", "s")
    results: dict[Row, Result] = {turn: Figure(5, 4, 9, "ms", 20), start: Unmeasured("it is not there yet")}
    head, first, second = table(results).splitlines()
    assert head.split()[: len(HEAD) - 1] == list(HEAD[:-1])
    assert first.split() == ["turn", "5.00", "4.00", "9.00", "ms", "20", "6.00", "met,", "0.83", "of", "it"]
    assert second == "start to usable  not measured: it is not there yet"
    assert document(results) == {"turn": {"median": 5, "min": 4, "max": 9, "unit": "ms", "n": 20}}
