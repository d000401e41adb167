"""What a proof that a command only reads is made of: the questions to the disk, the doubt that ends it, and command
lines read by an allow-list of options; pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from hd.permit import reasons
from hd.permit.reasons import Reason

_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?[smhd]?\Z")
_DASHED_NUMBER: Final = re.compile(r"-\d+\Z")


class Look(Protocol):
    """What is asked of the disk. Paths are absolute, or relative to `folder`, which is so to the workspace."""

    def may_read(self, path: str, folder: str) -> bool:
        """Whether it is in the workspace and no secret file, by its name and by where its links lead."""
        ...

    def hides_secrets(self, path: str, folder: str, only: Sequence[str]) -> bool:
        """Whether below `path` there may be a secret file; with `only`, one whose name one of these patterns fits."""
        ...

    def matches(self, pattern: str, folder: str) -> list[str] | None:
        """The names that a shell puts in for a pattern; None where they are too many to tell."""
        ...

    def trusts_git(self, folder: str) -> bool:
        """Whether the settings of the repository around `folder` make git run nothing."""
        ...


class Doubtful(Exception):
    """A command is not proven to only read."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.en)
        self.reason = reason


@dataclass(slots=True)
class Parsed:
    flags: set[str] = field(default_factory=set)
    values: list[tuple[str, str]] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)

    def given(self, *names: str) -> list[str]:
        return [value for name, value in self.values if name in names]


@dataclass(frozen=True, slots=True)
class Known:
    """Letters and long names, between blanks: `flags` have no value, `valued` have one, and of `maybe` the value, if
    any, stands in the same word. `number` says that `-5` is an option."""

    flags: str = ""
    valued: str = ""
    maybe: str = ""
    number: bool = False

    def parse(self, arguments: Sequence[str]) -> Parsed:
        flags, valued, maybe = (frozenset(names.split()) for names in (self.flags, self.valued, self.maybe))
        found = Parsed()
        rest = list(reversed(arguments))
        while rest:
            word = rest.pop()
            if word == "--":
                found.operands += reversed(rest)
                break
            if not word.startswith("-") or word == "-":
                found.operands.append(word)
            elif self.number and _DASHED_NUMBER.match(word):
                continue
            elif word.startswith("--"):
                name, separator, value = word[2:].partition("=")
                if len(name) < 2 or name not in (valued | maybe if separator else flags | valued | maybe):
                    raise Doubtful(reasons.OPTION_UNKNOWN)
                found.flags.add(name)
                if name in valued:
                    found.values.append((name, value if separator else following(rest)))
            else:
                self._letters(word, found, rest, (flags, valued, maybe))
        return found

    @staticmethod
    def _letters(
        word: str, found: Parsed, rest: list[str], known: tuple[frozenset[str], frozenset[str], frozenset[str]]
    ) -> None:
        flags, valued, maybe = known
        for place, letter in enumerate(word[1:], 2):
            found.flags.add(letter)
            if letter in valued:
                found.values.append((letter, word[place:] or following(rest)))
                return
            if letter in maybe:
                return
            if letter not in flags:
                raise Doubtful(reasons.OPTION_UNKNOWN)


def following(rest: list[str]) -> str:
    """The next word, taken from the end of the reversed `rest`; doubtful where there is none."""
    if not rest:
        raise Doubtful(reasons.OPTION_UNKNOWN)
    return rest.pop()


def demand_readable(places: Sequence[str], look: Look, folder: str) -> None:
    """Doubtful where one of the places is secret or beyond the workspace."""
    if not all(place == "/dev/null" or look.may_read(place, folder) for place in places if place):
        raise Doubtful(reasons.READS_BEYOND)


def numbers(text: str) -> bool:
    """Whether it is a span of time as `sleep` and `timeout` take it."""
    return _NUMBER.match(text) is not None
