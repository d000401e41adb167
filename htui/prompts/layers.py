"""Saved prompts in two layers: what comes with the program, and what a person made of it. Pure.

A person's layer holds own prompts, other texts under the ids of shipped ones, and the ids of those that were removed.
So a later version may bring prompts and change texts, and what was changed or removed stays so.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

LONGEST: Final = 8 * 1024
"""Bytes of one prompt."""
MOST: Final = 500
"""Prompts of a person's own."""


class Saved(Struct, frozen=True, omit_defaults=True):
    """`top` puts it in front of all others, or takes a shipped one from there; None leaves that as it was."""

    id: str
    text: str
    top: bool | None = None


class Own(Struct, frozen=True, omit_defaults=True):
    """A person's layer, the latest first."""

    prompts: tuple[Saved, ...] = ()
    removed: tuple[str, ...] = ()
    version: int = 1


class Shown(Struct, frozen=True):
    """A prompt of the list; `shipped` says that it stands there as it came with the program."""

    id: str
    text: str
    top: bool
    shipped: bool


SHIPPED: Final = (
    Saved(
        "hand-over",
        "Write HANDOVER.md in the root of the workspace, in the language of this conversation, and replace what it "
        "holds. It is for somebody who goes on without having read any of this. Say why this work is done and what its "
        "goal is; of every task whether it is done, open, or cannot be done and why; the decisions that count, with "
        "their reasons; the files that changed; how to check the present state; and what exactly comes next.",
        top=True,
    ),
    Saved(
        "review",
        "Read the changes that are not committed as somebody who did not write them. List what is wrong, what is "
        "missing a test and what could be left out, the gravest first, each with its file and line. Change nothing.",
    ),
    Saved(
        "explain",
        "Explain how this project is built: its parts, what each is responsible for, how a typical call goes through "
        "them, and where a newcomer should begin to read.",
    ),
)


def merged(own: Own, shipped: Sequence[Saved] = SHIPPED) -> tuple[Shown, ...]:
    """The list: pinned ones, then those that only this person has, then the shipped ones in their order."""
    changed = {one.id: one for one in own.prompts}
    texts = {one.text for one in own.prompts}
    ours = [Shown(one.id, one.text, bool(one.top), False) for one in own.prompts if one.id not in _ids(shipped)]
    theirs = []
    for one in shipped:
        mine = changed.get(one.id)
        if mine is not None:
            top = bool(one.top) if mine.top is None else mine.top
            theirs.append(Shown(one.id, mine.text, top, mine.text == one.text))
        elif one.id not in own.removed and one.text not in texts:
            theirs.append(Shown(one.id, one.text, bool(one.top), True))
    every = [*ours, *theirs]
    return tuple([one for one in every if one.top] + [one for one in every if not one.top])


def saved(own: Own, id: str, text: str, shipped: Sequence[Saved] = SHIPPED) -> Own:
    """With a new prompt in front; the same text is not saved twice, and brings back a shipped one that was removed."""
    changed = {one.id for one in own.prompts}
    known = next((one for one in shipped if one.text == text and one.id not in changed), None)
    if known is not None:
        return replace(own, removed=tuple(one for one in own.removed if one != known.id))
    if any(one.text == text for one in own.prompts):
        return own
    return replace(own, prompts=(Saved(id, text), *own.prompts))


def edited(own: Own, id: str, text: str) -> Own:
    """With another text under an id, which makes a shipped one this person's own."""
    if any(one.id == id for one in own.prompts):
        return replace(own, prompts=tuple(replace(one, text=text) if one.id == id else one for one in own.prompts))
    return replace(own, prompts=(*own.prompts, Saved(id, text)))


def pinned(own: Own, shown: Shown, *, top: bool) -> Own:
    """With a prompt in front of all others, or no more."""
    if any(one.id == shown.id for one in own.prompts):
        return replace(own, prompts=tuple(replace(one, top=top) if one.id == shown.id else one for one in own.prompts))
    return replace(own, prompts=(*own.prompts, Saved(shown.id, shown.text, top)))


def removed(own: Own, id: str, shipped: Sequence[Saved] = SHIPPED) -> Own:
    """Without it; that a shipped one was removed is remembered."""
    left = tuple(one for one in own.prompts if one.id != id)
    gone = (*own.removed, id) if id in _ids(shipped) and id not in own.removed else own.removed
    return replace(own, prompts=left, removed=gone)


def unfit(own: Own, text: str) -> str:
    """Why a text cannot be saved; empty where it can."""
    size = len(text.encode(errors="replace"))
    if not text.strip():
        return "An empty prompt is not saved."
    if size > LONGEST:
        return f"A saved prompt may have {LONGEST:,} bytes; this one has {size:,}."
    return f"There are {MOST} saved prompts already; remove some first." if len(own.prompts) >= MOST else ""


def _ids(shipped: Sequence[Saved]) -> frozenset[str]:
    return frozenset(one.id for one in shipped)
