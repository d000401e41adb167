"""Whether a command line provably only reads; pure but for the `Look` that it is given.

The opposite burden of proof to `hd.permit.commands`: there a command runs unless something speaks against it, here it
is doubtful unless each word is understood. Only plain words stand the proof: no substitution, assignment, brace, home
sign or compound command, no redirection but to `/dev/null`, and only the programs, options and places that
`hd.permit.readers` knows. File names that a pattern matches are put in before options are looked for, so that a file
called `-o` is the option that a program would take it for.
"""

import re
from collections.abc import Sequence
from glob import escape
from itertools import pairwise
from typing import Final, Protocol

from hd.permit import reasons
from hd.permit.git_readers import check_git
from hd.permit.proof import Doubtful, Look, numbers
from hd.permit.readers import READERS, check
from hd.permit.reasons import Reason
from hd.permit.shell import Piece, Redirect, Simple, Word, read

_READABLE: Final = 16 * 1024
_DEPTH: Final = 3
_MOST_FOLDERS: Final = 4
_GOES_ON: Final = frozenset({"", ";", "\n", "&&", "||", "|", "|&"})
_PIPES: Final = frozenset({"|", "|&"})
_TO_NOWHERE: Final = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<"})
_PATTERN: Final = re.compile(r"[*?]")
_HOME_SIGN: Final = re.compile(r"(?:\A|[=:])~")
_HIDDEN_PATTERN: Final = re.compile(r"(?:\A|/)\.[^/]*[*?]")
# What may stand behind a `$` that is meant as such, as in `"a$|b$"`.
_PAST_DOLLAR: Final = re.compile(r"\Z|[ |)/.,]")


class Doubt(Protocol):
    """Why a command is not known to only read; None where it is proven."""

    def __call__(self, command: str) -> Reason | None: ...


def unproven(command: str) -> Reason | None:
    """The doubt of somebody who can look at nothing."""
    return reasons.NOT_PROVEN


def doubt(command: str, look: Look) -> Reason | None:
    """What speaks against taking `command`, run in the workspace that `look` sees, for one that only reads."""
    try:
        _prove(command, look, frozenset({"."}), _DEPTH)
    except Doubtful as met:
        return met.reason
    return None


def _prove(command: str, look: Look, start: frozenset[str], depth: int) -> None:
    folders = set(start)
    for before, simple in pairwise([Simple(), *_read(command)]):
        if simple.end not in _GOES_ON:
            raise Doubtful(reasons.COMPOUND)
        _check_redirects(simple.redirects)
        if not simple.words:
            continue
        is_piped = simple.end in _PIPES or before.end in _PIPES
        for folder in sorted(folders):
            words = [text for word in simple.words for text in _texts(word, look, folder)]
            if words[0] == "cd":
                # It may fail, and then what follows runs where it stood before; so both places count from here on.
                if not is_piped:
                    folders.add(_led(words[1:], look, folder))
            else:
                _check_call(words, look, folder, depth)
        if len(folders) > _MOST_FOLDERS:
            raise Doubtful(reasons.NOT_PROVEN)


def _read(command: str) -> list[Simple]:
    is_plain = all(sign.isprintable() or sign in "\n\t" for sign in command)
    if len(command) > _READABLE or not is_plain or command.endswith("\\"):
        raise Doubtful(reasons.UNREADABLE)
    try:
        return read(command)
    except ValueError:
        raise Doubtful(reasons.UNREADABLE) from None


def _check_redirects(redirects: Sequence[Redirect]) -> None:
    for redirect in redirects:
        target = "".join(_literal(piece) for piece in redirect.target)
        is_stream = redirect.operator == ">&" and (target.isdigit() or target == "-")
        if not is_stream and (redirect.operator not in _TO_NOWHERE or target != "/dev/null"):
            raise Doubtful(reasons.REDIRECTS)


def _literal(piece: Piece) -> str:
    if piece.kind != "text":
        raise Doubtful(reasons.FILLED_IN)
    return piece.text


def _texts(word: Word, look: Look, folder: str) -> list[str]:
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
    matches = look.matches(pattern, folder)
    if matches is None:
        raise Doubtful(reasons.FILLED_IN)
    return matches or [literal]


def _check_bare(text: str, *, before: str, is_whole: bool) -> None:
    """A part of a word that stands in no quotes; `[` is the program where it is the whole word."""
    if "{" in text or "}" in text or ("[" in text and not (is_whole and text == "[")):
        raise Doubtful(reasons.FILLED_IN)
    if _HOME_SIGN.search(before[-1:] + text if before else text):
        raise Doubtful(reasons.FILLED_IN)


def _led(arguments: Sequence[str], look: Look, folder: str) -> str:
    """Where `cd` goes. A shell drops `..` before it follows links and a program does not, so none may stand there."""
    if len(arguments) != 1 or arguments[0].startswith("-") or ".." in arguments[0].split("/"):
        raise Doubtful(reasons.NOT_PROVEN)
    if not look.may_read(arguments[0], folder):
        raise Doubtful(reasons.READS_BEYOND)
    return arguments[0] if arguments[0].startswith("/") else f"{folder}/{arguments[0]}"


def _check_call(words: Sequence[str], look: Look, folder: str, depth: int) -> None:
    program, arguments = words[0], words[1:]
    match program:
        case "timeout" if len(arguments) > 1 and numbers(arguments[0]):
            _check_call(arguments[1:], look, folder, depth)
        case "sh" | "bash" if len(arguments) == 2 and arguments[0] == "-c" and depth:
            _prove(arguments[1], look, frozenset({folder}), depth - 1)
        case "git":
            check_git(arguments, look, folder)
        case _ if program in READERS:
            check(program, arguments, look, folder)
        case _:
            raise Doubtful(reasons.PROGRAM_UNKNOWN)
