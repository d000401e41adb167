"""The draft that a host keeps for all clients of a session, and what becomes of two that differ: pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

EDITING = 3.0
"""Seconds after a key in which a person counts as typing."""

LONGEST = 1_000_000
"""Characters that a host keeps."""

Meeting = Literal["same", "take", "keep"]


@dataclass(frozen=True, slots=True)
class HostDraft:
    """`cursor` counts characters, `revision` grows with every change, `by` is what the writing client called itself."""

    text: str
    cursor: int
    revision: int
    by: str


def host_draft(item: object) -> HostDraft | None:
    """An item of `drafts/follow`; None when it cannot be read."""
    if not isinstance(item, Mapping):
        return None
    text, cursor, revision = item.get("text"), item.get("cursor"), item.get("revision")
    if not isinstance(text, str) or not isinstance(revision, int):
        return None
    by = item.get("by")
    return HostDraft(
        text, cursor if isinstance(cursor, int) else len(text), revision, by if isinstance(by, str) else ""
    )


def meet(local: str, host: HostDraft, *, agreed: int | None, editing: bool) -> Meeting:
    """What becomes of the local text when the host has `host`.

    `agreed` is the revision whose text the local one was when it was last changed here, None when it was changed since.
    Who typed last wins, but never over somebody who is typing here, and never over what the host was not told yet. A
    host that went back in time, as after a loss of power, is told again; only one without a draft has the revision 0.
    """
    if host.text == local:
        return "same"
    if agreed is None or editing or 0 < host.revision <= agreed:
        return "keep"
    return "take"


def is_part(text: str, of: str) -> bool:
    """Whether a text needs no place of its own, as all of it stands in another."""
    return text.strip() in of


def with_aside(texts: tuple[str, ...], text: str, most: int) -> tuple[str, ...]:
    """The texts that are kept beside a draft with another one; of two states of one text the longer is kept."""
    if not text.strip() or any(is_part(text, of=known) for known in texts):
        return texts
    return (*(known for known in texts if not is_part(known, of=text)), text)[-most:]


def unfolded_caret(state: Mapping[str, Any]) -> int:
    """The caret of an editor's state in the text with its folds open."""
    text, folds, caret = str(state.get("text") or ""), state.get("folds") or {}, state.get("caret")
    before = text[: caret if isinstance(caret, int) else len(text)]
    return sum(len(folds.get(char, char)) for char in before) if folds else len(before)
