"""What a word of a command line becomes, as far as the command line itself tells; pure.

A variable that the command line assigned, `~`, `$HOME` and a few substitutions with a known kind of answer are put in.
Whatever else a shell would put in makes the word unknown, and its text keeps it as it was written.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Final

from hd.permit.shell import Piece, Word, written

_MOST: Final = 32
_TILDE: Final = re.compile(r"(\A|=)~([^/]*)")
# Alternatives in braces that could lead elsewhere: `{..,a}`, `{/etc,b}`, `{~,c}`.
_BRACES: Final = re.compile(r"[{,](?:\.{1,2}[/,}]|[/~$])")
_NUMBERS: Final = frozenset({"?", "$", "!", "#", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID"})
_GLOB: Final = re.compile(r"[*?\[$`\\]")
# Their answers are one word that neither climbs nor is absolute: git allows no `..` and no leading slash in a name.
_HARMLESS: Final = re.compile(
    r"""\s*(?:date(?:\s+-u)?(?:\s+['"]?\+[\w%.:+-]+['"]?)? | nproc | whoami | hostname | uname(?:\s+-[a-z])?
    | id\s+-[ugn]+ | git\s+rev-parse(?:\s+--short|\s+--abbrev-ref)*\s+HEAD | git\s+branch\s+--show-current )\s*\Z""",
    re.VERBOSE,
)
_MAKES_TEMPORARY: Final = re.compile(r"\s*mktemp(?:\s+-d)?\s*\Z")
_WHERE: Final = re.compile(r"\s*pwd(?:\s+-[LP])?\s*\Z")

Values = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arg:
    """A word after expansion: each text that it may become. `unknown` says that it may become others too."""

    texts: Values
    unknown: bool = False

    @property
    def text(self) -> str:
        return self.texts[0]

    def since(self, start: int) -> "Arg":
        return Arg(tuple(text[start:] for text in self.texts), self.unknown)


@dataclass(frozen=True, slots=True)
class Scope:
    """What is known at one place of a command line. A variable whose value is None holds something unknown;
    `folder` is None where `cd` went to an unknown place. `answer` gives what the command of a substitution prints."""

    variables: Mapping[str, Values | None]
    folder: str | None
    answer: Callable[[Piece], Values | None]

    def expand(self, word: Word) -> Arg:
        parts: list[Values] = []
        unknown = bool(_BRACES.search(written(word))) and _has_braces(word)
        for place, piece in enumerate(word):
            values = self._values(piece, first=place == 0)
            if values is None or (not piece.quoted and piece.kind != "text" and any(map(_splits, values))):
                unknown, values = True, (piece.source,)
            parts.append(values)
        joined = tuple(dict.fromkeys("".join(one) for one in _products(parts)))
        return Arg(joined, unknown) if joined else Arg((written(word),), True)

    def _values(self, piece: Piece, *, first: bool) -> Values | None:
        match piece.kind:
            case "text":
                tilde = not piece.quoted and "~" in piece.text and (first or "=~" in piece.text)
                return (_TILDE.sub(self._tilde, piece.text),) if tilde else (piece.text,)
            case "variable":
                return self._variable(piece.text, piece.operation)
            case "process":
                self.answer(piece)
                return ("/dev/fd/63",)
            case "command":
                answer = self.answer(piece)
                if _WHERE.match(piece.text):
                    return None if self.folder is None else (self.folder,)
                if _MAKES_TEMPORARY.match(piece.text):
                    return ("/tmp/made",)
                return ("0",) if _HARMLESS.match(piece.text) or _is_sum(piece) else answer
            case _:
                return None

    def _tilde(self, found: re.Match[str]) -> str:
        home = self.variables.get("HOME")
        return found[1] + (home[0] if home and not found[2] else f"/~{found[2]}")

    def _variable(self, name: str, operation: str) -> Values | None:
        if name in _NUMBERS:
            return None if operation else ("0",)
        if name == "PWD" and self.folder is not None:
            values: Values | None = (self.folder,)
        else:
            values = self.variables.get(name)
        if not operation or values is None:
            return values
        suffix = operation.lstrip("%")
        if not operation.startswith("%") or _GLOB.search(suffix):
            return None
        return tuple(value.removesuffix(suffix) for value in values)


def joined(old: Values | None, new: Values | None) -> Values | None:
    """What a variable may hold that held one and is assigned the other in some run of the commands."""
    if old is None or new is None:
        return None
    values = tuple(dict.fromkeys((*old, *new)))
    return values if len(values) <= _MOST else None


def _products(parts: list[Values]) -> Iterable[tuple[str, ...]]:
    count = 1
    for part in parts:
        count *= len(part)
    return product(*parts) if count <= _MOST else ()


def _splits(value: str) -> bool:
    return len(value.split()) > 1


def _is_sum(piece: Piece) -> bool:
    """Whether it is arithmetic: the first parenthesis within is closed by the last one."""
    if not piece.source.startswith("$((") or not piece.text.endswith(")"):
        return False
    depth = 0
    for character in piece.text[1:-1]:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            return False
    return True


def _has_braces(word: Word) -> bool:
    bare = "".join(piece.text for piece in word if piece.kind == "text" and not piece.quoted)
    return "{" in bare and "," in bare and "}" in bare
