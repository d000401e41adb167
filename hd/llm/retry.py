"""When a failed request is sent again, and after how long (WIRE 8.3).

Pure: the caller passes the random number and the time. It also does the waiting, because each attempt is a fact in the
log and the pause must be seen and can be cancelled.
"""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import msgspec

from hd.llm.base import ProviderError

MAX_RETRIES: Final = 5
MAX_RETRIES_UNFINISHED: Final = 2
"""For an answer that came and does not count: the provider has worked, and been paid, for each of these attempts."""
_UNFINISHED: Final = ("CUT_OFF", "EMPTY_RESPONSE", "LEAKED_CALL")

FIRST_DELAY_MS: Final = 500
MAX_DELAY_MS: Final = 10_000
SPREAD: Final = 0.1
MAX_RETRY_AFTER_MS: Final = 60_000
"""The longest pause a provider may ask for that is still waited for without a person."""

MODE: Final = "normal"
RETRYABLE: Final = ("EMPTY_RESPONSE", "RATE_LIMIT", "SERVER", "TIMEOUT", "TRANSPORT", "CUT_OFF", "LEAKED_CALL")
POLICY_KEY: Final = msgspec.json.encode(
    [MODE, MAX_RETRIES, list(RETRYABLE), FIRST_DELAY_MS, MAX_DELAY_MS, SPREAD]
).decode()
"""The rule in one string, as `llm/retry` records it."""


def max_retries(error: ProviderError) -> int:
    """How many times a request that failed like this may be sent again."""
    if error.code not in RETRYABLE or (error.retry_after_ms or 0) > MAX_RETRY_AFTER_MS:
        return 0
    return MAX_RETRIES_UNFINISHED if error.code in _UNFINISHED else MAX_RETRIES


def next_delay(error: ProviderError, attempt: int, random: float) -> int | None:
    """Milliseconds to wait before the next attempt; None when there shall be none.

    `attempt` is the number of attempts that failed so far, this one included (1 after the first); `random` is from
    [0, 1) and spreads the delay by ±10 %. What the provider asks for in `Retry-After` is waited for exactly.
    """
    if attempt > max_retries(error):
        return None
    if error.retry_after_ms:
        return error.retry_after_ms
    delay = min(FIRST_DELAY_MS << (attempt - 1), MAX_DELAY_MS)
    return round(delay * (1 + SPREAD * (2 * random - 1)))


def retry_after_ms(value: str | None, now: datetime) -> int | None:
    """The `Retry-After` header, seconds or an HTTP date, in ms from `now` (aware); None if it says nothing."""
    text = (value or "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = _seconds_until(text, now)
    return round(seconds * 1000) if 0 <= seconds < float("inf") else None


def _seconds_until(date: str, now: datetime) -> float:
    """Seconds from `now` to an HTTP date, 0 for one in the past, -1 for what is no date."""
    try:
        when = parsedate_to_datetime(date)
    except ValueError:
        return -1
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - now).total_seconds())
