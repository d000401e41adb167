"""`directoryPicker/*`: folders of the whole machine, but none that is secret."""

from pathlib import Path
from typing import Any

import pytest

from hd.files.folders import MOST_FOLDERS, Folders
from hd.files.guard import Guard
from tests.support.daemon import Daemon


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [row["name"] for row in rows]


def listed(daemon: Daemon, **path: str) -> dict[str, Any]:
    return dict(daemon.call("directoryPicker/list", **path))


def refused(daemon: Daemon, path: str) -> None:
    error = daemon.result("directoryPicker/list", path=path)["error"]
    assert (error["code"], error["details"]) == ("directory-picker/unreadable", {"path": path})


def test_a_folder_shows_its_folders(shared: Daemon, folder: Path) -> None:
    for name in ("b", "A", ".hidden", "ä"):
        (folder / name).mkdir()
    (folder / "file").write_text("")
    (folder / "link").symlink_to(folder / "b")
    (folder / "loop").symlink_to(folder / "loop")
    found = listed(shared, path=str(folder))
    assert set(found) == {"path", "home", "crumbs", "entries", "truncated"}
    assert (found["path"], found["home"], found["truncated"]) == (str(folder), str(Path.home()), False)
    assert names(found["entries"]) == [".hidden", "A", "b", "link", "ä"]
    assert [row["name"] for row in found["entries"] if row["hidden"]] == [".hidden"]
    assert found["entries"][1] == {"name": "A", "path": str(folder / "A"), "hidden": False}
    assert found["crumbs"][0] == {"name": "/", "path": "/", "hidden": False}
    assert names(found["crumbs"][1:]) == list(folder.parts[1:])
    assert listed(shared, path=f"{folder}/b/..//")["path"] == str(folder)


def test_without_a_path_it_begins_at_home(shared: Daemon) -> None:
    assert listed(shared)["path"] == listed(shared, path="~")["path"] == str(Path.home())


@pytest.mark.parametrize("path", ["/nonexistent", "relative", "/dev/null", "/tmp/\0", "~nobody-of-this-name"])
def test_what_is_no_folder_is_not_shown(shared: Daemon, path: str) -> None:
    error = shared.result("directoryPicker/list", path=path)["error"]
    assert error["code"] == "directory-picker/unreadable"


def test_secret_folders_are_neither_shown_nor_entered(shared: Daemon, folder: Path) -> None:
    secret = folder / ".ssh"
    (secret / "below").mkdir(parents=True)
    (folder / "plain").symlink_to(secret)
    (folder / "home").symlink_to(shared.home)
    assert listed(shared, path=str(folder))["entries"] == []
    for place in (secret, secret / "below", folder / "plain", folder / "plain" / "below", folder / "home"):
        refused(shared, str(place))
    refused(shared, str(shared.home))
    refused(shared, str(shared.home / "store"))
    for above in (secret, folder / "plain", shared.home):
        error = shared.result("directoryPicker/createDirectory", path=str(above), name="new")["error"]
        assert error["code"] == "directory-picker/unreadable"
        assert not (above / "new").exists()


def test_a_folder_is_made(shared: Daemon, folder: Path) -> None:
    assert shared.call("directoryPicker/createDirectory", path=str(folder), name="new") == str(folder / "new")
    assert (folder / "new").is_dir()
    error = shared.result("directoryPicker/createDirectory", path=str(folder), name="new")["error"]
    assert (error["code"], error["details"]) == ("directory-picker/exists", {"path": str(folder / "new")})


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../x", "x" * 300, "a\0b", ".ssh"])
def test_a_name_that_is_none_makes_nothing(shared: Daemon, folder: Path, name: str) -> None:
    error = shared.result("directoryPicker/createDirectory", path=str(folder), name=name)["error"]
    assert error["code"] == "directory-picker/create-failed"
    assert list(folder.iterdir()) == []


def test_in_what_is_no_folder_nothing_is_made(shared: Daemon, folder: Path) -> None:
    (folder / "file").write_text("")
    for above in (folder / "file", folder / "gone"):
        error = shared.result("directoryPicker/createDirectory", path=str(above), name="new")["error"]
        assert error["code"] == "directory-picker/create-failed"


def test_there_is_no_window_to_pick_in(shared: Daemon) -> None:
    assert shared.result("directoryPicker/pick")["error"]["code"] == "directory-picker/unavailable"


def test_a_folder_of_very_many_is_cut(tmp_path: Path) -> None:
    for number in range(MOST_FOLDERS + 1):
        (tmp_path / f"{number:05}").mkdir()
    found = Folders(Guard(), tmp_path).list()
    assert (len(found.folders), found.truncated) == (MOST_FOLDERS, True)
