"""A16: what a kill in the middle of a write leaves on disk."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hd.files.layer import FileLayer
from hd.files.leftovers import Leftovers, temporary_name
from tests.files.trees import plant, snapshot

PROGRAM = """
import os, signal, sys
from pathlib import Path
from hd.files import exchange
from hd.files.layer import FileLayer
root, scratch, moment, unnamed = sys.argv[1:]
if unnamed == "no":
    del os.O_TMPFILE
def die(*rest, **options):
    os.kill(os.getpid(), signal.SIGKILL)
if moment == "exchange":
    exchange._swapped = die
else:
    setattr(os, moment, die)
FileLayer(Path(root), scratch=Path(scratch)).edit("f", "old", "new")
"""


@pytest.mark.parametrize("unnamed", ["yes", "no"])
@pytest.mark.parametrize("moment", ["fsync", "exchange", "unlink"])
def test_a16_a_kill_leaves_the_old_file_or_the_new_one_and_nothing_else(
    tmp_path: Path, moment: str, unnamed: str
) -> None:
    text = "old\nend"
    root, scratch = plant(tmp_path / "work", {"f": text}), tmp_path / "scratch"
    command = [sys.executable, "-c", PROGRAM, str(root), str(scratch), moment, unnamed]
    killed = subprocess.run(command, check=False, cwd=Path(__file__).parents[2], capture_output=True)
    assert killed.returncode == -9, killed.stderr
    if moment == "fsync" and unnamed == "yes":
        assert snapshot(root) == {"f": text.encode()}
    layer = FileLayer(root, scratch=scratch)
    if moment == "unlink":  # of the old file's other name, behind the exchange
        assert snapshot(root) == {"f": b"new\nend"}
        return
    assert snapshot(root) == {"f": text.encode()}
    assert snapshot(scratch) == {}
    layer.edit("f", "old", "new")
    assert snapshot(root) == {"f": text.replace("old", "new").encode()}
    assert snapshot(scratch) == {}


def test_only_files_of_our_own_names_are_removed(tmp_path: Path) -> None:
    plant(tmp_path, {"keep": "x", "notes/0-a": "", "notes/strange": "x"})
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    ours, living = tmp_path / temporary_name(), tmp_path / temporary_name()
    plant(tmp_path, {ours.name: "x", living.name: "x", f"notes/{os.getpid()}-b": str(living)})
    plant(tmp_path, {f"notes/{dead.pid}-c": str(tmp_path / "keep"), f"notes/{dead.pid}-d": str(ours)})
    assert Leftovers(tmp_path / "notes").sweep() == 1
    assert not ours.exists()
    assert living.exists()
    assert (tmp_path / "keep").exists()
    assert sorted(path.name for path in (tmp_path / "notes").iterdir()) == ["0-a", f"{os.getpid()}-b", "strange"]


def test_without_a_folder_nothing_is_noted(tmp_path: Path) -> None:
    with Leftovers().noted(tmp_path / "x"):
        assert snapshot(tmp_path) == {}
    assert Leftovers().sweep() == 0
