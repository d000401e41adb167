"""Bytes to text and back without loss, or a refusal.

Text is UTF-8, or UTF-16 or UTF-32 with a byte order mark, or what the evidence says (`hd.files.detect`) if that gives
the same bytes back. Anything else that has no NUL byte is taken byte by byte (`raw`): ASCII stands for itself and every
other byte becomes one lone surrogate (U+DC80 to U+DCFF, PEP 383), which no real text contains, so that writing gives
the same bytes back. People and models are shown such a byte as `\\xNN`.
Nothing here can produce U+FFFD.
"""

import codecs
import re
from collections import Counter
from dataclasses import dataclass

from hd.files.detect import detect
from hd.files.errors import Code, FileError

MARK = "\ufeff"

_BOMS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8 with BOM"),
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32 LE with BOM"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32 BE with BOM"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16 LE with BOM"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16 BE with BOM"),
)

_RAW_CHAR = re.compile("[\udc80-\udcff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHOWN_BYTE = re.compile(r"\\x([89a-fA-F][0-9a-fA-F])")


@dataclass(frozen=True, slots=True)
class Encoding:
    """How the bytes of one file stand for its text. `bom` is every mark at its start, which the text does not hold.

    `guessed` says that nothing but evidence speaks for it, `raw` that the text is the bytes themselves.
    """

    codec: str = "utf-8"
    label: str = "UTF-8"
    bom: bytes = b""
    raw: bool = False
    guessed: bool = False

    @property
    def plain(self) -> bool:
        """UTF-8 without a mark, which nobody needs to be told."""
        return self.codec == "utf-8" and not self.bom

    def encode(self, text: str) -> bytes:
        """The bytes with the mark; `FileError` (FS_ENCODING) when the file's encoding has no form for the text."""
        return self.bom + self.encode_part(text)

    def encode_part(self, text: str) -> bytes:
        """The bytes of some of the text, which are the same wherever it stands."""
        try:
            return text.encode(self.codec, "surrogateescape" if self.raw else "strict")
        except UnicodeEncodeError as error:
            character = f"U+{ord(error.object[error.start]):04X}"
            advice = "Use ASCII for the new text." if self.raw else "Leave it out."
            raise FileError(
                Code.ENCODING,
                f"The new text holds {character}, which this file ({self.label}) cannot hold. "
                f"Nothing was changed. {advice}",
            ) from error


UTF_8 = Encoding()
_RAW = Encoding(codec="ascii", label=r"not UTF-8; bytes outside ASCII are shown as \xNN", raw=True)


def decode(content: bytes, known: Encoding | None = None) -> tuple[Encoding, str]:
    """The encoding and the text of a file; `FileError` (FS_NOT_TEXT) for binary content.

    `known` is what the file was in a moment ago, so that a change of a few words does not change what is made of the
    rest. For every result, `encoding.encode(text) == content`.
    """
    for bom, codec, label in _BOMS:
        if content.startswith(bom) and (found := _marked(content, bom, codec, label)) is not None:
            return found
    if b"\0" in content:
        raise FileError(Code.NOT_TEXT, "It is a binary file, which the file tools do not show or change.")
    try:
        return UTF_8, content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    encoding = known if known is not None and (known.guessed or known.raw) else _guess(content)
    if encoding.guessed and (text := _same_again(content, encoding)) is not None:
        return encoding, text
    return _RAW, content.decode("ascii", "surrogateescape")


def _guess(content: bytes) -> Encoding:
    guess = detect(content)
    if guess is None:
        return _RAW
    return Encoding(guess.codec, f"{guess.name}, by its content, {guess.sure:.0%} sure", guessed=True)


def _same_again(content: bytes, encoding: Encoding) -> str | None:
    """The text, if it is one and gives these very bytes back: some encodings have two forms of one character."""
    try:
        text = content.decode(encoding.codec)
        return text if text.encode(encoding.codec) == content else None
    except UnicodeError:
        return None


def _marked(content: bytes, bom: bytes, codec: str, label: str) -> tuple[Encoding, str] | None:
    marks = 1
    while content.startswith(bom, marks * len(bom)):
        marks += 1
    try:
        text = content[marks * len(bom) :].decode(codec)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else (Encoding(codec, label, bom * marks), text)


def shown(text: str) -> str:
    """The text as it can be sent and displayed: a raw byte as `\\xNN`, any other lone surrogate as `\\uNNNN`."""
    if text.isascii():
        return text
    readable = _RAW_CHAR.sub(lambda found: f"\\x{ord(found[0]) - 0xDC00:02x}", text)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", readable)


def meant(text: str, old: str, new: str) -> tuple[str, str]:
    """`old` and `new` as meant for the raw `text`, where a copied `\\xNN` stands for the byte that was shown so.

    Only if `old` does not stand in the text letter for letter. A byte can be kept, moved or dropped, never made up:
    `new` holding more of one byte than `old` is refused, because it could as well be an escape in source code.
    """
    if old in text or not _SHOWN_BYTE.search(old):
        return old, new
    spare = Counter(found.lower() for found in _SHOWN_BYTE.findall(new))
    spare.subtract(found.lower() for found in _SHOWN_BYTE.findall(old))
    if any(count > 0 for count in spare.values()):
        raise FileError(
            Code.ENCODING,
            "The file is not UTF-8, and the new text has more bytes in the form \\xNN than the old text. Bytes can be "
            "kept or removed, not added. Nothing was changed. Use ASCII for what is new.",
        )
    return _bytes(old), _bytes(new)


def _bytes(text: str) -> str:
    return _SHOWN_BYTE.sub(lambda found: chr(0xDC00 + int(found[1], 16)), text)
