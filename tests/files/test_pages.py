"""Lines out of files of any size: the same as those of the whole, in pieces."""

import os
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.files import pages
from hd.files.content import file_text
from hd.files.errors import Code, FileError
from hd.files.pages import Part, Taker, read_part
from tests.files.trees import plant

PIECES = st.lists(st.sampled_from(["a", "bc", "\r", "\n", "\r\n", "é", "中", "", "long line"]), max_size=30)


def part(path: Path, first: int, limit: int, longest: int = 1000) -> Part:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return read_part(descriptor, first, limit, longest)
    finally:
        os.close(descriptor)


@given(PIECES, st.lists(st.integers(0, 40), max_size=5), st.integers(1, 8), st.integers(1, 8), st.integers(1, 4))
def test_pieces_make_the_same_lines_as_the_whole(
    pieces: list[str], cuts: list[int], first: int, limit: int, longest: int
) -> None:
    text = "".join(pieces).replace("\r", "")
    taker = Taker(first, limit, longest)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    for start, end in pairwise(edges):
        taker.take(text[start:end])
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    wanted = lines[first - 1 : first - 1 + limit]
    assert taker.lines == [line[:longest] for line in wanted]
    assert taker.missing == [max(len(line) - longest, 0) for line in wanted]


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030", "cp932"])
@pytest.mark.parametrize("piece", [1, 2, 3, 7, 1 << 20])
def test_every_encoding_is_read_as_with_the_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, codec: str, piece: int
) -> None:
    monkeypatch.setattr(pages, "PIECE", piece)
    second = "读取\r数据" if codec == "gb18030" else "テスト\rです"
    raw = f"这是的\r\n{second}\n\r\n中\r\n".replace("这" if codec == "cp932" else "\0", "あ").encode(codec)
    plant(tmp_path, {"f": raw})
    whole = file_text(tmp_path / "f", raw)
    found = part(tmp_path / "f", 1, 100)
    assert list(found.lines) == whole.lines
    assert (found.encoding, found.last) == (whole.encoding, True)
    assert part(tmp_path / "f", 2, 1).lines == (second,)


def test_the_end_is_told(tmp_path: Path) -> None:
    plant(tmp_path, {"f": "a\nb\nc\n", "open": "a\nb", "raw": b"a\xff\xff\nb\n", "nul": b"a\0b"})
    assert [part(tmp_path / "f", 1, limit).last for limit in (2, 3, 4)] == [False, True, True]
    assert [part(tmp_path / "open", 1, limit).last for limit in (1, 2)] == [False, True]
    assert part(tmp_path / "f", 5, 1).lines == ()
    assert part(tmp_path / "raw", 1, 1).lines == (r"a\xff\xff",)
    with pytest.raises(FileError) as caught:
        part(tmp_path / "nul", 1, 1)
    assert caught.value.code is Code.NOT_TEXT


def test_the_sample_may_end_in_the_middle_of_a_character(tmp_path: Path) -> None:
    for shift in range(4):
        plant(tmp_path, {"f": "x" * shift + "中" * 30_000, "w": ("x" * shift + "😀" * 20_000).encode("utf-16")})
        assert part(tmp_path / "f", 1, 1).encoding.plain
        assert part(tmp_path / "w", 1, 1).lines[0].startswith("x" * shift + "😀")


def test_a_search_for_a_line_can_be_stopped(tmp_path: Path) -> None:
    plant(tmp_path, {"f": "a\n"})
    descriptor = os.open(tmp_path / "f", os.O_RDONLY)
    try:
        with pytest.raises(FileError) as caught:
            read_part(descriptor, 1, 1, 1, lambda: False)
    finally:
        os.close(descriptor)
    assert caught.value.code is Code.TOO_LARGE
