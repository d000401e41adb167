"""Bytes and text: lossless or refused, and never U+FFFD."""

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hd.files.encoding import MARK, UTF_8, decode, meant, shown
from hd.files.errors import Code, FileError

BOMS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@given(st.binary())
@example(b"\xff\xfe\0\0")
@example(b"\xff\xfea")
@example(b"\xef\xbb\xbf\xe9")
@example(b"\xef\xbb\xbf\xef\xbb\xbfx")
def test_what_is_read_is_written_back_to_the_byte(raw: bytes) -> None:
    try:
        encoding, text = decode(raw)
    except FileError:
        assert b"\0" in raw
        return
    assert encoding.encode(text) == raw
    assert "\ufffd" not in text or not encoding.plain or "\ufffd".encode() in raw


@given(TEXT, st.sampled_from(sorted(BOMS)))
def test_marked_text_is_read_without_its_mark(text: str, codec: str) -> None:
    text = text.lstrip(MARK)
    encoding, found = decode(BOMS[codec] + text.encode(codec))
    assert (encoding.codec, found) == (codec, text)


@given(TEXT)
def test_unmarked_utf_8_is_plain(text: str) -> None:
    text = text.lstrip(MARK)
    assert decode(text.encode()) == (UTF_8, text)


@given(st.binary(min_size=1).filter(lambda raw: b"\0" not in raw))
def test_what_is_shown_can_be_sent(raw: bytes) -> None:
    _, text = decode(raw)
    shown(text).encode("utf-8")


@pytest.mark.parametrize("raw", [b"\x7fELF\0\1", b"a\0b", b"\xff\xfea\0\0\0"])
def test_binary_content_is_refused(raw: bytes) -> None:
    with pytest.raises(FileError) as caught:
        decode(raw)
    assert caught.value.code is Code.NOT_TEXT


def test_text_that_the_encoding_lacks_is_refused() -> None:
    raw, _ = decode(b"caf\xe9")
    assert raw.guessed
    for encoding, text in ((raw, "中"), (decode(b"\xff\xff")[0], "é"), (UTF_8, "\ud800")):
        with pytest.raises(FileError) as caught:
            encoding.encode(text)
        assert caught.value.code is Code.ENCODING


class TestMeant:
    """Bytes as `\\xNN` in what the model sends."""

    TEXT = "x = 1\n# caf\udce9\n"

    def test_a_copied_byte_is_that_byte(self) -> None:
        assert meant(self.TEXT, r"# caf\xe9", r"# caf\xe9 au lait") == ("# caf\udce9", "# caf\udce9 au lait")

    def test_case_of_the_digits_does_not_count(self) -> None:
        assert meant(self.TEXT, r"caf\xE9", r"\xe9") == ("caf\udce9", "\udce9")

    def test_an_escape_in_source_code_stays_one(self) -> None:
        assert meant(self.TEXT, "x = 1", r'x = "\xe9"') == ("x = 1", r'x = "\xe9"')
        assert meant(r"a = '\xe9'" + "\udce9", r"'\xe9'", r"'\xe8'") == (r"'\xe9'", r"'\xe8'")

    def test_a_byte_is_never_made_up(self) -> None:
        with pytest.raises(FileError) as caught:
            meant(self.TEXT, r"caf\xe9", r"caf\xe9\xe9")
        assert caught.value.code is Code.ENCODING
