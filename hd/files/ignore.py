"""Ignore files (`.gitignore`) as git reads them, evaluated while descending.

A walk never enters an ignored directory, so each entry is matched by its own path only, not by its parents'. The rules
of the deepest folder are asked first and within a folder the last line wins, which is git's order; a negation cannot
bring back what lies in an ignored directory, because nobody looks there. `pathspec` matches a path together with all
that lies below it and thereby differs from git for negated folders; the tests hold this module against `git ls-files`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from hd.files.glob import path_regex

FILE_NAME = ".gitignore"


@dataclass(frozen=True, slots=True)
class Rule:
    """One line. `regex` matches the whole path of an entry, relative to the folder of the ignore file."""

    regex: str
    negated: bool
    only_directories: bool


@dataclass(frozen=True, slots=True)
class Rules:
    """The lines of one ignore file whose folder is `base` (relative to the walk's root, "" for the root itself)."""

    base: str
    rules: tuple[tuple[re.Pattern[str], Rule], ...]
    any_of_them: re.Pattern[str]

    def verdict(self, name: str, *, directory: bool) -> bool | None:
        """Whether the entry is ignored; None when no line is about it."""
        inside = name[len(self.base) + 1 :] if self.base else name
        if not self.any_of_them.fullmatch(inside):
            return None
        for pattern, rule in reversed(self.rules):
            if (directory or not rule.only_directories) and pattern.fullmatch(inside):
                return not rule.negated
        return None


@dataclass(frozen=True, slots=True)
class Ignores:
    """All rules that count in one folder, the outermost first."""

    stack: tuple[Rules, ...] = field(default=())

    def inside(self, base: str, lines: Iterable[str]) -> "Ignores":
        """The rules within the folder `base`, whose own ignore file has these lines."""
        rules = compile_rules(base, lines)
        return self if rules is None else Ignores((*self.stack, rules))

    def ignored(self, name: str, *, directory: bool) -> bool:
        for rules in reversed(self.stack):
            verdict = rules.verdict(name, directory=directory)
            if verdict is not None:
                return verdict
        return False


def compile_rules(base: str, lines: Iterable[str]) -> Rules | None:
    """The rules of one file, or None if it has none."""
    parsed = [rule for line in lines if (rule := parse(line)) is not None]
    if not parsed:
        return None
    compiled = tuple((re.compile(rule.regex, re.DOTALL), rule) for rule in parsed)
    return Rules(base, compiled, re.compile("|".join(f"(?:{rule.regex})" for rule in parsed), re.DOTALL))


def parse(line: str) -> Rule | None:
    """One line of an ignore file; None for a blank one, a comment and a pattern that matches nothing."""
    line = _trimmed(line.removesuffix("\r"))
    negated = line.startswith("!")
    if negated:
        line = line[1:]
    elif line.startswith("#"):
        return None
    only_directories = line.endswith("/")
    line = line.removesuffix("/")
    anchored = "/" in line
    line = line.removeprefix("/")
    if not line:
        return None
    regex = path_regex(line if anchored else f"**/{line}")
    return None if regex is None else Rule(regex, negated, only_directories)


def _trimmed(line: str) -> str:
    """Without trailing blanks, unless a backslash keeps them."""
    end = len(line)
    while end and line[end - 1] == " ":
        backslashes = len(line[: end - 1]) - len(line[: end - 1].rstrip("\\"))
        if backslashes % 2:
            break
        end -= 1
    return line[:end]
