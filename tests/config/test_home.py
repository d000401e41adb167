"""The layout of the home folder, and the words for a home that cannot be used."""

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hd.config.home import Home
from hd.errors import HomeUnusable

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def test_the_home_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert Home.of({}).root == tmp_path / ".h"
    assert Home.of({"HD_HOME": " "}).root == tmp_path / ".h"
    assert Home.of({"HD_HOME": "~/x"}).root == tmp_path / "x"
    assert Home.of({"HD_HOME": "here/../y"}).root == tmp_path / "y"


def test_a_home_is_closed_to_others(tmp_path: Path) -> None:
    home = Home(tmp_path / "a" / "home")
    home.prepare()
    for folder in (home.root, home.database.parent, home.lock.parent, home.log.parent, home.spill):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_preparing_again_changes_nothing_but_tightens_its_own_folders(home: Home) -> None:
    home.root.chmod(0o755)
    home.spill.chmod(0o777)
    (home.spill / "kept").write_text("x")
    home.prepare()
    assert stat.S_IMODE(home.root.stat().st_mode) == 0o755
    assert stat.S_IMODE(home.spill.stat().st_mode) == 0o700
    assert (home.spill / "kept").read_text() == "x"


@pytest.mark.parametrize("below", ["", "deeper/home"])
def test_a_file_in_the_way_is_named(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(HomeUnusable, match="file is a file, not a folder") as caught:
        Home(tmp_path / "file" / below).prepare()
    assert "HD_HOME" in caught.value.message
    assert (tmp_path / "file").read_text() == "mine"


def test_a_file_in_the_place_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("mine")
    with pytest.raises(HomeUnusable, match="store is a file, not a folder"):
        Home(tmp_path).prepare()


@root_only
def test_a_home_of_somebody_else_is_refused(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 12345)
    with pytest.raises(HomeUnusable, match=r"belongs to another user \(uid 12345\)"):
        Home(tmp_path).prepare()


@pytest.fixture
def read_only_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "ro,size=64k,mode=700", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a disk cannot be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_read_only_disk_is_named(read_only_disk: Path) -> None:
    for root in (read_only_disk, read_only_disk / "home"):
        with pytest.raises(HomeUnusable, match="on a disk that is read-only"):
            Home(root).prepare()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(HomeUnusable, match="may not create"):
        Home(tmp_path / "home").prepare()
