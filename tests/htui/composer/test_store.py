"""Drafts on disk (case J16)."""

import stat
from pathlib import Path

from htui.composer.store import DraftStore


def drafts(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))


def test_j16_a_draft_is_kept_for_its_session_only_and_for_nobody_else(tmp_path: Path) -> None:
    store = DraftStore(tmp_path / "drafts")
    assert store.save("s1", {"text": "secret", "caret": 3, "folds": {}})
    assert store.load("s1") == {"text": "secret", "caret": 3, "folds": {}, "session": "s1"}
    assert store.load("s2") is None
    for file in (tmp_path / "drafts").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert "s1" not in file.name
    assert stat.S_IMODE((tmp_path / "drafts").stat().st_mode) == 0o700


def test_j16_a_draft_is_found_by_the_next_program_wherever_the_host_is_by_then(tmp_path: Path) -> None:
    store = DraftStore(tmp_path)
    store.save("s1", {"text": "half a sen", "caret": 4})
    store.close()
    after = DraftStore(tmp_path)
    found = after.load("s1") or {}
    assert (found["text"], found["caret"]) == ("half a sen", 4)
    assert len(drafts(tmp_path)) == 1, "it was taken over and not copied"
    after.save("s1", {"text": ""})
    assert drafts(tmp_path) == []


def test_two_programs_at_one_session_keep_a_draft_each(tmp_path: Path) -> None:
    one, two = DraftStore(tmp_path), DraftStore(tmp_path)
    one.save("s1", {"text": "first"})
    assert two.load("s1") is None, "who lives keeps what is theirs"
    two.save("s1", {"text": "second"})
    one.save("s1", {"text": "first, longer"})
    one.close()
    two.close()
    found = DraftStore(tmp_path).load("s1") or {}
    assert {found["text"], *found["aside"]} == {"first, longer", "second"}


def test_what_a_dead_program_left_is_merged_with_nothing_lost(tmp_path: Path) -> None:
    for text, doubt in (("one", "r1"), ("two", "r2")):
        store = DraftStore(tmp_path)
        store.save("s1", {"text": text, "doubts": {doubt: text}, "aside": [f"{text} before"]})
        store.close()
    found = DraftStore(tmp_path).load("s1") or {}
    assert {found["text"], *found["aside"]} == {"one", "two", "one before", "two before"}
    assert found["doubts"] == {"r1": "one", "r2": "two"}


def test_locks_of_programs_that_are_gone_are_cleared_away(tmp_path: Path) -> None:
    for _ in range(3):
        store = DraftStore(tmp_path)
        store.save("s1", {"text": "x"})
        store.save("s1", {"text": ""})
        store.close()
    assert len(list(tmp_path.iterdir())) == 1


def test_an_empty_draft_leaves_no_file(tmp_path: Path) -> None:
    store = DraftStore(tmp_path)
    store.save("s1", {"text": "x"})
    store.save("s1", {"text": ""})
    assert drafts(tmp_path) == []


def test_what_is_in_doubt_or_was_cleared_is_kept_without_a_draft(tmp_path: Path) -> None:
    store = DraftStore(tmp_path)
    for more in ({"doubts": {"r1": "hello"}}, {"aside": ["hello"]}):
        store.save("s1", {"text": "", **more})
        found = store.load("s1") or {}
        assert more.items() <= found.items()
        store.save("s1", {"text": ""})
        assert drafts(tmp_path) == []


def test_a_folder_that_cannot_be_used_and_damaged_files_are_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    broken = DraftStore(blocked / "drafts")
    assert not broken.save("s", {"text": "x"})
    assert broken.load("s") is None
    store = DraftStore(tmp_path / "drafts")
    store.save("s", {"text": "x"})
    (file,) = drafts(tmp_path / "drafts")
    file.write_bytes(b"\xff{")
    assert store.load("s") is None
