"""Patterns of file names as regular expressions, pure: `*`, `?`, `[…]`, `**`, and for people also `{a,b}`.

One translation serves the ignore files and the tools' own patterns. A path is text relative to where the pattern
counts from, with `/` between its parts and none at its ends.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from hd.files.errors import Code, FileError

_LONGEST = 500
_MOST_BRACES = 64
_POSIX_CLASS = re.compile(r"\[:(\w+):\]")
_POSIX = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


def path_regex(pattern: str) -> str | None:
    """The expression for a whole path, or None for a pattern that can match nothing (a bracket without its end).

    `**` as a whole part stands for any number of parts: none or more in front and in the middle, one or more at the
    end. Within a part it is the same as `*`. Matching takes no more than a polynomial of degree two of the path's
    length: what follows a star is taken at its first place, for good (atomic groups), which loses no match.
    """
    runs: list[list[str]] = [[]]
    for part in pattern.split("/"):
        if part == "**":
            runs.append([])
            continue
        translated = _part_regex(part)
        if translated is None:
            return None
        runs[-1].append(translated)
    first, *others = ("/".join(run) for run in runs)
    if not others:
        return first
    *inner, tail = others
    out = [f"{first}/"] if first else []
    out += (f"(?>(?:[^/]+/)*?{run}/)" for run in inner if run)
    out.append(f"(?:[^/]+/)*{tail}" if tail else ".+")
    return "".join(out)


def is_pattern(text: str) -> bool:
    return any(sign in text for sign in "*?[{")


def composed(name: str) -> str:
    """The name in the one form in which names are compared: on some disks é is an e and an accent (case A09)."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


@lru_cache(maxsize=64)
def chooser(pattern: str) -> re.Pattern[str]:
    """What a person or a model means by a pattern such as `*.py`, `src/**/*.{ts,tsx}`: for a full match of a path.

    A pattern without `/` counts at any depth; case does not count. The path is to be `composed`, as the pattern is
    here. Raises `FileError` (FS_PATTERN).
    """
    if len(pattern) > _LONGEST:
        raise FileError(Code.PATTERN, f"The pattern is longer than {_LONGEST} characters. Give a shorter one.")
    choices: list[str] = []
    for plain in _braces(composed(pattern)):
        anchored = plain.removeprefix("./").removeprefix("/")
        translated = path_regex(anchored if "/" in plain else f"**/{anchored}")
        if translated is None:
            raise FileError(Code.PATTERN, f"The pattern {pattern!r} has a bracket that does not fit. Correct it.")
        choices.append(translated)
        if len(choices) > _MOST_BRACES:
            raise FileError(Code.PATTERN, f"The pattern has more than {_MOST_BRACES} choices in braces. Give fewer.")
    return re.compile("|".join(f"(?:{choice})" for choice in choices), re.DOTALL | re.IGNORECASE)


def _part_regex(part: str) -> str | None:
    """One part of a path: what stands between its stars, each piece at its first place but the last at the end."""
    pieces: list[list[str]] = [[]]
    index = 0
    while index < len(part):
        sign = part[index]
        index += 1
        if sign == "*":
            pieces.append([])
        elif sign == "?":
            pieces[-1].append("[^/]")
        elif sign == "[":
            end = _class_end(part, index)
            if end is None or (members := _class_regex(part[index:end])) is None:
                return None
            pieces[-1].append(members)
            index = end + 1
        elif sign == "\\" and index == len(part):
            return None
        else:
            index += sign == "\\"
            pieces[-1].append(re.escape(part[index - 1]))
    first, *others = ("".join(piece) for piece in pieces)
    if not others:
        return first
    *inner, last = others
    return first + "".join(f"(?>[^/]*?{piece})" for piece in inner if piece) + f"[^/]*{last}"


def _class_end(part: str, start: int) -> int | None:
    """Where the bracket that was opened before `start` closes. A `]` in the first place is a member."""
    index = start + (part[start : start + 1] in {"!", "^"})
    index += part[index : index + 1] == "]"
    while index < len(part):
        if part.startswith("[:", index) and (end := part.find(":]", index + 2)) > 0:
            index = end + 2
        elif part[index] == "\\":
            index += 2
        elif part[index] == "]":
            return index
        else:
            index += 1
    return None


def _class_regex(inner: str) -> str | None:
    negated = inner[:1] in {"!", "^"}
    body = inner[1:] if negated else inner
    out: list[str] = []
    index = 0
    while index < len(body):
        if named := _POSIX_CLASS.match(body, index):
            if named[1] not in _POSIX:
                return None
            out.append(_POSIX[named[1]])
            index = named.end()
            continue
        low, index = _member(body, index)
        if body[index : index + 1] == "-" and index + 1 < len(body):
            high, index = _member(body, index + 1)
            if low <= high:
                out.append(f"{re.escape(low)}-{re.escape(high)}")
        else:
            out.append(re.escape(low))
    if negated:
        return f"(?!/)[^{''.join(out)}]" if out else "[^/]"
    return f"(?!/)[{''.join(out)}]" if out else "(?!)"


def _member(body: str, index: int) -> tuple[str, int]:
    if body[index] == "\\" and index + 1 < len(body):
        index += 1
    return body[index], index + 1


def _braces(pattern: str) -> Iterator[str]:
    """The patterns that `{a,b}` stands for; a brace without a comma or an end is a plain character."""
    depth, start, commas = 0, -1, list[int]()
    for index, sign in enumerate(pattern):
        if sign == "{":
            if depth == 0:
                start, commas = index, []
            depth += 1
        elif sign == "," and depth == 1:
            commas.append(index)
        elif sign == "}" and depth:
            depth -= 1
            if depth == 0 and commas:
                edges = [start, *commas, index]
                for left, right in pairwise(edges):
                    yield from _braces(pattern[:start] + pattern[left + 1 : right] + pattern[index + 1 :])
                return
    yield pattern
