"""How rules are kept: numbered once, told apart by what they say, as many as a person can oversee."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hd.files.layer import FileLayer
from hd.permit import rulebook
from hd.permit.rulebook import Rulebook
from hd.permit.rules import RuleRefused


class Memory:
    """What a store keeps, read back as JSON is."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    async def load_setting(self, key: str) -> Any:
        return self.kept.get(key)

    async def save_setting(self, key: str, value: Any) -> None:
        self.kept[key] = value


@pytest.fixture
def memory() -> Memory:
    return Memory()


@pytest.fixture
def book(memory: Memory) -> Rulebook:
    return Rulebook(memory, lambda: 7, lambda folder, on_screen: "/usr/bin:/bin")


async def add(book: Rulebook, command: str, files: FileLayer) -> int:
    rule = await book.draw_up(command, "command", files)
    return (await book.keep(rule, files.root, "s")).number


async def test_a_number_is_given_once_and_the_same_rule_is_one(book: Rulebook, memory: Memory, tmp_path: Path) -> None:
    files = FileLayer(tmp_path)
    numbers = await asyncio.gather(*(add(book, f"rm {name}", files) for name in ("a", "b", "a")))
    assert (numbers[0], set(numbers)) == (numbers[2], {1, 2})
    await book.forget(numbers[1], tmp_path)
    assert await add(book, "rm c", files) == 3
    anew = Rulebook(memory, lambda: 8, lambda folder, on_screen: "/usr/bin:/bin")
    assert [(rule.number, rule.made) for rule in await anew.rules(tmp_path)] == [(numbers[0], 7), (3, 7)]
    assert [rule.number for rule in await anew.covering("rm c && rm a", "command", files)] == [3, numbers[0]]


async def test_rules_are_of_one_workspace(book: Rulebook, tmp_path: Path) -> None:
    one, other = (FileLayer(_made(tmp_path / name)) for name in ("one", "other"))
    await add(book, "rm a", one)
    assert await book.covering("rm a", "command", one)
    assert not await book.covering("rm a", "command", other)


async def test_there_is_an_end_to_them(book: Rulebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rulebook, "MOST", 2)
    files = FileLayer(tmp_path)
    assert [await add(book, f"rm {name}", files) for name in ("a", "b", "a")] == [1, 2, 1]
    with pytest.raises(RuleRefused, match="Forget one first"):
        await add(book, "rm c", files)


async def test_a_card_offers_a_rule_for_what_can_have_one(book: Rulebook, tmp_path: Path) -> None:
    files = FileLayer(tmp_path)
    offered = await book.offer("rm a", "command", files)
    assert offered is not None
    assert (offered.argv, offered.more) == (("rm", "a"), False)
    for command in ("rm a; rm b", "rm *", "rm $X", "eval rm a"):
        assert await book.offer(command, "command", files) is None
    assert await book.rules(tmp_path) == ()


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
