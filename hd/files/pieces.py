"""The texts in which a search looks: a file as a whole, or a large one in pieces of whole lines, so that memory is
bounded by the piece."""

import codecs
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from hd.files import disk
from hd.files.encoding import decode, shown
from hd.files.errors import Code, FileError

WHOLE = 4 << 20
"""Bytes up to which a file is one piece."""

_LONGEST_LINE = 32 << 20
# Their units are not bytes, so a piece cannot be cut at a newline. A mark of UTF-32 begins with one of these or NUL.
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Piece(NamedTuple):
    """`number` is that of its first line, from 1. `text` is None where the rest of the file cannot be searched (binary,
    not readable, or with a line beyond all measure), and empty where nothing can be found. A tuple, because a search
    makes a hundred thousand."""

    number: int
    text: str | None


def pieces(
    folder: int,
    name: str,
    literals: tuple[bytes, ...],
    may_go_on: Callable[[], bool],
    *,
    just_seen: bool = False,
    whole: int = WHOLE,
) -> Iterable[Piece]:
    """The pieces of the file `name` of the open folder. Of `literals`, in UTF-8, one stands in whatever can be found;
    without any, everything is asked. `just_seen` as in `disk.read`; `may_go_on` is asked between two pieces."""
    try:
        return (Piece(1, _text(disk.read(folder, name, whole, just_seen=just_seen).raw, literals)),)
    except FileError as error:
        if error.code is Code.TOO_LARGE:
            return _parts(folder, name, literals, may_go_on, whole)
    except OSError:
        pass
    return (Piece(1, None),)


def _parts(
    folder: int, name: str, literals: tuple[bytes, ...], may_go_on: Callable[[], bool], whole: int
) -> Iterator[Piece]:
    number = 1
    try:
        for raw in _blocks(folder, name, whole):
            yield Piece(number, _text(raw, literals))
            number += raw.count(b"\n")
            if not may_go_on():
                return
    except (OSError, FileError):
        yield Piece(number, None)


def _blocks(folder: int, name: str, whole: int) -> Iterator[bytes]:
    offset, length = 0, whole
    while block := disk.read_part(folder, name, offset, length).raw:
        if offset == 0 and block.startswith(_WIDE):
            raise FileError(Code.TOO_LARGE, "A large file is searched only if its newlines are single bytes.")
        end = len(block) if len(block) < length else block.rfind(b"\n") + 1
        if end:
            yield block[:end]
            offset, length = offset + end, whole
        elif length < _LONGEST_LINE:
            length *= 2
        else:
            raise FileError(Code.TOO_LARGE, f"It has a line of more than {_LONGEST_LINE:,} bytes.")


def _text(raw: bytes, literals: tuple[bytes, ...]) -> str:
    """The text as the model reads it, or as little of it as matters; `FileError` (FS_NOT_TEXT)."""
    if literals and not _holds(raw, literals) and _is_plain(raw):
        return ""
    encoding, text = decode(raw)
    return shown(text) if encoding.raw else text


def _holds(raw: bytes, literals: tuple[bytes, ...]) -> bool:
    for literal in literals:  # noqa: SIM110 - a generator takes longer than the search itself.
        if literal in raw:
            return True
    return False


def _is_plain(raw: bytes) -> bool:
    """Whether it is text in UTF-8, so that a literal that stands in the text stands in the bytes."""
    if b"\0" in raw:
        return False
    try:
        return raw.isascii() or raw.decode("utf-8") is not None
    except UnicodeDecodeError:
        return False
