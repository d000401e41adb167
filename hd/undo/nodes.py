"""From what stands on disk to the nodes of the log and back, and to the text that people see of them."""

import logging
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from hd.files.difference import hunks, unified
from hd.files.encoding import decode, shown
from hd.files.errors import FileError
from hd.files.exact import Form, form_at
from hd.files.lines import fold, style
from hd.files.scan import Kind, kind_of
from hd.protocol.projections.changes import Change, Node
from hd.undo.blobs import Blobs, digest

_log = logging.getLogger(__name__)

MOST_FILE = 8 << 20
"""Bytes of one file; a larger one is noticed when it changes, but its content is not kept."""

MOST_TEXT = 256 << 10
"""Bytes of a text that lines are counted and differences are shown of."""


def node_at(root: Path, place: Path, blobs: Blobs, most: int = MOST_FILE) -> Node | None:
    """What stands at a place, absolute, with its content kept from here on; None where nothing does.

    Of what cannot be read, and of files of more than `most` bytes, it is only known that they are there.
    """
    try:
        form = form_at(root, place, most)
    except OSError:
        try:
            state = os.lstat(place)
        except OSError:
            return None
        return Node(kind_of(state.st_mode).value, stat.S_IMODE(state.st_mode), "", state.st_size)
    if form is not None and form.content is not None:
        store(form.content, blobs)
    return node_of(form)


def store(content: bytes, blobs: Blobs) -> None:
    """Keeps a content where the disk takes it; where not, its change can be told later and not be undone."""
    try:
        blobs.put(content)
    except OSError as error:
        _log.warning("a content of %d bytes could not be kept for an undo: %s", len(content), error)


def node_of(form: Form | None) -> Node | None:
    if form is None:
        return None
    blob = "" if form.content is None else digest(form.content)
    return Node(form.kind.value, form.mode, blob, form.size)


def form_of(node: Node, blobs: Blobs) -> Form | None:
    """The form that a node means; None when its content is not kept."""
    kind = Kind(node.kind)
    if kind is Kind.DIRECTORY:
        return Form(kind, node.mode)
    content = blobs.get(node.blob) if node.blob else None
    return None if content is None else Form(kind, node.mode, content, len(content))


@dataclass(frozen=True, slots=True)
class _Text:
    """A text as people see it, and how it is written: line endings and encoding, empty for what is not there."""

    view: str = ""
    endings: str = ""
    encoding: str = ""


def _text(node: Node | None, blobs: Blobs) -> _Text | None:
    """The text of a file; None where there is none to show."""
    if node is None:
        return _Text()
    if node.kind not in ("file", "link") or not node.blob or node.size > MOST_TEXT:
        return None
    content = blobs.get(node.blob)
    if content is None:
        return None
    try:
        encoding, text = decode(content)
    except FileError:
        return None
    view = fold(text).view
    label = f"{encoding.label} with a mark" if encoding.bom else encoding.label
    return _Text(shown(view) if encoding.raw else view, style(text), label)


def counted(change: Change, first: Node | None, blobs: Blobs) -> Change:
    """The change with its lines counted from `first`, what stood there before the turn."""
    old, new = _text(first, blobs), _text(change.after, blobs)
    if old is None or new is None or (first is None and change.after is None):
        return change
    signs = [sign for hunk in hunks(old.view, new.view, context=0) for sign, _ in hunk.rows]
    return Change(change.path, change.before, change.after, signs.count("+"), signs.count("-"))


def difference(name: str, old: Node | None, new: Node | None, blobs: Blobs) -> str | None:
    """The two as a unified difference, with a line for what is no text of theirs; None where nothing can be shown."""
    before, after = _text(old, blobs), _text(new, blobs)
    said = [line for line in (_kind_said(old, new), _mode_said(old, new)) if line]
    if before is not None and after is not None:
        said += [_turned("line endings", before.endings, after.endings)]
        said += [_turned("encoding", before.encoding, after.encoding)]
        said.append(unified(name, None if old is None else before.view, after.view))
    return "\n".join(filter(None, said)) or None


def _kind_said(old: Node | None, new: Node | None) -> str:
    kinds = ["nothing" if node is None else node.kind for node in (old, new)]
    return f"{kinds[0]} → {kinds[1]}" if kinds[0] != kinds[1] and "nothing" not in kinds else ""


def _turned(what: str, old: str, new: str) -> str:
    """What no line of a difference shows; nothing where a file came or went."""
    return f"{what}: {old} → {new}" if old and new and old != new else ""


def _mode_said(old: Node | None, new: Node | None) -> str:
    if old is None or new is None or old.mode == new.mode or "link" in (old.kind, new.kind):
        return ""
    return f"mode {old.mode:04o} → {new.mode:04o}"
