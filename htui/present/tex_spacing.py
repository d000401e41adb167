"""The pieces of a formula in a row, with the blanks that TeX puts between their classes."""

from collections.abc import Iterable
from typing import NamedTuple

from htui.present import tex_symbols as s


class Atom(NamedTuple):
    """A piece of a formula. `kind` is TeX's class of it, or `prime` or `blank`.

    `whole` means that it needs no parentheses as a part of something larger; `tight` is how it is written in a script.
    """

    text: str
    kind: str = "ord"
    whole: bool = True
    tight: str = ""


BLANK = Atom(" ", "blank")

_CLASSES = (
    ("rel", s.RELATIONS),
    ("bin", s.OPERATIONS),
    ("op", s.LARGE),
    ("open", s.OPENING),
    ("close", s.CLOSING),
    ("punct", frozenset(",;")),
)


def of_char(text: str) -> Atom:
    """The atom of a character with the class that it has by itself."""
    for kind, chars in _CLASSES:
        if text in chars:
            return Atom(text, kind)
    return Atom(text)


def joined(atoms: Iterable[Atom], *, tight: bool = False) -> str:
    """The atoms in a row, with the blanks that their classes ask for."""
    parts: list[str] = []
    before = ""
    spaced = False
    for atom in atoms:
        if not atom.text:
            spaced = True
            continue
        kind = atom.kind
        if kind == "bin" and before in ("", "bin", "rel", "open", "punct", "op"):
            kind = "sign"
        if kind == "blank":
            parts.append(" ")
        else:
            text = (atom.tight or atom.text) if tight else atom.text
            number = before == "punct" and text[0].isdigit() and not spaced and "".join(parts[-2:-1])[-1:].isdigit()
            parts += [" "] if _apart(before, kind, tight=tight) and not number else []
            parts.append(text)
        before, spaced = kind, False
    return "".join(parts).replace("  ", " ").strip()


def _apart(before: str, after: str, *, tight: bool) -> bool:
    """True when a blank stands between two classes."""
    if before in ("", "blank", "open", "sign") or after in ("blank", "close", "punct"):
        return False
    if before == "op" or after == "op":
        return after != "open" and before != "open"
    if tight:
        return False
    if "rel" in (before, after):
        return before != after
    return "bin" in (before, after) or before == "punct" or ("inner" in (before, after) and after != "open")
