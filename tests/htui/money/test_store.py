"""What is kept of logs: it survives kills and other clients, and is dropped when it grows or rests for too long."""

import os
from pathlib import Path

import pytest

from htui.money import store as kept
from htui.money.looks import Mark
from htui.money.store import Part, Store, part_of
from tests.ledger.test_fold import ROUTE, log, message


def part(above: int, seen: int, session_id: str = "s") -> Part:
    events = log(ROUTE, *[message(1, step, 10) for step in range(20)])
    new = [event for event in events if above < event.seq <= seen]
    return part_of(session_id, seeded=False, above=above, seen=seen, mark=Mark(seen, seen, False), events=new)


def test_parts_that_join_come_back_in_order(tmp_path: Path) -> None:
    store = Store(tmp_path / "accounts")
    for one in (part(-1, 4), part(4, 9), part(9, 9)):
        store.add(one)
    assert store.load("s") == [part(-1, 4), part(4, 9), part(9, 9)]
    assert store.load("other") == []
    store.add(part(-1, 2))
    assert store.load("s") == [part(-1, 2)], "one from the beginning takes the place of all"
    (path,) = (tmp_path / "accounts").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("junk", [b'[1,"s",fal', b"\xff\xfe\n", b'[9,"s",false,4,9,[0,0,true],[]]\n', b"[]\n"])
def test_what_a_kill_or_another_program_left_is_passed_over(tmp_path: Path, junk: bytes) -> None:
    store = Store(tmp_path)
    store.add(part(-1, 4))
    (path,) = tmp_path.iterdir()
    with path.open("ab") as file:
        file.write(junk)
    store.add(part(4, 9))
    store.add(part(2, 6))  # Another client was behind.
    store.add(part(12, 15))  # What lies between is missing.
    assert store.load("s") == [part(-1, 4), part(4, 9)]


def test_long_files_and_old_ones_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    store.add(part(-1, 4, "old"))
    (path,) = tmp_path.iterdir()
    os.utime(path, (0, 0))
    store.add(part(-1, 4))
    store.clear()
    assert (store.load("old"), store.load("s")) == ([], [part(-1, 4)])
    monkeypatch.setattr(kept, "LARGEST", 100)
    assert store.load("s") == []
    store.add(part(4, 9))
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_cannot_be_used_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file" / "accounts")
    store.add(part(-1, 4))
    store.clear()
    assert store.load("s") == []
