"""What happens in a session until its daemon is killed: prompts of every kind, chosen by a seeded generator (pure).

A command that a prompt lets the model run appends its own mark to a file, so that running twice shows.
"""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import msgspec

INSIDE: Final = "ran"
OUTSIDE: Final = "../ran-outside"
"""Files in which marks are left, in the session's folder and above it; writing the second one needs an approval."""


@dataclass(frozen=True, slots=True)
class Prompt:
    text: str
    steer: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """Prompts that are sent one behind the other.

    `command` is a line for `commands/execute` in the place of prompts; with `fork` the session is forked, and what
    follows is played in the fork.
    """

    kind: str
    prompts: tuple[Prompt, ...] = ()
    command: str = ""
    fork: bool = False


class Script:
    """The scenes of one run. `marks` counts the commands that were given out."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self.marks = 0
        self._prompts = 0
        self._kinds: tuple[Callable[[], Scene], ...] = (
            self._text,
            self._burst,
            self._reasoning,
            self._tools,
            self._sequence,
            self._approval,
            self._question,
            self._queue,
            self._steer,
            *_ALONE,
        )

    def scene(self, *, quiet: bool) -> Scene:
        """The next one; `quiet` says that prompts wait, and what must be alone would not be."""
        return self._chance.choice(self._kinds[: -len(_ALONE)] if quiet else self._kinds)()

    def _prompt(self, command: str, *, steer: bool = False) -> Prompt:
        """Every prompt is another one, by which the model tells conversations apart."""
        self._prompts += 1
        return Prompt(f"No. {self._prompts}: [[{command}]]", steer)

    def _mark(self, place: str = INSIDE) -> str:
        self.marks += 1
        pause = f"sleep 0.{self._chance.randint(0, 2)}; " if self._chance.random() < 0.3 else ""
        return f"{pause}echo m{self.marks} >> {place}"

    def _calls(self, count: int, place: str = INSIDE) -> str:
        calls = [("run_command", {"command": self._mark(place)}) for _ in range(count)]
        return _packed([*calls, ("list_files", {})])

    def _text(self) -> Scene:
        return Scene("text", (self._prompt(f"slow {self._chance.randint(10, 120)} {self._chance.randint(1, 5)}"),))

    def _burst(self) -> Scene:
        return Scene("burst", (self._prompt(f"burst {self._chance.randint(500, 5000)} 25"),))

    def _reasoning(self) -> Scene:
        steps = [{"reasoning": " ".join(f"r{n}" for n in range(80)), "text": "Thought it over.", "delay_s": 0.003}]
        return Scene("reasoning", (self._prompt(f"script {_packed(steps)}"),))

    def _tools(self) -> Scene:
        return Scene("tools", (self._prompt(f"tools {self._calls(self._chance.randint(1, 4))}"),))

    def _sequence(self) -> Scene:
        return Scene("sequence", (self._prompt(f"seq {self._calls(self._chance.randint(2, 4))}"),))

    def _approval(self) -> Scene:
        return Scene("approval", (self._prompt(f"tools {self._calls(1, OUTSIDE)}"),))

    def _question(self) -> Scene:
        question = {"id": "q", "question": "Which one?", "options": [{"label": "A"}, {"label": "B"}]}
        calls = [("ask_user_question", {"questions": [question]}), ("run_command", {"command": self._mark()})]
        return Scene("question", (self._prompt(f"seq {_packed(calls)}"),))

    def _queue(self) -> Scene:
        count = self._chance.randint(2, 5)
        return Scene("queue", tuple(self._prompt(f"slow {self._chance.randint(1, 15)} 2") for _ in range(count)))

    def _steer(self) -> Scene:
        first = self._prompt(f"seq {self._calls(3)}")
        return Scene("steer", (first, self._prompt("fast", steer=True), self._prompt("think", steer=True)))


def _compaction() -> Scene:
    return Scene("compaction", command="/compact")


def _fork() -> Scene:
    return Scene("fork", fork=True)


_ALONE: Final[tuple[Callable[[], Scene], ...]] = (_compaction, _fork)


def _packed(value: Any) -> str:
    return base64.b64encode(msgspec.json.encode(value)).decode()
