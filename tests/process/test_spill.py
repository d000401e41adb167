"""Files with long outputs: only when they are worth it, bounded in size and number, and never in the way."""

import os
from pathlib import Path

import pytest

import hd.process.spill
from hd.process.spill import SPILL_AFTER, Spill


def test_a_short_output_leaves_no_file(tmp_path: Path) -> None:
    spill = Spill(tmp_path, "short")
    spill.add("x" * SPILL_AFTER)
    spill.close()
    assert spill.path is None
    assert list(tmp_path.iterdir()) == []


def test_a_long_output_is_whole_in_its_file(tmp_path: Path) -> None:
    spill = Spill(tmp_path / "new" / "folder", "../long run")
    texts = ["é\n" * 10_000, "b" * SPILL_AFTER, "end"]
    for text in texts:
        spill.add(text)
    spill.close()
    assert spill.path is not None
    assert spill.path.parent == tmp_path / "new" / "folder"
    assert spill.path.read_text(encoding="utf-8") == "".join(texts)
    assert not spill.capped


def test_the_file_is_capped_between_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hd.process.spill, "SPILL_CAP", 100_001)
    spill = Spill(tmp_path, "capped")
    for _ in range(3):
        spill.add("é" * 40_000)
    spill.close()
    assert spill.capped
    assert spill.path is not None
    assert spill.path.read_text(encoding="utf-8") == "é" * 50_000


def test_a_folder_that_cannot_be_written_costs_only_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    spill = Spill(tmp_path / "file", "run")
    spill.add("x" * (SPILL_AFTER + 1))
    spill.add("x" * (SPILL_AFTER + 1))
    spill.close()
    assert spill.path is None


def test_a_full_disk_costs_only_the_file(tmp_path: Path) -> None:
    spill = Spill(tmp_path, "run")
    spill.add("x" * (SPILL_AFTER + 1))
    assert spill.path is not None
    with open("/dev/full", "w") as full:
        os.dup2(full.fileno(), spill._file.fileno())  # type: ignore[union-attr]
    spill.add("x" * 1_000_000)
    spill.close()
    assert list(tmp_path.iterdir()) == []


def test_the_oldest_files_make_room(tmp_path: Path) -> None:
    for number in range(70):
        spill = Spill(tmp_path, f"run-{number}")
        spill.add("x" * (SPILL_AFTER + 1))
        spill.close()
    names = {entry.name for entry in tmp_path.iterdir()}
    assert len(names) == 64
    assert "run-69.log" in names
