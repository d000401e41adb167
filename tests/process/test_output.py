"""Cleaning and keeping output: the same result for every way of cutting it, in bounded memory and linear time."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.process.output import Cleaner, Kept


def cleaned(*pieces: bytes) -> str:
    cleaner = Cleaner()
    return "".join([*(cleaner.feed(piece) for piece in pieces), cleaner.finish()])


@pytest.mark.parametrize(
    "written, read",
    [
        (b"plain\n", "plain\n"),
        ("你好，世界\n".encode(), "你好，世界\n"),
        (b"bad \xff\xfe byte", "bad \ufffd\ufffd byte"),
        (b"dos\r\nlines\r\n", "dos\nlines\n"),
        (b"odd\r\r\nend\r\r\n", "odd\nend\n"),
        (b" 10%\r 50%\r100%\ndone\n", "100%\ndone\n"),
        (b" 10%\r 50%\r", " 50%"),
        (b"\x1b[1;31mred\x1b[0m\n", "red\n"),
        (b"\x1b]0;a title\x07text", "text"),
        (b"\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1bPdevice\x1b\\text", "text"),
        (b"\x1b(Bcharset", "charset"),
        (b"never ended \x1b]0;title", "never ended 0;title"),
        (b"a\x00b\x07c\x7fd", "abcd"),
        (b"N\x08NA\x08A", "NA"),
        ("\x9b31mC1\x85".encode(), "C1"),
        (b"tab\there\n", "tab\there\n"),
        (b"", ""),
    ],
)
def test_cleaning(written: bytes, read: str) -> None:
    assert cleaned(written) == read


ALPHABET = [bytes([byte]) for byte in b"a\n\r\x1b[]0;m\x07\\P\xe4\xbd\xa0 "]


@given(st.lists(st.sampled_from(ALPHABET), max_size=40).map(b"".join), st.lists(st.integers(0, 40), max_size=6))
def test_every_cut_gives_the_same_text(written: bytes, cuts: list[int]) -> None:
    places = sorted({0, len(written), *(cut for cut in cuts if cut < len(written))})
    pieces = [written[a:b] for a, b in pairwise(places)]
    assert cleaned(*pieces) == cleaned(written)


@given(st.binary(max_size=200))
def test_nothing_that_a_terminal_obeys_is_left(written: bytes) -> None:
    text = cleaned(written)
    assert not any(character < " " and character not in "\n\t" for character in text)
    assert not any("\x7f" <= character <= "\x9f" for character in text)


def test_d05_a_hundred_thousand_progress_updates_are_one_line() -> None:
    written = b"".join(b"%d%%\r" % number for number in range(100_000)) + b"done\n"
    assert cleaned(*(written[i : i + 4096] for i in range(0, len(written), 4096))) == "done\n"


@pytest.mark.parametrize(
    "pattern", [b"\x1b", b"\x1b]", b"\x1b[3", b"\r", b"\r\n", b"x", b"|\b", b"\x1bP", "\x9b".encode()]
)
def test_d05_no_pattern_is_slow(pattern: bytes) -> None:
    written = pattern * (1024 * 1024 // len(pattern))
    started = time.process_time()
    cleaned(*(written[i : i + 32768] for i in range(0, len(written), 32768)))
    assert time.process_time() - started < 3


@given(st.lists(st.text(max_size=30), max_size=30), st.integers(0, 20), st.integers(1, 20))
def test_kept_is_head_and_tail(pieces: list[str], head: int, tail: int) -> None:
    kept = Kept(head, tail)
    for piece in pieces:
        kept.add(piece)
    whole = "".join(pieces)
    assert kept.length == len(whole)
    if len(whole) <= head + tail:
        assert kept.text() == whole
        assert kept.left_out == 0
    else:
        assert kept.left_out == len(whole) - head - tail
        assert kept.text().startswith(whole[:head])
        assert kept.text().endswith(whole[-tail:])
        assert f"{kept.left_out:,} characters left out" in kept.text()
