"""A file in pieces: all lines, each once, with its number, and an end where no piece can be made."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hd.files import pieces as pieces_module
from hd.files.guard import Guard
from hd.files.pieces import Piece, pieces
from hd.files.search import grep
from hd.files.walk import Walk
from tests.files.trees import plant


@contextmanager
def opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def cut(root: Path, raw: bytes, whole: int, *literals: bytes) -> list[Piece]:
    plant(root, {"f": raw})
    with opened(root) as folder:
        return list(pieces(folder, "f", literals, lambda: True, whole=whole))


LINES = st.lists(st.sampled_from(["", "a", "foo", "中文字", "a long line of text", "x\r"]), max_size=12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LINES, st.sampled_from(["", "\n"]), st.integers(1, 40))
def test_the_pieces_are_the_file(tmp_path: Path, lines: list[str], end: str, whole: int) -> None:
    text = "\n".join(lines) + end
    found = cut(tmp_path, text.encode(), whole)
    assert "".join(piece.text or "" for piece in found) == text
    at = 0
    for piece in found:
        assert piece.number == text.count("\n", 0, at) + 1
        at += len(piece.text or "")


def test_a_piece_without_a_literal_is_empty(tmp_path: Path) -> None:
    assert cut(tmp_path, b"one\nfoo\ntwo\n", 4, b"foo") == [Piece(1, ""), Piece(2, "foo\n"), Piece(3, "")]


def test_what_turns_out_binary_ends_there(tmp_path: Path) -> None:
    assert cut(tmp_path, b"one\ntwo\n\0\0\0\nfoo\n", 4) == [Piece(1, "one\n"), Piece(2, "two\n"), Piece(3, None)]
    assert cut(tmp_path, "a\nb\n".encode("utf-16"), 4) == [Piece(1, None)]


def test_a_line_beyond_all_measure_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces_module, "_LONGEST_LINE", 16)
    assert cut(tmp_path, b"a\n" + b"x" * 100 + b"\nb\n", 4) == [Piece(1, "a\n"), Piece(2, None)]


def test_a_large_file_is_searched_to_its_end(tmp_path: Path) -> None:
    line = "0123456789 of a line that is like the others\n"
    count = (pieces_module.WHOLE * 2) // len(line)
    plant(tmp_path, {"big.log": f"here {line}" + line * count + f"here {line}"})
    result = grep(Walk(tmp_path, tmp_path, Guard()), "here 0")
    assert [match.number for match in result.found] == [1, count + 2]
    assert (result.files, result.skipped) == (1, 0)
