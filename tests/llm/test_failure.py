"""What a failed request says, and what it must never say."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.llm.base import ProviderError
from hd.llm.failure import object_failure, status_failure
from tests.llm.ask import KEY

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SENT = b'{"model":"m","messages":[{"role":"user","content":"My secret plan is to paint the bikeshed green."}]}'


def fail(status: int, body: bytes | str = b"", retry_after: str | None = None) -> ProviderError:
    content = body.encode() if isinstance(body, str) else body
    return status_failure(status, content, retry_after=retry_after, now=NOW, key=KEY, sent=SENT)


def error(message: str) -> str:
    return json.dumps({"error": {"message": message, "type": "invalid_request_error"}})


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (301, "", "INVALID_REQUEST"),
        (400, error("bad field"), "INVALID_REQUEST"),
        (400, error("This model's maximum context length is 131072 tokens"), "CONTEXT_OVERFLOW"),
        (401, error("no"), "AUTH"),
        (402, error("Insufficient Balance"), "QUOTA"),
        (403, "<html>", "AUTH"),
        (404, "", "INVALID_REQUEST"),
        (408, "", "TIMEOUT"),
        (413, "", "CONTEXT_OVERFLOW"),
        (422, error("bad value"), "INVALID_REQUEST"),
        (429, error("slow down"), "RATE_LIMIT"),
        (429, error("quota exhausted"), "QUOTA"),
        (429, "You exceeded your current quota", "QUOTA"),
        (500, "", "SERVER"),
        (502, "<html><body>Bad Gateway</body></html>", "SERVER"),
        (503, b"\xff\xfe", "SERVER"),
        (529, "[1, 2]", "SERVER"),
    ],
)
def test_f09_each_status_has_its_class_and_one_plain_text(status: int, body: bytes | str, code: str) -> None:
    failure = fail(status, body)
    assert (failure.code, failure.status) == (code, status)
    assert f"HTTP {status}" in failure.message
    assert "<" not in failure.message
    assert "\n" not in failure.message


def test_f08_a_pause_is_named_with_its_cap() -> None:
    failure = fail(429, retry_after="2")
    assert failure.retry_after_ms == 2000
    assert "asks to wait 2 s." in failure.message
    assert "more than the 60 s" in fail(429, retry_after="999999").message
    assert fail(429, retry_after="Mon, 30 Nov 2026 12:00:05 GMT").retry_after_ms == 5000
    assert fail(402, retry_after="5").retry_after_ms is None


def test_the_providers_words_are_quoted_where_they_explain_something() -> None:
    assert "(HTTP 422: max_tokens must be positive)" in fail(422, error("max_tokens must be\npositive.")).message
    assert len(fail(400, error("x" * 5000)).message) < 400


@pytest.mark.parametrize(
    "words",
    [
        f"Incorrect API key provided: {KEY}",
        f"token {KEY[3:20]} is unknown",
        "Your api key: ****cdef is invalid",
        "Invalid content: 'My secret plan is to paint the bikeshed green.'",
    ],
)
@pytest.mark.parametrize("status", [400, 401, 422, 500])
def test_f09_neither_key_nor_content_is_ever_quoted(words: str, status: int) -> None:
    message = fail(status, error(words)).message
    assert f"(HTTP {status})" in message
    assert KEY[3:9] not in message
    assert "bikeshed" not in message


@given(st.integers(300, 599), st.binary(max_size=200), st.one_of(st.none(), st.text(max_size=10)))
def test_any_answer_makes_a_failure(status: int, body: bytes, retry_after: str | None) -> None:
    failure = fail(status, body, retry_after)
    assert failure.message.isprintable()
    assert failure.to_wire()["code"] == failure.code


@given(st.recursive(st.one_of(st.none(), st.text(), st.integers()), lambda inner: st.dictionaries(st.text(), inner)))
def test_any_error_object_makes_a_failure(error_object: object) -> None:
    assert object_failure(error_object, key=KEY, sent=SENT).message.isprintable()
