"""read_file: numbered lines, pages, headings, bounds."""

import pytest

from hd.tools.base import Access, InvalidArguments
from hd.tools.kinds.read_file import MOST_BYTES, paged
from tests.files.trees import plant
from tests.tools.kinds.desk import Desk


async def test_plain_text_comes_as_numbered_lines_alone(desk: Desk) -> None:
    plant(desk.root, {"src/a.py": "one\n\n  three\n"})
    outcome = await desk.run("read_file", path="src/a.py")
    assert outcome.text == "1: one\n2: \n3:   three"
    path = desk.root / "src/a.py"
    assert outcome.meta == {
        "path": str(path),
        "offset": 1,
        "lines": [{"number": 1, "text": "one"}, {"number": 2, "text": ""}, {"number": 3, "text": "  three"}],
        "totalLines": 3,
    }
    assert desk.context.seen == {path: desk.files.read("src/a.py").hash}
    plan = desk.plan("read_file", path=str(path))
    assert (plan.access, plan.summary, plan.paths) == (Access.READ, "read src/a.py", ("src/a.py",))


async def test_a_page_says_where_it_is(desk: Desk) -> None:
    plant(desk.root, {"f": "".join(f"line {n}\n" for n in range(1, 3001))})
    outcome = await desk.run("read_file", path="f")
    assert outcome.text.startswith("[f: lines 1–2000 of 3000; go on with offset 2001]\n1: line 1\n")
    assert outcome.text.endswith("\n2000: line 2000")
    outcome = await desk.run("read_file", path="f", offset="2999", limit=50)
    assert outcome.text == "[f: lines 2999–3000 of 3000]\n2999: line 2999\n3000: line 3000"
    assert outcome.meta is not None
    assert outcome.meta["offset"] == 2999
    with pytest.raises(InvalidArguments, match="3000 lines"):
        await desk.run("read_file", path="f", offset=3001)


@pytest.mark.parametrize(
    ("raw", "heading"),
    [
        (b"a\nb", "[f: no newline at the end]"),
        (b"a\r\nb\r\n", "[f: CRLF line endings"),
        (b"a\r\nb\n", "[f: mixed line endings"),
        (b"\xef\xbb\xbfa\nb\n", "[f: UTF-8 with BOM]"),
        ("a\nb\n".encode("utf-16"), "[f: UTF-16 LE with BOM]"),
        (b"a\nb\xe9\n", "[f: Latin-1, by its content, "),
        (b"a\nb\xff\xff\xff\n", r"[f: not UTF-8; bytes outside ASCII are shown as \xNN]"),
    ],
)
async def test_a_heading_names_what_is_unusual(desk: Desk, raw: bytes, heading: str) -> None:
    plant(desk.root, {"f": raw})
    outcome = await desk.run("read_file", path="f")
    first, *lines = outcome.text.split("\n")
    assert first.startswith(heading)
    assert lines[0] == "1: a"
    assert "\ufeff" not in outcome.text
    assert "\r" not in outcome.text


async def test_a_file_too_large_to_be_read_as_a_whole_is_paged(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hd.files.layer.SIZE_LIMIT", 10)
    plant(desk.root, {"big": "".join(f"line {n}\n" for n in range(1, 10)) + "x" * 3000})
    outcome = await desk.run("read_file", path="big", offset=2, limit=2)
    assert outcome.text == (
        "[big: lines 2–3 of a file of 3,063 bytes, too large for edit_file and write_file; go on with offset 4]\n"
        "2: line 2\n3: line 3"
    )
    assert outcome.meta == {
        "path": str(desk.root / "big"),
        "offset": 2,
        "lines": [{"number": 2, "text": "line 2"}, {"number": 3, "text": "line 3"}],
    }
    outcome = await desk.run("read_file", path="big", offset=10)
    assert outcome.text.endswith("x… (1,000 more characters)")
    assert "the file ends here]" in outcome.text
    with pytest.raises(InvalidArguments, match="offset 12"):
        await desk.run("read_file", path="big", offset=12)
    assert desk.context.seen == {}


async def test_an_empty_file_and_a_folder(desk: Desk) -> None:
    plant(desk.root, {"empty": "", "d/a": "12", "d/.env": "k"})
    assert (await desk.run("read_file", path="empty")).text == "empty is empty."
    assert (await desk.run("read_file", path="d")).text == "d/ is a folder. It holds:\na  2 bytes"


def test_a_page_is_bounded_in_lines_and_in_all() -> None:
    page = paged(["x" * 5000, "y"], 1, 10)
    assert page.cut
    assert page.lines[0] == "x" * 2000 + "… (3,000 more characters)"
    wide = paged(["界" * 1000] * 100, 1, 100)
    assert sum(len(line.encode()) for line in wide.lines) <= MOST_BYTES
    assert wide.last < 100
    assert len(paged(["界" * 30_000], 1, 1).lines) == 1


@pytest.mark.parametrize("arguments", [{}, {"path": ""}, {"path": "f", "offset": -1}, {"path": "f", "line": 1}])
async def test_arguments_that_do_not_fit(desk: Desk, arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidArguments, match="Nothing was done"):
        await desk.run("read_file", **arguments)


async def test_what_cannot_be_read(desk: Desk) -> None:
    plant(desk.root, {"bin": b"\0\1"})
    assert (await desk.refusal("read_file", path="bin")).code == "FS_NOT_TEXT"
    error = await desk.refusal("read_file", path="gone")
    assert (error.name, error.code, error.message) == (
        "FsError",
        "FS_NOT_FOUND",
        "gone does not exist. Nothing was read.",
    )
    assert desk.context.seen == {}
