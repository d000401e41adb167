"""The rule by which a failed request is sent again."""

from datetime import UTC, datetime

import pytest

from hd.llm.base import ProviderError
from hd.llm.retry import MAX_RETRIES, POLICY_KEY, max_retries, next_delay, retry_after_ms

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def failed(code: str, retry_after: int | None = None) -> ProviderError:
    return ProviderError("failed", code=code, retry_after_ms=retry_after)


@pytest.mark.parametrize("code", ["RATE_LIMIT", "SERVER", "TIMEOUT", "TRANSPORT"])
def test_f08_delays_double_up_to_ten_seconds(code: str) -> None:
    delays = [next_delay(failed(code), attempt, 0.5) for attempt in range(1, 8)]
    assert delays == [500, 1000, 2000, 4000, 8000, None, None]


def test_delays_are_spread_by_a_tenth() -> None:
    assert next_delay(failed("SERVER"), 1, 0.0) == 450
    assert next_delay(failed("SERVER"), 1, 0.999999) == 550


@pytest.mark.parametrize("code", ["CUT_OFF", "EMPTY_RESPONSE"])
def test_f04_f13_an_unfinished_answer_is_asked_for_twice_more(code: str) -> None:
    assert [next_delay(failed(code), attempt, 0.5) for attempt in (1, 2, 3)] == [500, 1000, None]


@pytest.mark.parametrize("code", ["AUTH", "QUOTA", "INVALID_REQUEST", "CONTEXT_OVERFLOW"])
def test_f09_what_cannot_get_better_is_not_sent_again(code: str) -> None:
    assert max_retries(failed(code)) == 0
    assert next_delay(failed(code), 1, 0.5) is None


def test_f08_retry_after_is_obeyed_exactly_up_to_a_minute() -> None:
    assert next_delay(failed("RATE_LIMIT", 2000), 4, 0.9) == 2000
    assert next_delay(failed("RATE_LIMIT", 60_000), 1, 0.5) == 60_000
    assert next_delay(failed("RATE_LIMIT", 60_001), 1, 0.5) is None
    assert next_delay(failed("RATE_LIMIT", 0), 1, 0.5) == 500
    assert next_delay(failed("RATE_LIMIT", 2000), MAX_RETRIES + 1, 0.5) is None


@pytest.mark.parametrize(
    ("header", "milliseconds"),
    [
        ("2", 2000),
        (" 1.5 ", 1500),
        ("999999", 999_999_000),
        ("Mon, 30 Nov 2026 12:00:10 GMT", 10_000),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0),
        ("Mon, 30 Nov 2026 13:00:30 +0100", 30_000),
        ("-1", None),
        ("inf", None),
        ("nan", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_f08_retry_after_is_seconds_or_a_date(header: str | None, milliseconds: int | None) -> None:
    assert retry_after_ms(header, NOW) == milliseconds


def test_the_rule_is_named_in_the_log() -> None:
    assert POLICY_KEY == (
        '["normal",5,["EMPTY_RESPONSE","RATE_LIMIT","SERVER","TIMEOUT","TRANSPORT","CUT_OFF","LEAKED_CALL"],500,10000,0.1]'
    )
