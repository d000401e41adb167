"""Plain command lines: lists and pipes of simple commands whose every word stands there as it is run; pure.

No substitution, assignment, brace, home sign or compound command is plain, and no redirection but to and from
`/dev/null`. Whoever judges a line by its words alone judges a plain one. File names that a pattern matches are put in
before options are looked for, so that a file called `-o` is the option that a program would take it for.
"""

import re
from collections.abc import Callable, Sequence
from glob import escape
from typing import Final

from hd.permit import reasons
from hd.permit.proof import Doubtful
from hd.permit.shell import Piece, Redirect, Simple, Word, read

Matches = Callable[[str], list[str] | None]
"""The names that a shell puts in for a pattern; None where that cannot be told."""

READABLE: Final = 16 * 1024
"""Characters of a line that is read at most."""

_GOES_ON: Final = frozenset({"", ";", "\n", "&&", "||", "|", "|&"})
PIPES: Final = frozenset({"|", "|&"})
_TO_NOWHERE: Final = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<"})
_PATTERN: Final = re.compile(r"[*?]")
_HOME_SIGN: Final = re.compile(r"(?:\A|[=:])~")
_HIDDEN_PATTERN: Final = re.compile(r"(?:\A|/)\.[^/]*[*?]")
# What may stand behind a `$` that is meant as such, as in `"a$|b$"`.
_PAST_DOLLAR: Final = re.compile(r"\Z|[ |)/.,]")


def read_plain(command: str) -> list[Simple]:
    """The simple commands of a line, with whatever their words are made of; `Doubtful` for one that hides something."""
    is_plain = all(sign.isprintable() or sign in "\n\t" for sign in command)
    if len(command) > READABLE or not is_plain or command.endswith("\\"):
        raise Doubtful(reasons.UNREADABLE)
    try:
        return read(command)
    except ValueError:
        raise Doubtful(reasons.UNREADABLE) from None


def goes_on(simple: Simple) -> None:
    """Doubtful where a command ends in anything but a list or a pipe."""
    if simple.end not in _GOES_ON:
        raise Doubtful(reasons.COMPOUND)


def check_redirects(redirects: Sequence[Redirect]) -> None:
    """Doubtful where one leads elsewhere than to or from `/dev/null`, or to another stream."""
    for redirect in redirects:
        target = "".join(_literal(piece) for piece in redirect.target)
        is_stream = redirect.operator == ">&" and (target.isdigit() or target == "-")
        if not is_stream and (redirect.operator not in _TO_NOWHERE or target != "/dev/null"):
            raise Doubtful(reasons.REDIRECTS)


def _literal(piece: Piece) -> str:
    if piece.kind != "text":
        raise Doubtful(reasons.FILLED_IN)
    return piece.text


def texts(word: Word, matches_of: Matches) -> list[str]:
    """The words that a shell makes of one: the word itself, or the files that it matches."""
    literal, pattern, is_pattern = "", "", False
    for place, piece in enumerate(word):
        if piece.kind == "variable" and piece.source in {"$?", "${?}"}:
            text = "0"
        elif piece.source.startswith("$'"):
            raise Doubtful(reasons.FILLED_IN)
        else:
            text = _literal(piece)
        if piece.source == "$" and not _PAST_DOLLAR.match(word[place + 1].text if place + 1 < len(word) else ""):
            raise Doubtful(reasons.FILLED_IN)
        if not piece.quoted:
            _check_bare(text, before=literal, is_whole=len(word) == 1)
            is_pattern |= _PATTERN.search(text) is not None
        literal += text
        pattern += escape(text) if piece.quoted else text
    if not is_pattern:
        return [literal]
    if _HIDDEN_PATTERN.search(pattern):
        raise Doubtful(reasons.FILLED_IN)
    matches = matches_of(pattern)
    if matches is None:
        raise Doubtful(reasons.FILLED_IN)
    return matches or [literal]


def _check_bare(text: str, *, before: str, is_whole: bool) -> None:
    """A part of a word that stands in no quotes; `[` is the program where it is the whole word."""
    if "{" in text or "}" in text or ("[" in text and not (is_whole and text == "[")):
        raise Doubtful(reasons.FILLED_IN)
    if _HOME_SIGN.search(before[-1:] + text if before else text):
        raise Doubtful(reasons.FILLED_IN)
