"""Random bytes on a real disk: outside of what a change is about, every byte stays, and a refusal changes nothing.

`HD_LONG_RUN=1` tries ten thousand of each; the suite a few.
"""

import codecs
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hd.files.content import FileText
from hd.files.errors import Code, FileError
from hd.files.layer import FileLayer
from hd.files.lines import fold

T = TypeVar("T")

EXAMPLES = 10_000 if os.environ.get("HD_LONG_RUN") else 80
many = settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])

WORDS = [
    "a",
    "b",
    "x = 1",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\n",
    "\r\n",
    "\r",
    "“",
    '"',
    "é",
    "e\u0301",
    "的",
    "中文",
    "数据",
    "です",
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=30).map("".join)
MARKED = [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF32_BE, "utf-32-be")]


def encoded(text: str, codec: str) -> bytes:
    return text.encode(codec, "ignore")


FILES = st.one_of(
    st.binary(max_size=60).filter(lambda raw: b"\0" not in raw),
    st.lists(
        st.sampled_from([b"a", b"x = 1", b"\n", b"\r\n", b"\xe9", b"\xb5\xc4", b"\x82\xc5", b"\xff"]), max_size=30
    ).map(b"".join),
    st.builds(encoded, TEXTS, st.sampled_from(["utf-8", "gb18030", "cp932", "latin-1", "cp1252", "euc_kr"])),
    st.builds(lambda text, mark: mark[0] + encoded(text, mark[1]), TEXTS, st.sampled_from(MARKED)),
)


@contextmanager
def on_disk(raw: bytes) -> Iterator[tuple[FileLayer, Path, FileText]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_bytes(raw)
        layer = FileLayer(Path(folder))
        file = tried(lambda: layer.read("f"))
        # UTF-16 of an odd number of bytes, for one, is binary.
        assume(isinstance(file, FileText))
        assert isinstance(file, FileText)
        yield layer, path, file


def tried(call: Callable[[], T]) -> T | FileError:
    try:
        return call()
    except FileError as error:
        return error


def byte_offset(file: FileText, view_offset: int) -> int:
    """Where a place of the file's folded text is in its bytes."""
    return len(file.encoding.encode(file.text[: fold(file.text).place(view_offset)]))


@many
@given(FILES, st.data(), TEXTS)
def test_a02_a05_outside_an_edit_every_byte_stays(raw: bytes, draw: st.DataObject, new: str) -> None:
    with on_disk(raw) as (layer, path, file):
        view = fold(file.text).view
        assume(view and not file.encoding.raw)
        start = draw.draw(st.integers(0, len(view) - 1))
        end = draw.draw(st.integers(start + 1, min(len(view), start + 12)))
        old = view[start:end]
        # A lone carriage return before a line ending is text, and as sought text it is taken for a part of the ending.
        assume(not old.startswith("\ufeff") and "\r\n" not in old and "\r" not in fold(new).view)
        edited = tried(lambda: layer.edit("f", old, new))
        if isinstance(edited, FileError):
            assert edited.code in {Code.EDIT_AMBIGUOUS, Code.EDIT_EMPTY, Code.ENCODING}
            assert path.read_bytes() == raw
            return
        assert edited.apart_from == ()
        before, behind = raw[: byte_offset(file, start)], raw[byte_offset(file, end) :]
        now = path.read_bytes()
        assert now.startswith(before)
        assert now.endswith(behind)
        middle = now[len(before) : len(now) - len(behind)].decode(file.encoding.codec)
        assert fold(middle).view == fold(new.removeprefix("\ufeff")).view


@many
@given(FILES, st.data(), st.sampled_from(["y", "y = 2", ""]))
def test_a05_an_edit_in_ascii_leaves_the_bytes_of_any_encoding(raw: bytes, draw: st.DataObject, new: str) -> None:
    """Also where nothing is known about the encoding: an ASCII word is replaced at every place."""
    old = draw.draw(st.sampled_from(["x = 1", "a", "b"]))
    with on_disk(raw) as (layer, path, file):
        parts = file.text.split(old)
        if isinstance(tried(lambda: layer.edit("f", old, new, replace_all=True)), FileError):
            assert path.read_bytes() == raw
        elif len(parts) > 1:
            assert path.read_bytes() == file.encoding.encode(new.join(parts))


@many
@given(FILES, st.data(), st.sampled_from(["new line", "新的数据", "é"]))
def test_a02_a06_a_write_that_changes_one_line_leaves_the_bytes_of_the_others(
    raw: bytes, draw: st.DataObject, new: str
) -> None:
    with on_disk(raw) as (layer, path, file):
        lines = fold(file.text).view.split("\n")
        at = draw.draw(st.integers(0, len(lines) - 1))
        assume(lines.count(lines[at]) == 1 and new not in lines and "\r" not in "".join(lines))
        start = sum(len(line) + 1 for line in lines[:at])
        text = "\n".join([*lines[:at], new, *lines[at + 1 :]])
        written = tried(lambda: layer.write("f", text, expect=file.hash))
        if isinstance(written, FileError):
            assert written.code is Code.ENCODING
            assert path.read_bytes() == raw
            return
        before = raw[: byte_offset(file, start)]
        behind = raw[byte_offset(file, start + len(lines[at])) :]
        assert path.read_bytes() == before + file.encoding.encode_part(new) + behind


@many
@given(FILES, TEXTS, TEXTS)
def test_a03_what_is_not_there_is_refused_or_only_its_place_changes(raw: bytes, old: str, new: str) -> None:
    with on_disk(raw) as (layer, path, file):
        assume(fold(old).view not in fold(file.text).view and not file.encoding.raw)
        edited = tried(lambda: layer.edit("f", old, new))
        if isinstance(edited, FileError):
            assert path.read_bytes() == raw
            return
        assert edited.apart_from
        was, now = file.view, edited.after.view
        lines, kept = was.split("\n"), edited.first_line - 1
        assert now.split("\n")[:kept] == lines[:kept]
        rest = len(lines) - kept - fold(old).view.count("\n") - 1
        assert rest <= 0 or now.split("\n")[-rest:] == lines[-rest:]
