"""The file layer on a real disk: what is kept, what is refused, what a kill leaves."""

import os
import stat
import unicodedata
from pathlib import Path

import pytest

from hd.files import disk
from hd.files.errors import Code, FileRefused
from hd.files.layer import ABSENT, FileLayer
from tests.files.trees import plant, refused, snapshot


def test_a01_a02_an_overwritten_file_keeps_its_line_endings(root: Path, layer: FileLayer) -> None:
    plant(root, {"crlf": "a\r\nb\r\n", "mixed": "a\r\nb\nc\r\n", "lf": "a\nb\n"})
    layer.write("crlf", "a\nnew\nb\n")
    layer.write("mixed", "a\nb\nnew\nc\n")
    layer.write("lf", "a\r\nb\r\nc\r\n")
    layer.write("fresh", "a\r\nb\n")
    found = {name: (root / name).read_bytes() for name in ("crlf", "mixed", "lf", "fresh")}
    assert found == {
        "crlf": b"a\r\nnew\r\nb\r\n",
        "mixed": b"a\r\nb\nnew\nc\r\n",
        "lf": b"a\nb\nc\n",
        "fresh": b"a\r\nb\n",
    }


def test_a09_a_name_in_another_unicode_form_finds_the_file(root: Path, layer: FileLayer) -> None:
    name = unicodedata.normalize("NFD", "café/thé.txt")
    plant(root, {name: "x = 1\n"})
    layer.edit("café/thé.txt", "x = 1", "x = 2")
    layer.write("café/neu.txt", "y")
    assert sorted(snapshot(root)) == sorted([name.split("/")[0], name, name.split("/")[0] + "/neu.txt"])
    assert (root / name).read_text() == "x = 2\n"


def test_a11_the_final_newline_is_what_is_given(root: Path, layer: FileLayer) -> None:
    plant(root, {"f": "a  \nb"})
    layer.edit("f", "b", "c")
    assert (root / "f").read_bytes() == b"a  \nc"
    layer.write("f", "a  \nd")
    assert (root / "f").read_bytes() == b"a  \nd"
    layer.write("f", "a\n")
    layer.edit("f", "a\n", "a")
    assert (root / "f").read_bytes() == b"a"


def test_a14_a_write_over_a_newer_file_is_refused_with_what_is_new(root: Path, layer: FileLayer) -> None:
    plant(root, {"notes.md": "one\ntwo\n"})
    known = layer.read("notes.md").hash
    plant(root, {"notes.md": "one\ntwo\nmine\n"})
    for call in (
        lambda: layer.write("notes.md", "one\ntwo\nmodel\n", expect=known),
        lambda: layer.edit("notes.md", "two", "2", expect=known),
        lambda: layer.delete("notes.md", expect=known),
    ):
        error = refused(call)
        assert error.code is Code.STALE
        assert "changed on disk" in error.message
        assert "3: mine" in error.message
        assert "approv" not in error.message
    assert (root / "notes.md").read_text() == "one\ntwo\nmine\n"
    layer.write("notes.md", "all new\n", expect=layer.read("notes.md").hash)
    assert (root / "notes.md").read_text() == "all new\n"


def test_a14_a_deleted_file_is_not_brought_back(root: Path, layer: FileLayer) -> None:
    plant(root, {"f": "x\n"})
    known = layer.read("f").hash
    (root / "f").unlink()
    assert refused(lambda: layer.write("f", "y", expect=known)).code is Code.STALE
    assert snapshot(root) == {}


@pytest.mark.parametrize("change", ["write", "edit"])
def test_a14_a_change_between_reading_and_writing_is_noticed(
    root: Path, layer: FileLayer, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    plant(root, {"f": "a\n"})
    sync = os.fsync

    def meanwhile(descriptor: int) -> None:
        sync(descriptor)
        plant(root, {"f": "a\nmine\n"})

    monkeypatch.setattr(os, "fsync", meanwhile)
    error = refused(lambda: layer.write("f", "b\n") if change == "write" else layer.edit("f", "a", "b"))
    assert error.code is Code.STALE
    assert snapshot(root) == {"f": b"a\nmine\n"}


def test_a_new_file_never_replaces_one_that_came_meanwhile(
    root: Path, layer: FileLayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: plant(root, {"f": "mine\n"}))
    assert refused(lambda: layer.write("f", "b\n", expect=ABSENT)).code is Code.EXISTS
    assert snapshot(root) == {"f": b"mine\n"}
    assert refused(lambda: layer.write("f", "b\n", expect=ABSENT)).code is Code.EXISTS


@pytest.mark.parametrize("unnamed", [True, False])
def test_a_file_system_without_unnamed_files(
    root: Path, layer: FileLayer, monkeypatch: pytest.MonkeyPatch, unnamed: bool
) -> None:
    if not unnamed:
        monkeypatch.delattr(os, "O_TMPFILE")
    layer.write("new/f", "a\n")
    layer.edit("new/f", "a", "b")
    assert snapshot(root) == {"new": None, "new/f": b"b\n"}
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "full")))
    error = refused(lambda: layer.edit("new/f", "b", "c"))
    assert (error.code, "disk is full" in error.message) == (Code.IO, True)
    assert refused(lambda: layer.write("other", "c")).code is Code.IO
    assert snapshot(root) == {"new": None, "new/f": b"b\n"}


def test_a19_the_mode_is_kept(root: Path, layer: FileLayer) -> None:
    plant(root, {"run.sh": "echo 1\n"})
    (root / "run.sh").chmod(0o4755)
    layer.edit("run.sh", "1", "2")
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o4755
    layer.write("run.sh", "echo 3\n")
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o4755


def test_a19_a_new_file_follows_the_umask(root: Path, layer: FileLayer) -> None:
    before = os.umask(0o027)
    try:
        layer.write("d/f", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((root / "d/f").stat().st_mode) == 0o640
    assert stat.S_IMODE((root / "d").stat().st_mode) == 0o750


def test_a19_a_link_inside_is_kept_and_its_target_edited(root: Path, layer: FileLayer) -> None:
    plant(root, {"real/f": "a\n"})
    (root / "link").symlink_to("real/f")
    layer.edit("link", "a", "b")
    layer.write("link", "c\n")
    assert snapshot(root) == {"link": "real/f", "real": None, "real/f": b"c\n"}


def test_a19_a_link_out_is_refused(root: Path, layer: FileLayer, tmp_path: Path) -> None:
    plant(tmp_path, {"outside": "a\n"})
    (root / "link").symlink_to("../outside")
    for call in (lambda: layer.edit("link", "a", "b"), lambda: layer.write("link", "b"), lambda: layer.read("link")):
        assert refused(call).code is Code.OUTSIDE
    assert (tmp_path / "outside").read_text() == "a\n"


def test_a19_a_read_only_file_gives_a_plain_error(root: Path, layer: FileLayer) -> None:
    plant(root, {"f": "a\n"})
    (root / "f").chmod(0o444)
    error = refused(lambda: layer.edit("f", "a", "b"))
    assert (error.code, "read-only" in error.message) == (Code.READ_ONLY, True)
    assert refused(lambda: layer.write("f", "b", dry_run=True)).code is Code.READ_ONLY
    assert snapshot(root) == {"f": b"a\n"}


def test_a19_other_hard_links_keep_the_old_content_and_are_counted(root: Path, layer: FileLayer) -> None:
    plant(root, {"f": "a\n"})
    os.link(root / "f", root / "g")
    assert layer.edit("f", "a", "b").other_links == 1
    assert snapshot(root) == {"f": b"b\n", "g": b"a\n"}


def test_extended_attributes_are_kept(root: Path, layer: FileLayer) -> None:
    plant(root, {"f": "a\n"})
    try:
        os.setxattr(root / "f", "user.origin", b"here")
    except OSError:
        return
    layer.edit("f", "a", "b")
    assert os.getxattr(root / "f", "user.origin") == b"here"


def test_b04_what_is_not_a_regular_file_is_never_opened(
    root: Path, layer: FileLayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(root / "p")
    opened: list[object] = []
    real = os.open

    def spy(path: object, *rest: object, **options: object) -> int:
        opened.append(path)
        return real(path, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", spy)
    for call in (
        lambda: layer.read("p"),
        lambda: layer.write("p", "x"),
        lambda: layer.edit("p", "a", "b"),
        lambda: layer.delete("p"),
    ):
        assert refused(call).code is Code.NOT_A_FILE
    assert "p" not in opened


def test_c02_a_link_to_a_secret_is_secret_and_so_is_a_secret_name(root: Path, layer: FileLayer, tmp_path: Path) -> None:
    plant(root, {".env": "A=1\n", "free.txt": "x\n", ".ssh/key": "k"})
    plant(tmp_path, {".ssh/id": "k"})
    (root / "notes.txt").symlink_to(".env")
    (root / "d").symlink_to(".ssh")
    (root / "far").symlink_to(tmp_path / ".ssh")
    (root / "x.pem").symlink_to("free.txt")
    codes = {
        path: refused(lambda path=path: layer.read(path)).code for path in ("notes.txt", "d/key", "far/id", "x.pem")
    }
    assert codes == {"notes.txt": Code.SECRET, "d/key": Code.SECRET, "far/id": Code.OUTSIDE, "x.pem": Code.SECRET}


def test_links_in_a_circle_hide_nothing(root: Path, layer: FileLayer, tmp_path: Path) -> None:
    plant(tmp_path, {"out/f": "secret"})
    (root / "loop").symlink_to("loop")
    (root / "out").symlink_to(tmp_path / "out")
    for path in ("loop", "loop/../out/f", "loop/x/../../out/f"):
        assert refused(lambda path=path: layer.read(path)).code in {Code.OUTSIDE, Code.NOT_A_FILE, Code.NOT_A_DIRECTORY}


def test_a_folder_exchanged_for_a_link_is_noticed(root: Path, tmp_path: Path) -> None:
    plant(tmp_path, {"out/f": "outside"})
    plant(root, {"d/f": "inside"})
    resolved = FileLayer(root).resolve("d/f")
    (root / "d").rename(root / "e")
    (root / "d").symlink_to(tmp_path / "out")
    with pytest.raises(OSError), disk.folder_of(root, resolved):
        pass


def test_what_a_refusal_tells_does_not_depend_on_what_is_there(layer: FileLayer, tmp_path: Path) -> None:
    plant(tmp_path, {"there": "x"})
    there, gone = refused(lambda: layer.read("../there")), refused(lambda: layer.read("../gone"))
    assert there.message.replace("there", "gone") == gone.message


@pytest.mark.parametrize("path", ["", "a\0b", "\ud800", "x" * 300])
def test_paths_that_are_none(layer: FileLayer, path: str) -> None:
    assert refused(lambda: layer.read(path)).code in {Code.BAD_PATH, Code.NOT_FOUND}


def test_the_home_sign_is_understood(root: Path, layer: FileLayer, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(root, {"f": "x"})
    monkeypatch.setenv("HOME", str(root))
    assert layer.read("~/f").text == "x"
    monkeypatch.setenv("HOME", "/nonexistent")
    assert refused(lambda: layer.write("~/f", "x")).code is Code.OUTSIDE


def test_a_root_behind_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    layer = FileLayer(tmp_path / "alias")
    layer.write(str(tmp_path / "alias/f"), "x")
    layer.write(str(root / "g"), "x")
    assert layer.name(layer.resolve("f")) == "f"
    assert sorted(snapshot(root)) == ["f", "g"]


def test_a09_an_edit_in_another_unicode_form_keeps_the_files_own(root: Path, layer: FileLayer) -> None:
    plant(root, {"f": "nom = 'cafe\u0301'\nautre = 'e\u0301te\u0301'\n"})
    edited = layer.edit("f", "nom = 'café'", "nom = 'café noir'")
    assert edited.apart_from == ("the composition of accented letters",)
    assert (root / "f").read_text() == "nom = 'cafe\u0301 noir'\nautre = 'e\u0301te\u0301'\n"


def test_lines_of_a_file_that_is_too_large_to_be_read(
    root: Path, layer: FileLayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hd.files.layer.SIZE_LIMIT", 10)
    plant(root, {"big": "one\r\ntwo\r\nthree\r\n", "p/x": "", ".env": "A=1\n" * 9})
    assert refused(lambda: layer.read("big")).code is Code.TOO_LARGE
    part = layer.read_part("big", 2, 1, 100)
    assert (part.lines, part.last, part.size) == (("two",), False, 17)
    assert layer.read_part("big", 3, 9, 2).lines == ("th",)
    assert refused(lambda: layer.read_part(".env", 1, 1, 1)).code is Code.SECRET
    assert refused(lambda: layer.read_part("p", 1, 1, 1)).code is Code.NOT_A_FILE
    assert refused(lambda: layer.read_part(".", 1, 1, 1)).code is Code.NOT_A_FILE


def test_sizes_have_an_end(root: Path, layer: FileLayer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hd.files.layer.SIZE_LIMIT", 10)
    plant(root, {"big": "x" * 11, "ok": "x" * 10})
    assert refused(lambda: layer.read("big")).code is Code.TOO_LARGE
    assert layer.read("ok").size == 10
    assert refused(lambda: layer.edit("ok", "xxxxxxxxxx", "y" * 11)).code is Code.TOO_LARGE
    assert refused(lambda: layer.write("new/f", "y" * 11)).code is Code.TOO_LARGE
    assert sorted(snapshot(root)) == ["big", "ok"]


def test_nul_is_no_text(root: Path, layer: FileLayer) -> None:
    plant(root, {"f": "a\n", "b": b"\0\1"})
    assert refused(lambda: layer.edit("f", "a", "\0")).code is Code.ENCODING
    assert refused(lambda: layer.write("g", "\0")).code is Code.ENCODING
    assert refused(lambda: layer.write("b", "text")).code is Code.NOT_TEXT
    assert refused(lambda: layer.read("b")).code is Code.NOT_TEXT


def test_folders(root: Path, layer: FileLayer) -> None:
    plant(root, {"f": "x"})
    assert layer.make_directory("a/b", dry_run=True)
    assert not (root / "a").exists()
    assert layer.make_directory("a/b")
    assert not layer.make_directory("a/b")
    assert refused(lambda: layer.make_directory("f")).code is Code.EXISTS
    assert refused(lambda: layer.make_directory("f/x")).code is Code.NOT_A_DIRECTORY
    assert refused(lambda: layer.read("a")).code is Code.NOT_A_FILE
    assert refused(lambda: layer.read(".")).code is Code.NOT_A_FILE
    assert refused(lambda: layer.list("f")).code is Code.NOT_A_DIRECTORY


def test_renames_never_replace(root: Path, layer: FileLayer) -> None:
    plant(root, {"a": "1", "b": "2", "d/x": "3"})
    (root / "link").symlink_to("a")
    assert refused(lambda: layer.rename("a", "b")).code is Code.EXISTS
    assert refused(lambda: layer.rename("a", "b", dry_run=True)).code is Code.EXISTS
    assert refused(lambda: layer.rename("d", "d/e/f")).code is Code.BAD_PATH
    assert refused(lambda: layer.rename("gone", "c")).code is Code.NOT_FOUND
    layer.rename("a", "new/place")
    layer.rename("d", "e")
    layer.rename("link", "e/link")
    assert snapshot(root) == {"b": b"2", "e": None, "e/link": "a", "e/x": b"3", "new": None, "new/place": b"1"}


def test_a_rename_lays_no_secret_open(root: Path, layer: FileLayer) -> None:
    plant(root, {".aws/credentials": "k", "pack/.env": "k", "pack/a": "x", ".env": "k", "a": "x"})
    assert refused(lambda: layer.rename(".aws", "aws")).code is Code.SECRET
    assert refused(lambda: layer.rename(".env", "env.txt")).code is Code.SECRET
    assert refused(lambda: layer.rename("a", "b.pem")).code is Code.SECRET
    layer.rename("pack", "box")
    assert (root / "box/.env").read_text() == "k"


def test_deletions(root: Path, layer: FileLayer) -> None:
    plant(root, {"a": "1", "d/x": "2", "e/.keep": ""})
    (root / "link").symlink_to("a")
    (root / "dead").symlink_to("nowhere")
    assert refused(lambda: layer.delete("d")).code is Code.NOT_EMPTY
    assert refused(lambda: layer.delete("d", dry_run=True)).code is Code.NOT_EMPTY
    assert refused(lambda: layer.delete("gone")).code is Code.NOT_FOUND
    assert layer.delete("a", dry_run=True).size == 1
    for path in ("link", "dead", "e/.keep", "e"):
        layer.delete(path)
    assert snapshot(root) == {"a": b"1", "d": None, "d/x": b"2"}


@pytest.mark.parametrize("path", [".", "", ".git/hooks/pre-commit", "sub/.git/config", ".git"])
def test_the_workspace_itself_and_version_control_are_not_changed(root: Path, layer: FileLayer, path: str) -> None:
    plant(root, {".git/config": "x", "sub/.git/config": "x", "a": "x"})
    before = snapshot(root)
    for call in (
        lambda: layer.write(path, "y"),
        lambda: layer.delete(path),
        lambda: layer.rename(path, "b"),
        lambda: layer.rename("a", f"{path}/b") if ".git" in path else layer.rename("a", path),
        lambda: layer.make_directory(path),
    ):
        assert isinstance(refused(call), FileRefused)
    assert snapshot(root) == before


def test_a_dry_run_changes_nothing(root: Path, layer: FileLayer) -> None:
    plant(root, {"f": "a\n"})
    assert layer.write("new/g", "x", dry_run=True).created
    assert layer.write("f", "b\n", dry_run=True).changed
    assert layer.edit("f", "a", "b", dry_run=True).count == 1
    assert layer.delete("f", dry_run=True).size == 2
    assert snapshot(root) == {"f": b"a\n"}


def test_the_same_content_is_not_written_again(root: Path, layer: FileLayer) -> None:
    plant(root, {"f": "a\r\n"})
    before = (root / "f").stat().st_ino
    assert not layer.write("f", "a\n").changed
    assert (root / "f").stat().st_ino == before
