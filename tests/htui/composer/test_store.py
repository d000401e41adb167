"""Drafts on disk (case J16)."""

import stat
from pathlib import Path

from htui.composer.store import DraftStore


def test_j16_a_draft_is_kept_for_its_session_only_and_for_nobody_else(tmp_path: Path) -> None:
    store = DraftStore(tmp_path / "drafts", "http://a")
    assert store.save("s1", {"text": "secret", "caret": 3, "folds": {}})
    assert store.load("s1") == {"text": "secret", "caret": 3, "folds": {}, "session": "s1"}
    assert store.load("s2") is None
    assert DraftStore(tmp_path / "drafts", "http://b").load("s1") is None
    (file,) = (tmp_path / "drafts").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "drafts").stat().st_mode) == 0o700
    assert "s1" not in file.name


def test_an_empty_draft_leaves_no_file(tmp_path: Path) -> None:
    store = DraftStore(tmp_path, "http://a")
    store.save("s1", {"text": "x"})
    store.save("s1", {"text": ""})
    assert list(tmp_path.iterdir()) == []


def test_what_is_in_doubt_is_kept_without_a_draft(tmp_path: Path) -> None:
    store = DraftStore(tmp_path, "http://a")
    store.save("s1", {"text": "", "doubts": {"r1": "hello"}})
    assert (store.load("s1") or {})["doubts"] == {"r1": "hello"}
    store.save("s1", {"text": "", "doubts": {}})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_used_and_damaged_files_are_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    assert not DraftStore(blocked / "drafts", "http://a").save("s", {"text": "x"})
    store = DraftStore(tmp_path / "drafts", "http://a")
    store.save("s", {"text": "x"})
    (file,) = (tmp_path / "drafts").iterdir()
    file.write_bytes(b"\xff{")
    assert store.load("s") is None
