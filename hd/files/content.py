"""The text of one file, and what a write or an edit makes of it. Pure."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from hd.files.difference import hunks
from hd.files.edit import Replaced, Span, replace
from hd.files.encoding import MARK, UTF_8, Encoding, decode, meant, shown
from hd.files.errors import Code, FileError
from hd.files.lines import dress, fold, split, style

_FRESH_ROWS = 20
_FRESH_LENGTH = 200


@dataclass(frozen=True, slots=True)
class FileText:
    """A text file as it was at one moment.

    `text` is the file's own text without byte order mark; `view` is what people and the model see of it, with `\\n`
    only and with raw bytes as `\\xNN`. `hash` is the SHA-256 of the bytes in hex, `size` their number.
    """

    path: Path
    text: str
    view: str
    encoding: Encoding
    hash: str
    size: int

    @property
    def lines(self) -> list[str]:
        """The lines of the view without their endings; line n stands at index n - 1."""
        return split(self.view)

    @property
    def endings(self) -> str:
        """`LF`, `CRLF`, `mixed` or `none`."""
        return style(self.text)

    @property
    def ends_with_newline(self) -> bool:
        return self.text.endswith("\n")


def digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def file_text(path: Path, raw: bytes, known: Encoding | None = None) -> FileText:
    """The bytes as text; `FileError` (FS_NOT_TEXT) if they are none. `known`: see `hd.files.encoding.decode`."""
    encoding, text = decode(raw, known)
    view = fold(text).view
    return FileText(path, text, shown(view) if encoding.raw else view, encoding, digest(raw), len(raw))


def overwritten(path: Path, before: FileText | None, text: str) -> tuple[FileText, bytes]:
    """The file with `text` as its whole content, and its bytes.

    A new file gets UTF-8 and the text as it stands. An existing one keeps its encoding, its byte order mark and the
    ending of each line that stays; a new line takes that of the line it replaces or follows.
    """
    if before is None or not before.size:
        encoding = UTF_8 if before is None else before.encoding
        return _encoded(path, text, encoding)
    if before.encoding.raw:
        raise FileError(
            Code.ENCODING,
            "It is not UTF-8, and writing it as a whole would lose the bytes that cannot be shown. Nothing was "
            "changed. Change parts of it with edit_file, in ASCII.",
        )
    given = fold(text.removeprefix(MARK)).view
    ending = "\r\n" if before.endings == "CRLF" else "\n"
    return _encoded(path, dress(given, before.text, ending), before.encoding)


def edited(before: FileText, raw: bytes, old: str, new: str, *, everywhere: bool) -> tuple[FileText, bytes, Replaced]:
    """The file of the bytes `raw` with `old` replaced by `new` (`hd.files.edit`), and its bytes.

    What is not replaced is taken over as bytes and not encoded anew.
    """
    encoding = before.encoding
    if encoding.bom:
        old = old.removeprefix(MARK)
    if not old.startswith(MARK):
        new = new.removeprefix(MARK)
    if encoding.raw:
        old, new = meant(fold(before.text).view, fold(old).view, fold(new).view)
    replaced = replace(before.text, old, new, everywhere=everywhere)
    spliced = _spliced(before.text, raw, encoding, replaced.spans)
    after, encoded = _encoded(before.path, replaced.applied(before.text), encoding)
    if spliced != encoded:
        raise FileError(
            Code.ENCODING,
            f"The change cannot be made in this file ({encoding.label}) without touching other bytes. "
            "Nothing was changed. Ask the person how it is to be changed.",
        )
    return after, spliced, replaced


def staleness(known: str | None, now: FileText | None) -> str:
    """What to tell about a file that is not what it was when it was read; `known` is the view of then, if held."""
    if now is None:
        return "It has been deleted since it was read. Nothing was written. Look again, then decide."
    start = "It has changed on disk since it was last read. Nothing was written. "
    rows = [] if known is None else _fresh_rows(known, now.view)
    fresh = "What is new on disk:\n" + "\n".join(rows) + "\n" if rows else ""
    return f"{start}{fresh}Read it again, then make the change on what it holds now."


def _fresh_rows(known: str, now: str) -> list[str]:
    rows: list[str] = []
    for hunk in hunks(known, now, context=0):
        number = hunk.new_start
        for sign, line in hunk.rows:
            text = line.rstrip("\n")[:_FRESH_LENGTH]
            rows.append(f"  - {text}" if sign == "-" else f"  {number}: {text}")
            number += sign == "+"
    return rows if len(rows) <= _FRESH_ROWS else [*rows[:_FRESH_ROWS], f"  … and {len(rows) - _FRESH_ROWS} more lines"]


def _spliced(text: str, raw: bytes, encoding: Encoding, spans: tuple[Span, ...]) -> bytes:
    """The bytes with those of each span replaced by those of what stands in its place."""
    parts: list[bytes] = []
    kept_from, taken = len(encoding.bom), 0
    parts.append(raw[:kept_from])
    for span in spans:
        kept_to = kept_from + len(encoding.encode_part(text[taken : span.start]))
        parts += (raw[kept_from:kept_to], encoding.encode_part(span.new))
        kept_from = kept_to + len(encoding.encode_part(text[span.start : span.end]))
        taken = span.end
    return b"".join((*parts, raw[kept_from:]))


def _encoded(path: Path, text: str, encoding: Encoding) -> tuple[FileText, bytes]:
    """The text in bytes, and as a later read will find it."""
    if "\0" in text:
        raise FileError(
            Code.ENCODING, "The new text holds a NUL character, which no text file does. Nothing was changed."
        )
    raw = encoding.encode(text)
    after = file_text(path, raw, known=encoding)
    if encoding.guessed and after.text != text:
        raise FileError(
            Code.ENCODING,
            f"In this file's encoding ({encoding.label}) the result would be mistaken for {after.encoding.label} and "
            "read as another text. Nothing was changed. Ask the person which encoding the file is to have.",
        )
    return after, raw
