"""Files with outputs: whole, private, bounded in size and number, and never in the way."""

import os
from pathlib import Path

import pytest

import hd.process.spill
from hd.process.spill import CAPPED, Spill, Spills


def written(spills: Spills, name: str, *texts: str) -> Spill:
    spill = spills.begin(name)
    for text in texts:
        spill.add(text)
    spills.end(spill)
    return spill


def read(spills: Spills, name: str) -> str | None:
    blocks = spills.blocks(name)
    return None if blocks is None else "".join(blocks)


def test_an_output_is_whole_in_its_file_and_found_by_its_name_by_the_next_daemon(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    texts = ["é\n" * 10_000, "b" * 40_000, "end"]
    spill = written(Spills(folder), "../a run", *texts)
    assert spill.path is not None
    assert (spill.path.parent, spill.capped) == (folder, False)
    assert spill.path.stat().st_mode & 0o777 == 0o600
    assert read(Spills(folder), "../a run") == "".join(texts)


def test_no_output_is_another_thing_than_an_output_that_is_gone(tmp_path: Path) -> None:
    spills = Spills(tmp_path)
    written(spills, "silent")
    assert (read(spills, "silent"), read(spills, "gone")) == ("", None)


def test_what_was_written_is_there_before_the_end(tmp_path: Path) -> None:
    spills = Spills(tmp_path)
    spill = spills.begin("killed")
    spill.add("as far as it came")
    assert read(Spills(tmp_path), "killed") == "as far as it came"
    spill.close()


def test_blocks_end_where_lines_do(tmp_path: Path) -> None:
    spills = Spills(tmp_path)
    text = "".join(f"line {number}\n" for number in range(100_000)) + "x" * 600_000
    written(spills, "long", text)
    blocks = list(spills.blocks("long") or ())
    assert "".join(blocks) == text
    assert len(blocks) > 3
    assert all(block.endswith("\n") for block in blocks[:-1])


def test_d05_the_file_is_capped_between_characters_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hd.process.spill, "SPILL_CAP", 100_001)
    spills = Spills(tmp_path)
    spill = written(spills, "capped", *(["é" * 40_000] * 3))
    assert spill.capped
    assert read(spills, "capped") == "é" * 50_000 + CAPPED


def test_a_folder_that_cannot_be_written_costs_only_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert written(Spills(tmp_path / "file"), "run", "x", "y").path is None


def test_a_full_disk_costs_only_the_file(tmp_path: Path) -> None:
    spill = Spill(tmp_path, "run")
    with open("/dev/full", "w") as full:
        os.dup2(full.fileno(), spill._file.fileno())  # type: ignore[union-attr]
    spill.add("x" * 1_000_000)
    spill.add("more")
    spill.close()
    assert spill.path is None
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("mine")
    folder = tmp_path / "spills"
    folder.mkdir()
    (folder / "run.log").symlink_to(tmp_path / "kept")
    spills = Spills(folder)
    assert spills.blocks("run") is None
    written(spills, "run", "x")
    assert (tmp_path / "kept").read_text() == "mine"


def test_d05_the_oldest_files_make_room_those_of_earlier_daemons_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hd.process.spill, "MOST_FILES", 4)
    for number in range(3):
        written(Spills(tmp_path), f"run-{number}", "x")
        os.utime(tmp_path / f"run-{number}.log", (number, number))
    spills = Spills(tmp_path)
    for number in range(3, 6):
        written(spills, f"run-{number}", "x")
    assert {entry.name for entry in tmp_path.iterdir()} == {f"run-{number}.log" for number in range(2, 6)}


def test_d05_the_folder_is_bounded_in_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hd.process.spill, "SPILL_CAP", 100)
    monkeypatch.setattr(hd.process.spill, "FOLDER_CAP", 300)
    spills = Spills(tmp_path)
    for number in range(6):
        written(spills, f"run-{number}", "x" * 100)
    assert sum(entry.stat().st_size for entry in tmp_path.iterdir()) <= 300
    assert read(spills, "run-5") == "x" * 100
