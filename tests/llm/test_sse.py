"""The SSE parser: whatever the cuts, the same events."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.llm import sse
from hd.llm.sse import SseOverflow, SseParser

STREAM = (
    b"\xef\xbb\xbf: hello\r\n\r\ndata: one\r\n\r\n"
    b": keep-alive\n\ndata: two\ndata: zwei \xe4\xbd\xa0\n\n"
    b"event: x\rid: 7\rdata:three\r\r"
    b"data\n\nretry: 5\n\ndata: [DONE]\n\n"
)
EVENTS = ["one", "two\nzwei 你", "three", "", "[DONE]"]


def parse(*pieces: bytes) -> tuple[list[str], int]:
    parser = SseParser()
    events = [event for piece in pieces for event in parser.feed(piece)]
    return events + parser.close(), parser.comments


def test_f11_one_stream_with_everything_in_it() -> None:
    assert parse(STREAM) == (EVENTS, 2)


def test_f11_the_same_result_for_a_cut_at_every_byte() -> None:
    for cut in range(len(STREAM) + 1):
        assert parse(STREAM[:cut], STREAM[cut:]) == (EVENTS, 2), cut


def test_f11_the_same_result_byte_by_byte() -> None:
    assert parse(*(STREAM[at : at + 1] for at in range(len(STREAM)))) == (EVENTS, 2)


LINES = st.sampled_from(
    [b"data: x", b"data:y", b"data", b": c", b"", b"", b"event: e", b"data:  z", b"\xef\xbb\xbf", b"d\xc3\xa4ta: u"]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


@given(st.lists(st.tuples(LINES, ENDS), max_size=30), st.lists(st.integers(0, 200), max_size=12), st.binary(max_size=3))
def test_f11_cuts_never_matter(lines: list[tuple[bytes, bytes]], cuts: list[int], tail: bytes) -> None:
    stream = b"".join(line + end for line, end in lines) + tail
    places = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]
    pieces = [stream[start:end] for start, end in pairwise(places)]
    assert parse(*pieces) == parse(stream)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n")), max_size=10))
def test_what_is_sent_is_what_is_found(texts: list[str]) -> None:
    assert parse(b"".join(b"data: " + text.encode() + b"\n\n" for text in texts))[0] == texts


def test_events_come_out_as_soon_as_they_are_whole() -> None:
    parser = SseParser()
    assert parser.feed(b"data: a\n\ndata: b\n\ndata: c") == ["a", "b"]
    assert parser.feed(b"\n") == []
    assert parser.feed(b"\n") == ["c"]
    assert parser.feed(b"data: d\r\r") == ["d"]


def test_a_last_event_without_its_empty_line_counts_and_a_cut_line_does_not() -> None:
    assert parse(b"data: a\n\ndata: b\n")[0] == ["a", "b"]
    assert parse(b'data: a\n\ndata: {"cut')[0] == ["a"]


def test_an_event_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_PENDING", 1000)
    parser = SseParser()
    assert parser.feed(b"data: " + b"x" * 900) == []
    with pytest.raises(SseOverflow):
        parser.feed(b"x" * 100)


def test_bytes_that_are_no_text_do_not_stop_the_stream() -> None:
    assert parse(b"data: a\xff\xfe\n\ndata: b\n\n")[0] == ["a��", "b"]
