"""From the path that somebody names to the place on disk, or a refusal. This is the only way in.

A place must lie inside the workspace after `..` and every link are resolved, and be secret neither by the name that
was given nor by the one it resolves to. The answer does not depend on whether anything stands there, so that a refusal
tells nothing about the world outside.
"""

import os
import unicodedata
from pathlib import Path

from hd.files.encoding import shown
from hd.files.errors import Code, FileRefused
from hd.files.guard import Guard

_SHOWN_LENGTH = 200
_MOST_PASSES = 40


def resolve(text: str, root: Path, guard: Guard) -> Path:
    """The real path of `text`, which is absolute or relative to `root` (itself resolved)."""
    lexical = _lexical(text, root)
    return _admitted(text, lexical, _real(lexical), root, guard)


def entry(text: str, root: Path, guard: Guard) -> Path:
    """Like `resolve`, but a link at the end stands for itself: what a rename or a deletion acts on."""
    lexical = _lexical(text, root)
    real = _admitted(text, lexical, _real(lexical), root, guard)
    parent = _real(lexical.parent)
    if parent is None or lexical.name in {"", ".."}:
        return real
    return _admitted(text, lexical, parent / lexical.name, root, guard)


def quoted(text: str) -> str:
    """A path as it was given, fit to stand in a message."""
    readable = shown(text)
    return readable if len(readable) <= _SHOWN_LENGTH else f"{readable[:_SHOWN_LENGTH]}…"


def _lexical(text: str, root: Path) -> Path:
    if not text:
        raise FileRefused(Code.BAD_PATH, "The path is empty. Nothing was touched. Give a path inside the workspace.")
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        text_is_usable = False
    else:
        text_is_usable = "\0" not in text
    if not text_is_usable:
        raise FileRefused(Code.BAD_PATH, f"{quoted(text)!r} is no path that a file can have. Nothing was touched.")
    home = text == "~" or text.startswith("~/")
    return _existing_form(root / (os.path.expanduser(text) if home else text), root)


def _real(path: Path) -> Path | None:
    """The path with every link resolved; None if there is no end to it.

    One pass is not enough: at a link that runs in a circle `realpath` gives up and leaves the rest unresolved.
    """
    for _ in range(_MOST_PASSES):
        real = Path(os.path.realpath(path))
        if real == path:
            return real
        path = real
    return None


def _admitted(text: str, lexical: Path, real: Path | None, root: Path, guard: Guard) -> Path:
    if real is None or not real.is_relative_to(root):
        raise FileRefused(
            Code.OUTSIDE,
            f"{quoted(text)} lies outside the workspace. Nothing was touched. Use a path inside the workspace.",
        )
    rule = guard.why(Path(os.path.normpath(lexical)), root) or guard.why(real, root)
    if rule is not None:
        raise FileRefused(
            Code.SECRET,
            f"{quoted(text)} is kept secret from the model (rule: {rule}). Nothing was read or changed. Go on without "
            "it, or ask the person for the one value that is needed.",
        )
    return real


def _existing_form(path: Path, root: Path) -> Path:
    """The path with each name that does not exist exchanged for the one that differs only in Unicode form (A09)."""
    if str(path).isascii() or ".." in path.parts or not path.is_relative_to(root):
        return path
    found = root
    for part in path.relative_to(root).parts:
        found /= part if part.isascii() or os.path.lexists(found / part) else _twin(found, part)
    return found


def _twin(folder: Path, name: str) -> str:
    wanted = unicodedata.normalize("NFC", name)
    try:
        twins = [other for other in os.listdir(folder) if unicodedata.normalize("NFC", other) == wanted]
    except OSError:
        return name
    return twins[0] if len(twins) == 1 else name
