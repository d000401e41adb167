"""Formulas of TeX as text: `\\frac{a+b}{2}` as `(a+b)/2`, `x_i^2` as `xᵢ²`.

pylatexenc reads the formula. What it is made of is written in a row with the spacing of TeX: every piece has a class,
and the classes of neighbours decide on the blank between them. A formula with anything that is not known here stays
source, for half a formula reads as another one.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

from htui.present import tex_symbols as s
from htui.present.cells import graphemes
from htui.present.guarded import guarded
from htui.present.safe import safe
from htui.present.tex_spacing import BLANK, Atom, joined, of_char

LARGEST = 4 * 1024
"""Characters; a longer formula stays source."""
SECONDS = 0.25
KEPT = 256


class Unknown(Exception):
    """The formula has a part that cannot be written as text."""


Nodes = Sequence[Any]
"""What pylatexenc reads; it has no types."""


def formula(source: str) -> str | None:
    """The formula `source` (without its dollars) as safe text, one line or several; None when it stays source."""
    return _written(source) if len(source) <= LARGEST else None


@lru_cache(KEPT)
def _written(source: str) -> str | None:
    context = guarded(_context)  # loads the library, whose time is not that of the formula
    return None if context is None else guarded(lambda: _text(source), SECONDS)


def _text(source: str) -> str | None:
    from pylatexenc.latexwalker import LatexWalker  # type: ignore[import-untyped]

    nodes, _, _ = LatexWalker(source, latex_context=_context(), tolerant_parsing=False).get_latex_nodes()
    return safe("\n".join(line for line in _lines(nodes) if line)) or None


@cache
def _context() -> Any:
    """What pylatexenc knows of macros, and what is known here."""
    from pylatexenc.latexwalker import get_default_latex_context_db
    from pylatexenc.macrospec import std_macro  # type: ignore[import-untyped]

    found = get_default_latex_context_db()
    macros = [std_macro(name, arguments) for name, arguments in s.ARITY.items()]
    found.add_context_category("htui", macros=macros, prepend=True)
    return found


@cache
def _symbols() -> Any:
    from pylatexenc.latex2text import get_default_latex_context_db  # type: ignore[import-untyped]

    return get_default_latex_context_db()


def _symbol(name: str) -> str:
    """The character or the word that a macro without arguments stands for."""
    if name in s.FUNCTIONS:
        return name
    known = s.SYMBOLS.get(name) or getattr(_symbols().get_macro_spec(name), "simplify_repl", None)
    if not isinstance(known, str) or not known.strip():
        raise Unknown(name)
    return known.strip()


def _lines(nodes: Nodes) -> list[str]:
    """The lines of a formula: environments that are rows of their own begin new ones."""
    lines: list[str] = []
    row: list[Any] = []
    for node in (*nodes, None):
        rows = node is not None and _name(node) in s.ROWS
        if node is None or rows or _is_break(node):
            lines.append(joined(_atoms(row)))
            row = []
        else:
            row.append(node)
        if rows:
            lines += _lines(node.nodelist)
    return lines


def _atoms(nodes: Nodes) -> list[Atom]:
    """The pieces of a row; scripts and primes are joined with what stands before them."""
    found: list[Atom] = []
    script = ""
    for piece in _pieces(nodes):
        if isinstance(piece, str):
            if script:
                raise Unknown(script + piece)
            script = piece
        elif script:
            if piece.kind != "blank":
                found.append(_scripted(found.pop() if found else Atom(""), script, piece))
                script = ""
        elif piece.kind == "prime" and found:
            found[-1] = found[-1]._replace(text=found[-1].text + piece.text, tight="")
        else:
            found.append(piece)
    if script:
        raise Unknown(script)
    return found


def _pieces(nodes: Nodes) -> Iterator[Atom | str]:
    """Every piece of a row, scripts not yet joined: `^` and `_` stand for themselves."""
    fence = False
    for node in nodes:
        kind = type(node).__name__
        if kind == "LatexCharsNode":
            chars = node.chars.lstrip() if fence else node.chars
            yield from map(_char, chars.removeprefix(".") if fence else chars)
        elif kind == "LatexGroupNode":
            yield _group(node.nodelist)
        elif kind == "LatexMathNode":
            yield from _pieces(node.nodelist)
        elif kind == "LatexMacroNode":
            yield from _macro(node)
        elif kind == "LatexEnvironmentNode":
            yield _environment(node)
        elif kind == "LatexSpecialsNode":
            yield from _special(node.specials_chars)
        elif kind != "LatexCommentNode":
            raise Unknown(kind)
        fence = _name(node) in ("left", "right", "middle")


def _char(char: str) -> Atom | str:
    if char in "^_":
        return char
    if char.isspace():
        return Atom("", "blank")
    return Atom("′", "prime") if char == "'" else of_char(char)


def _special(chars: str) -> Iterator[Atom | str]:
    if chars == "&":
        return
    if chars == "~":
        yield BLANK
    else:
        yield from map(_char, chars)


def _group(nodes: Nodes) -> Atom:
    """What stands in braces is one piece."""
    atoms = [atom for atom in _atoms(nodes) if atom.text]
    if len(atoms) == 1:
        return atoms[0]
    text = joined(atoms)
    return Atom(text, "ord", text.isdigit(), joined(atoms, tight=True))


def _macro(node: Any) -> Iterator[Atom | str]:
    name = node.macroname
    arguments = list((node.nodeargd.argnlist if node.nodeargd else None) or ())
    if name in s.NOTHING:
        return
    if name in s.SPACES:
        yield BLANK
    elif name in s.WORDS:
        yield Atom(_plain(arguments[-1]))
    elif arguments:
        given = [] if name == "substack" else [_group([part]) for part in arguments if part is not None]
        yield _applied(name, given, arguments)
    else:
        text = _symbol(name)
        yield Atom(text, "op") if text.isalpha() and len(text) > 1 else of_char(text)


def _applied(name: str, given: list[Atom], nodes: Nodes) -> Atom:
    """A macro with its arguments."""
    if name == "substack":
        return Atom("; ".join(_lines(nodes[-1].nodelist)), "inner", False)
    last = given[-1]
    if name in s.FRACTIONS:
        return Atom(f"{_numerator(given[0])}/{_enclosed(last)}", "inner", False)
    if name in s.BINOMIALS:
        return Atom(f"C({given[0].text}, {last.text})")
    if name == "sqrt":
        degree = given[0].tight or given[0].text if len(given) > 1 else "2"
        root = s.ROOTS.get(degree) or _mapped(degree, s.UPPER) + "√"
        return Atom(root + _enclosed(last), "ord" if root in s.ROOTS.values() else "inner")
    if name in s.UPRIGHT:
        return last
    if name in s.ALPHABETS:
        return Atom(_alphabet(name, last.text))
    if name in ("operatorname", "mathop"):
        return Atom(last.text, "op")
    if name in ("mathrel", "mathbin"):
        return Atom(last.text, "rel" if name == "mathrel" else "bin")
    if name in s.ACCENTS:
        return Atom(unicodedata.normalize("NFC", _one(last.text) + s.ACCENTS[name]))
    if name in s.LINES:
        return Atom("".join(part + s.LINES[name] for part in graphemes(last.text)))
    if name in ("overset", "stackrel"):
        return _scripted(last, "^", given[0])
    if name == "underset":
        return _scripted(last, "_", given[0])
    if name in ("xrightarrow", "xleftarrow"):
        return _scripted(Atom("→" if name == "xrightarrow" else "←", "rel"), "^", last)
    if name in ("underbrace", "overbrace"):
        return last
    if name == "not":
        return Atom(unicodedata.normalize("NFC", _one(last.text) + "\u0338"), "rel")
    if name == "pmod":
        return Atom(f" (mod {last.text})")
    if name == "tag":
        return Atom(f"  ({last.text})")
    raise Unknown(name)


def _environment(node: Any) -> Atom:
    name = node.environmentname
    if name in s.ROWS:
        return Atom("; ".join(filter(None, _lines(node.nodelist))), "inner", False)
    if name not in s.FENCES:
        raise Unknown(name)
    fences = s.FENCES[name]
    rows: list[str] = []
    cells: list[str] = []
    cell: list[Any] = []
    for part in (*node.nodelist, None):
        ends = part is None or _is_break(part)
        if not ends and getattr(part, "specials_chars", "") != "&":
            cell.append(part)
            continue
        cells.append(joined(_atoms(cell)))
        cell = []
        if ends:
            rows.append(", ".join(cells) if any(cells) else "")
            cells = []
    return Atom(f"{fences[0]}{'; '.join(filter(None, rows))}{fences[1]}", "inner")


def _scripted(base: Atom, mark: str, script: Atom) -> Atom:
    tight = script.tight or script.text
    body = base.text if base.whole else f"({base.text})"
    mapped = _mapped(tight, s.UPPER if mark == "^" else s.LOWER)
    if mapped or len(graphemes(tight)) != 1:
        return Atom(body + (mapped or f"{mark}({tight})"), base.kind)
    return Atom(body + mark + tight, "inner" if base.kind == "ord" else base.kind)


def _mapped(text: str, table: dict[int, int]) -> str:
    """`text` in characters of a script, empty where there are not enough of them."""
    return text.translate(table) if all(ord(char) in table for char in text) else ""


def _numerator(atom: Atom) -> str:
    """A product needs no parentheses above a line."""
    return atom.text if atom.whole or atom.text.isalnum() else f"({atom.text})"


def _enclosed(atom: Atom) -> str:
    differential = len(atom.text) == 2 and atom.text[0] in "d∂" and atom.text.isalpha()
    return atom.text if atom.whole or differential else f"({atom.text})"


def _one(text: str) -> str:
    """`text` if it is one character, which an accent can stand on."""
    if len(graphemes(text)) != 1:
        raise Unknown(text)
    return text


def _alphabet(name: str, text: str) -> str:
    from pylatexenc.latex2text import LatexNodes2Text

    if not (text.isascii() and text.isalnum()):
        raise Unknown(name)
    found = str(LatexNodes2Text().latex_to_text(f"\\{name}{{{text}}}"))
    if len(found) != len(text):
        raise Unknown(name)
    return found


def _plain(node: Any) -> str:
    """The words of `\\text{…}`, with the formulas in them."""
    parts = []
    for part in node.nodelist if type(node).__name__ == "LatexGroupNode" else [node]:
        parts.append(part.chars if type(part).__name__ == "LatexCharsNode" else joined(_atoms([part])))
    return " ".join("".join(parts).split(" "))


def _name(node: Any) -> str:
    return str(getattr(node, "macroname", "") or getattr(node, "environmentname", ""))


def _is_break(node: Any) -> bool:
    return getattr(node, "macroname", "") in ("\\", "cr", "newline")
