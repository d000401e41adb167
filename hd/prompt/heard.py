"""Which triggers are in a text: words, endings and names of files, names of tools. Pure.

A trigger is a key such as `word:pytest`, `ending:.py`, `file:go.mod` or `tool:grep`. It is met as a whole: `go` is not
in `google`, and a word is not met in a path. Only Latin letters bound a word, because Chinese is written without blanks
(`用python写`); a trigger in another script is met anywhere. Case does not count.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

KINDS: Final = {"words": "word", "endings": "ending", "files": "file", "tools": "tool"}
"""The first part of a key by the name of its list in a chunk's file."""

MOST: Final = 8_000
"""Characters of a text that are listened to: what comes behind so many is pasted, and says less than its beginning."""

_TOKEN: Final = re.compile(r"[a-z0-9_.+#/\\-]+")
_PATH: Final = re.compile(r"[/\\]")
_SIMPLE: Final = re.compile(r"[a-z0-9_.+#-]+")


@dataclass(frozen=True, slots=True)
class Table:
    """All triggers. `phrases` finds those of several words or of another script, None where there are none."""

    keys: frozenset[str]
    phrases: re.Pattern[str] | None

    @staticmethod
    def of(keys: Iterable[str]) -> "Table":
        known = frozenset(keys)
        words = {key.partition(":")[2] for key in known if key.startswith("word:")}
        phrases = sorted((word for word in words if not _SIMPLE.fullmatch(word)), key=len, reverse=True)
        return Table(known, re.compile("|".join(map(_phrase, phrases))) if phrases else None)


def _phrase(text: str) -> str:
    escaped = r"\s+".join(map(re.escape, text.split()))
    return rf"(?<![a-z0-9_.-]){escaped}(?![a-z0-9_-])" if text.isascii() else escaped


def heard_in(text: str, table: Table) -> frozenset[str]:
    """The keys of the table that are in the text."""
    text = text[:MOST].casefold()
    found: set[str] = set()
    for token in set(_TOKEN.findall(text)):
        plain = token.rstrip(".-")
        base = _PATH.split(plain)[-1]
        found.add(f"file:{base}")
        if "." in base:
            found.add(f"ending:.{base.rpartition('.')[2]}")
        if len(base) == len(plain):
            found.add(f"word:{plain}")
    if table.phrases is not None:
        found |= {f"word:{' '.join(met.split())}" for met in table.phrases.findall(text)}
    return table.keys & found


def heard_of_tool(name: str, table: Table) -> frozenset[str]:
    return table.keys & {f"tool:{name}"}
