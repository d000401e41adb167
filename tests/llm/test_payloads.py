"""The form of a body is told by its beginning, its label decides only where that says nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.llm.payloads import form_of


@pytest.mark.parametrize(
    ("beginning", "kind", "form"),
    [
        (b"", "text/event-stream", None),
        (b"\r\n \n", "application/json", None),
        (b"\xef\xbb", "text/event-stream", None),
        (b"\xef\xbb\xbfdata: {}", "application/json", "events"),
        (b": keep-alive\n\n", "text/html", "events"),
        (b"event: error\n", "application/json", "events"),
        (b'\n\n{"error"', "text/event-stream", "document"),
        (b"[{", "text/event-stream", "document"),
        (b"<!doctype html>", "text/event-stream", "page"),
        (b"Sign in, please", "text/html; charset=utf-8", "page"),
        (b"Sign in, please", "text/event-stream", "events"),
    ],
)
def test_the_form_of_a_body(beginning: bytes, kind: str, form: str | None) -> None:
    assert form_of(beginning, kind) == form


@given(st.binary(max_size=12), st.binary(max_size=4), st.sampled_from(["", "text/html", "application/json"]))
def test_a_form_once_known_stays(beginning: bytes, more: bytes, kind: str) -> None:
    form = form_of(beginning, kind)
    assert form is None or form_of(beginning + more, kind) == form
