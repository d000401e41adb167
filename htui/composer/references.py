"""`@path` in a prompt: where a name is being typed, and what becomes of it when one is chosen. Pure.

Only the text is sent: the model reads the file by its tools when it needs it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from htui.composer.draft import Draft
from htui.present.safe import one_line

LONGEST = 200
MOST = 50


@dataclass(frozen=True, slots=True)
class Mention:
    """`start` is the place of the `@`, `query` what stands between it and the caret."""

    start: int
    query: str


@dataclass(frozen=True, slots=True)
class Reference:
    """What a host offers; `folder` may be gone into further."""

    path: str
    folder: bool = False

    @property
    def shown(self) -> str:
        return one_line(self.path) + ("/" if self.folder else "")


def mention_at(draft: Draft) -> Mention | None:
    """The name that is being typed at the caret: behind an `@` that begins a word."""
    begin = max(0, draft.caret - LONGEST)
    before = draft.text[begin : draft.caret]
    start = before.rfind("@")
    if start < 0:
        return None
    query, place = before[start + 1 :], begin + start
    if any(char.isspace() for char in query) or (place and _in_word(draft.text[place - 1])):
        return None
    return Mention(place, query)


def _in_word(char: str) -> bool:
    """True for what an `@` may stand behind without beginning a name, as in an address of mail."""
    return char.isascii() and (char.isalnum() or char in "@._-+/`")


def chosen(draft: Draft, mention: Mention, reference: Reference) -> Draft:
    """The draft with the whole path; behind a file a blank, behind a folder its slash, so that one can go on in it."""
    path = reference.path.rstrip("/") + ("/" if reference.folder else "")
    quoted = f'"{path}"' if any(char.isspace() for char in path) and not reference.folder else path
    text = f"@{quoted}" + ("" if reference.folder else " ")
    after = draft.text[draft.caret :]
    if text.endswith(" ") and after.startswith(" "):
        after = after[1:]
    return Draft(draft.text[: mention.start] + text + after, mention.start + len(text))


def references(value: object) -> tuple[Reference, ...]:
    """What `fileReferences/list` answered, without what cannot be read or would not stand on one line."""
    rows: Sequence[Any] = value if isinstance(value, list) else ()
    found = []
    for row in rows[:MOST]:
        path = row.get("path") if isinstance(row, dict) else None
        if isinstance(path, str) and path and path.isprintable():
            found.append(Reference(path, row.get("kind") == "directory"))
    return tuple(found)
