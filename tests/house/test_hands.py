"""The agent and a person work in the same files of a real package at the same time, and the agent's part is undone.

What must stand where is reckoned from what stood on the disk around each act, not from what the daemon recorded: an
undo puts back what stood before the agent's first act of a turn on a path, and only where nobody else has changed it
since. A schedule of who does what, and when, comes from a seed.
"""

import asyncio
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.house.packages import unpack
from tests.house.test_turns import ENDED, of
from tests.house.test_undo import session_in
from tests.house.test_undo import snapshot as whole
from tests.support.daemon import Daemon
from tests.support.hand import Hand
from tests.support.mock_model import Call, MockModel, Reply

FILES = ("pathspec/util.py", "pathspec/pattern.py", "pathspec/gitignore.py", "tests/test_04_gitignore.py")
TESTS = f"{sys.executable} -m unittest -q tests.test_03_pathspec"
TURNS, ACTS = 3, 6

Thing = tuple[str, int, bytes]
Shot = Mapping[str, Thing]


def snapshot(folder: Path) -> Shot:
    """What the walk is about: not the caches that Python writes beside the sources, which no undo counts."""
    return {path: thing for path, thing in whole(folder).items() if "__pycache__" not in path.split("/")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return unpack(tmp_path / "unpacked")


@dataclass
class Part:
    """The agent's changes of one path in one turn, as the disk showed them."""

    before: Thing | None
    after: Thing | None
    mixed: bool = False
    """Somebody else changed it in between."""


@dataclass
class Reckoning:
    """What each turn changed, path by path."""

    parts: dict[str, Part] = field(default_factory=dict)

    def acted(self, before: Shot, after: Shot) -> None:
        for path in sorted({*before, *after}):
            old, new = before.get(path), after.get(path)
            if old == new:
                continue
            known = self.parts.setdefault(path, Part(old, old))
            known.mixed = known.mixed or known.after != old
            known.after = new
            if known.before == new and not known.mixed:
                del self.parts[path]

    def undone(self, now: Shot, paths: Sequence[str], *, again: bool = False) -> tuple[dict[str, Thing], list[str]]:
        """What shall stand on the disk after an undo (or a redo) of these paths, and those that are to be refused."""
        shall, refused = dict(now), []
        for path in paths:
            part = self.parts[path]
            start, goal = (part.before, part.after) if again else (part.after, part.before)
            if now.get(path) != goal and (part.mixed or now.get(path) != start):
                refused.append(path)
            elif goal is None:
                shall.pop(path, None)
            else:
                shall[path] = goal
        return shall, refused


class Agent:
    """What the model does, one thing after the other, each named by a mark of its own."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self._chance = chance
        self._number = 0
        self._made: list[str] = []
        self._anchors = {
            name: chance.sample(lines, len(lines))
            for name in FILES
            if (lines := _unique((root / name).read_text().splitlines()))
        }

    def act(self) -> list[Call]:
        """The calls of one step."""
        self._number += 1
        kind, name = self._chance.choice(("edit", "edit", "sed", "write", "remove", "move", "test")), self._path()
        mark = f"agent {self._number}."
        match kind:
            case "edit":
                line = self._anchors[name].pop()
                edit = {"path": name, "old_string": f"\n{line}\n", "new_string": f"\n{line}  # {mark}\n"}
                return [Call("read_file", {"path": name}), Call("edit_file", edit)]
            case "sed":
                place = self._chance.randint(1, 30)
                return [Call("run_command", {"command": f"sed -i '{place}a # {mark}' {name}; rm -f made_x"})]
            case "write":
                self._made.append(f"made_{self._number}.txt")
                return [Call("write_file", {"path": self._made[-1], "content": f"{mark}\n"})]
            case "remove" if self._made:
                return [Call("delete_file", {"path": self._made.pop()})]
            case "move" if self._made:
                old = self._made.pop()
                self._made.append(f"{old.removesuffix('.txt')}_.txt")
                return [Call("rename_file", {"path": old, "new_path": self._made[-1]})]
            case "move":
                return [
                    Call("run_command", {"command": f"cp {name} copy_{self._number}; chmod 755 copy_{self._number}"})
                ]
            case _:
                return [Call("run_command", {"command": TESTS}), Call("read_file", {"path": name})]

    def _path(self) -> str:
        return self._chance.choice([name for name in FILES if self._anchors[name]])


def _unique(lines: Sequence[str]) -> list[str]:
    """Lines that stand there once, and that a comment behind them leaves as good as they are."""
    return [line for line in lines if lines.count(line) == 1 and line.strip() and line.rstrip().endswith((")", ":"))]


class Person:
    """Saves, at moments that the schedule gives."""

    def __init__(self, hand: Hand, chance: random.Random) -> None:
        self._hand = hand
        self._chance = chance

    def may_act(self, likely: float = 0.6) -> None:
        while self._chance.random() < likely:
            what = self._chance.choice(("insert", "insert", "recreate", "endings"))
            self._hand.do(what, path=self._chance.choice(FILES), seed=self._chance.random())


@pytest.fixture
def hand(root: Path) -> Iterator[Hand]:
    with Hand(root) as editor:
        yield editor


async def played(
    daemon: Daemon, mock: MockModel, session: str, root: Path, agent: Agent, person: Person, acts: int
) -> Reckoning:
    """A turn of so many acts; the person may save while the model thinks, and never while a call runs."""
    reckoning = Reckoning()
    asked = len(mock.requests)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        gates = [asyncio.Event() for _ in range(acts + 1)]
        replies = [Reply(calls=agent.act(), gates={0: gate}) for gate in gates[:-1]]
        mock.add(*replies, Reply(text="done", gates={0: gates[-1]}))
        await daemon.prompt(session, "work")
        before: Shot | None = None
        for place, gate in enumerate(gates):
            await mock.until(lambda place=place: len(mock.requests) == asked + place + 1)  # type: ignore[misc]
            if before is not None:
                reckoning.acted(before, snapshot(root))
            person.may_act()
            before = snapshot(root)
            gate.set()
        await follow.until(ENDED)
    return reckoning


async def take(daemon: Daemon, session: str, root: Path, turn: int, reckoning: Reckoning, operation: str) -> list[str]:
    """Undoes a turn or does it again, and holds the disk and the refusals against the reckoning; what was done."""
    open_ones = list(reckoning.parts)
    if operation == "redo":
        listed = await daemon.acall("undo/changes", request={"sessionId": session, "turn": turn})
        open_ones = [path for path in open_ones if path in _undone(listed)]
    now = snapshot(root)
    shall, refused = reckoning.undone(now, open_ones, again=operation == "redo")
    if not open_ones:
        answer = await asyncio.to_thread(
            daemon.result, f"undo/{operation}", request={"sessionId": session, "turn": turn}
        )
        assert answer["error"]["code"] == "undo/nothing"
        return []
    taken = await daemon.acall(f"undo/{operation}", request={"sessionId": session, "turn": turn})
    assert snapshot(root) == shall
    assert sorted(taken["files"]) == sorted(set(open_ones) - set(refused))
    assert sorted(row["path"] for row in taken["refused"]) == sorted(refused)
    for row in taken["refused"]:
        check_refusal(row, now.get(row["path"]), reckoning.parts[row["path"]], operation)
    return list(taken["files"])


def _undone(listed: Mapping[str, Any]) -> set[str]:
    """The undone paths, and the old places of what was moved, which are listed with their new ones."""
    rows = [row for turn in listed["turns"] for row in turn["files"] if row["status"] == "undone"]
    return {row["path"] for row in rows} | {row["from"] for row in rows if "from" in row}


def check_refusal(row: Mapping[str, Any], now: Thing | None, part: Part, operation: str) -> None:
    """The difference names each line that somebody else has put there since, and endings that turned."""
    assert row["reason"]
    left = part.before if operation == "redo" else part.after
    if now is None or left is None or part.mixed:
        return
    ours, theirs = (set(thing[2].replace(b"\r\n", b"\n").splitlines()) for thing in (left, now))
    for line in theirs - ours:
        assert f"+{line.decode()}" in row["difference"]
    if (b"\r\n" in now[2]) != (b"\r\n" in left[2]):
        assert "line endings: " in row["difference"]


async def walked(daemon: Daemon, mock: MockModel, root: Path, hand: Hand, seed: int) -> None:
    chance = random.Random(seed)
    agent, person = Agent(root, chance), Person(hand, chance)
    session = await session_in(daemon, root)
    done: list[Reckoning] = []
    for turn in range(1, TURNS + 1):
        done.append(await played(daemon, mock, session, root, agent, person, ACTS))
        person.may_act(0.4)
        if chance.random() < 0.7:
            await take(daemon, session, root, turn, done[-1], "undo")
            person.may_act(0.4)
            if chance.random() < 0.6:
                await take(daemon, session, root, turn, done[-1], "redo")
    state = (await daemon.acall("undo/changes", request={"sessionId": session}))["turns"]
    for known in reversed(state):
        reckoning = done[known["turn"] - 1]
        reckoning.parts = {
            path: part for path, part in reckoning.parts.items() if path not in _undone({"turns": [known]})
        }
        await take(daemon, session, root, known["turn"], reckoning, "undo")
    assert hand.do("insert", path="README.rst", seed=0.5)["mark"]
    assert not [error for error in of(await daemon.log(session), "tool/result") if "TOOL_DEFECT" in str(error)]


async def test_l14_the_agent_s_part_is_undone_and_the_person_s_stays_to_the_byte(
    daemon: Daemon, mock: MockModel, root: Path, hand: Hand
) -> None:
    await walked(daemon, mock, root, hand, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 26))
async def test_l14_the_same_by_many_schedules(
    daemon: Daemon, mock: MockModel, root: Path, hand: Hand, seed: int
) -> None:
    await walked(daemon, mock, root, hand, seed)


@pytest.mark.long
async def test_a_person_who_saves_all_the_time_loses_nothing(
    daemon: Daemon, mock: MockModel, root: Path, hand: Hand
) -> None:
    """While file tools edit, an undo puts back and a redo does again: each of them may come too late, none may win."""
    chance = random.Random(7)
    agent = Agent(root, chance)
    session = await session_in(daemon, root)
    hand.do("begin", paths=FILES, seed=3)
    for turn in range(1, 4):
        steps = [Reply(calls=calls) for calls in (agent.act() for _ in range(40)) if calls[-1].name == "edit_file"]
        mock.add(*steps, Reply(text="done"))
        async with daemon.socket() as socket:
            follow = await socket.follow(session)
            await daemon.prompt(session, "work")
            await follow.until(ENDED)
        for operation in ("undo", "redo", "undo"):
            answer = await asyncio.to_thread(
                daemon.result, f"undo/{operation}", request={"sessionId": session, "turn": turn}
            )
            assert answer["ok"] or answer["error"]["code"] == "undo/nothing"
    found = hand.do("stop")
    assert found["saves"] > 50
    assert found["lost"] == []
    for path, marks in found["marks"].items():
        text = (root / path).read_text()
        assert [mark for mark in marks if mark not in text] == []
