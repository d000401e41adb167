"""Encodings through the file layer: what is kept, shown and written, and what is refused (cases A04, A05, A06)."""

from pathlib import Path

import pytest

from hd.files.errors import Code
from hd.files.layer import FileLayer
from tests.files.trees import plant, refused

BOM = b"\xef\xbb\xbf"


def test_a04_the_mark_is_kept_never_shown_and_never_added(root: Path, layer: FileLayer) -> None:
    plant(root, {"marked.txt": BOM + "hello\n中文\n".encode(), "bare.txt": "hello\n中文\n"})
    assert layer.read("marked.txt").lines == ["hello", "中文"]
    layer.edit("marked.txt", "hello", "hello2")
    assert (root / "marked.txt").read_bytes() == BOM + "hello2\n中文\n".encode()
    layer.write("marked.txt", "new\n中文\n")
    assert (root / "marked.txt").read_bytes() == BOM + "new\n中文\n".encode()
    layer.write("marked.txt", "\ufeffonce\n")
    assert (root / "marked.txt").read_bytes() == BOM + b"once\n"
    layer.edit("bare.txt", "hello", "hello2")
    assert (root / "bare.txt").read_bytes() == "hello2\n中文\n".encode()
    layer.edit("bare.txt", "hello2", "\ufeffhello3")
    layer.write("bare.txt", "\ufeffplain\n")
    assert (root / "bare.txt").read_bytes() == b"plain\n"


def test_a05_a_byte_elsewhere_survives_an_edit(root: Path, layer: FileLayer) -> None:
    plant(root, {"l.py": b"x = 1\n# caf\xe9\n", "raw.py": b"x = 1\n# \xe9\xff\xfe\n"})
    assert layer.read("l.py").view == "x = 1\n# café\n"
    layer.edit("l.py", "x = 1", "x = 2")
    assert (root / "l.py").read_bytes() == b"x = 2\n# caf\xe9\n"
    assert refused(lambda: layer.edit("l.py", "x = 2", "# 中")).code is Code.ENCODING
    assert layer.read("raw.py").view == "x = 1\n# \\xe9\\xff\\xfe\n"
    layer.edit("raw.py", "x = 1", "x = 2")
    layer.edit("raw.py", r"# \xe9\xff\xfe", r"# the \xe9\xff")
    assert (root / "raw.py").read_bytes() == b"x = 2\n# the \xe9\xff\n"


@pytest.mark.parametrize(
    "codec, here, new",
    [
        ("gb18030", "# 注释：返回用户的数据", "# 新的一行"),
        ("cp932", "# これは設定です", "# あたらしい行"),
        ("latin-1", "# Größe für später", "# éèà"),
    ],
)
def test_a06_every_way_to_write_uses_the_encoding_of_the_file(
    root: Path, layer: FileLayer, codec: str, here: str, new: str
) -> None:
    plant(root, {"f.py": f"{here}\r\nx = 1\r\n".encode(codec)})
    assert layer.read("f.py").lines == [here, "x = 1"]
    layer.edit("f.py", "x = 1", f"{new}\nx = 2")
    assert (root / "f.py").read_bytes().decode(codec) == f"{here}\r\n{new}\r\nx = 2\r\n"
    layer.write("f.py", f"{new}\n{here}\ny = 1\n")
    assert (root / "f.py").read_bytes().decode(codec) == f"{new}\r\n{here}\r\ny = 1\r\n"


def test_a06_what_no_encoding_is_known_for_is_refused_alike(root: Path, layer: FileLayer) -> None:
    raw = "# ㄱ갸겨\nx = 1\n".encode("euc_kr")
    plant(root, {"g.py": raw})
    for call in (
        lambda: layer.edit("g.py", "x = 1", "# 新\nx = 1"),
        lambda: layer.write("g.py", "# 新\nx = 1\n"),
        lambda: layer.write("g.py", "x = 1\n"),
    ):
        assert refused(call).code is Code.ENCODING
    assert (root / "g.py").read_bytes() == raw
    layer.edit("g.py", "x = 1", "x = 2\ny = 3")
    assert (root / "g.py").read_bytes() == raw.replace(b"x = 1", b"x = 2\ny = 3")


def test_a06_a_result_that_would_read_as_another_text_is_refused(root: Path, layer: FileLayer) -> None:
    raw = "# 一的是了在\n".encode("gb18030")
    plant(root, {"f": raw})
    # The bytes of this character are also one of Cyrillic in UTF-8.
    error = refused(lambda: layer.write("f", "一\n"))
    assert (error.code, "read as another text" in error.message) == (Code.ENCODING, True)
    assert (root / "f").read_bytes() == raw


def test_a06_bytes_that_would_come_back_as_others_are_taken_as_bytes(root: Path, layer: FileLayer) -> None:
    # Shift-JIS has several codes for this sign; the text does not tell which one it was.
    raw = "# これは設定です".encode("cp932") + b" \x87\x90\nx = 1\n"
    plant(root, {"f": raw})
    layer.edit("f", "x = 1", "x = 2")
    assert (root / "f").read_bytes() == raw.replace(b"x = 1", b"x = 2")


@pytest.mark.parametrize("codec", ["utf-16", "utf-32"])
def test_wide_encodings_are_kept(root: Path, layer: FileLayer, codec: str) -> None:
    plant(root, {"w.txt": "a\r\n中\r\n".encode(codec)})
    layer.edit("w.txt", "中", "文\n字")
    assert (root / "w.txt").read_bytes() == "a\r\n文\r\n字\r\n".encode(codec)
    layer.write("w.txt", "b\nc\n")
    assert (root / "w.txt").read_bytes() == "b\r\nc\r\n".encode(codec)
