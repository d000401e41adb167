"""How much of a result the model is given: the beginning and the end, with the size of the gap between them; pure."""

import unicodedata
from typing import Final

LIMIT: Final = 60_000
"""Characters of any result."""
DISTILLED: Final = 16_000
"""Characters of an output of which the model can read all by its number (`hd.tools.distil`)."""
GLANCE: Final = 6_000
"""The same of one that goes on and is looked at again anyway."""

_NOTE_ROOM: Final = 80
_CLUSTER: Final = 32
_JOINER: Final = "\u200d"


def bound(text: str, limit: int = LIMIT, *, total: int | None = None, head_share: float = 0.5) -> str:
    """`text` in at most `limit` characters, the note about what is missing included.

    `total` is the length of the whole when `text` already lacks its middle. `head_share` is the part of the room that
    the beginning gets. A piece ends at a line where one ends near the cut, and never inside a character that people
    see as one. ValueError for a limit that has no room for more than the note.
    """
    if limit < 2 * _NOTE_ROOM:
        raise ValueError(f"a bound of {limit} characters leaves no room for text")
    if len(text) <= limit:
        return text
    room = limit - _NOTE_ROOM
    head_room = int(room * head_share)
    head = text[: head_end(text, head_room)]
    tail = text[tail_start(text, len(text) - (room - head_room)) :]
    missing = max(total or 0, len(text)) - len(head) - len(tail)
    before = "" if head.endswith("\n") or not head else "\n"
    return f"{head}{before}[… {missing:,} characters left out here …]\n{tail}"


def head_end(text: str, at: int) -> int:
    """Where the head ends, `at` or a little before."""
    newline = text.rfind("\n", at - at // 8, at)
    if newline >= 0:
        return newline + 1
    stop = max(0, at - _CLUSTER)
    while at > stop and _continues(text, at):
        at -= 1
    return at


def tail_start(text: str, at: int) -> int:
    """Where the tail starts, `at` or a little after."""
    newline = text.find("\n", at - 1, at + (len(text) - at) // 8)
    if newline >= 0:
        return newline + 1
    stop = min(len(text), at + _CLUSTER)
    while at < stop and _continues(text, at):
        at += 1
    return at


def _continues(text: str, at: int) -> bool:
    """Whether the character at `at` belongs to the one before: marks, variation selectors, joined emoji, surrogates."""
    if not 0 < at < len(text):
        return False
    here, before = text[at], text[at - 1]
    if before == _JOINER or here == _JOINER or "\ud800" <= before <= "\udbff":
        return True
    return unicodedata.category(here) in {"Mn", "Me", "Mc"} or "\U0001f3fb" <= here <= "\U0001f3ff"
