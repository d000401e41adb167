"""`/export-html` and `/coredump`: private files that replace nothing (rows T16, T21)."""

import errno
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from htui.new_file import new_file
from htui.screens.exporting import ExportFailed, _write
from tests.htui.screens.stage import stage
from tests.htui.screens.test_search import said, talk


async def test_t16_the_whole_session_is_in_the_page_older_pages_included(tmp_path: Path) -> None:
    async with stage(tmp_path, size=(160, 24)) as s:
        s.app.directory = tmp_path
        talk(s, 12)
        await said(s, "/export-html out.html")
        await s.sees("24 entries.", "out.html")
        page = (tmp_path / "out.html").read_text()
        assert (tmp_path / "out.html").stat().st_mode & 0o777 == 0o600
        assert page.index("question 1 ") < page.index("answer 1:") < page.index("question 12 ")
        await said(s, "/export-html out.html")
        await s.sees("is there already and was left as it is")
        assert (tmp_path / "out.html").read_text() == page


async def test_t16_without_a_name_the_file_has_one_and_a_bad_place_is_told(tmp_path: Path) -> None:
    async with stage(tmp_path, size=(160, 24)) as s:
        s.app.directory = tmp_path
        talk(s, 2)
        await said(s, "/export-html")
        await s.sees("4 entries.")
        assert len(list(tmp_path.glob("20*.html"))) == 1
        await said(s, "/export-html nowhere/x.html")
        await s.sees("cannot be written")
        await said(s, "/export-html ~nobody-of-that-name/y.html")
        await s.sees("y.html cannot be written")


@pytest.mark.parametrize("tag", ["", "after a day/../x"])
async def test_t21_a_dump_holds_numbers_and_nothing_that_was_written(tmp_path: Path, tag: str) -> None:
    async with stage(tmp_path, size=(160, 24)) as s:
        s.app.directory = tmp_path
        talk(s, 2)
        await said(s, f"/coredump {tag}".strip())
        await s.sees("Written:")
        (file,) = tmp_path.glob("htui-*.json")
        found = msgspec.json.decode(file.read_bytes())
        assert file.stat().st_mode & 0o777 == 0o600
        assert found["counts"]["rows"] == 4
        assert found["objects"]
        assert "question" not in file.read_text()


async def test_a_session_that_is_still_being_loaded_is_not_exported_as_an_empty_one(tmp_path: Path) -> None:
    async with stage(tmp_path, size=(160, 24)) as s:
        s.app.directory = tmp_path
        s.chat.conversation.mirror.loads = 0
        await said(s, "/export-html")
        await s.sees("still being loaded")
        assert not list(tmp_path.glob("*.html"))


def test_a_page_that_is_given_up_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ExportFailed):
        _write(tmp_path / "x.html", "", "", 0, [], True, lambda: True)
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_written_whole_leaves_no_file_and_nothing_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "x"
    file = ExitStack()
    file.enter_context(new_file(path)).write(b"half")
    assert not file.__exit__(OSError, OSError(errno.ENOSPC, "No space left on device"), None)
    assert not path.exists()
    path.write_bytes(b"mine")
    with pytest.raises(FileExistsError), new_file(path):
        pass
    assert path.read_bytes() == b"mine"
    with pytest.raises(OSError, match="null"), new_file(tmp_path / "a\0b"):
        pass
