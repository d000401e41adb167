"""Whether a command line provably only reads; pure but for the `Look` that it is given.

The opposite burden of proof to `hd.permit.commands`: there a command runs unless something speaks against it, here it
is doubtful unless each word is understood. Only plain lines stand the proof (`hd.permit.plain`), and only the programs,
options and places that `hd.permit.readers` knows.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Final, Protocol

from hd.permit import reasons
from hd.permit.git_readers import check_git
from hd.permit.plain import PIPES, check_redirects, goes_on, read_plain, texts
from hd.permit.proof import Doubtful, Look, numbers
from hd.permit.readers import READERS, check
from hd.permit.reasons import Reason
from hd.permit.shell import Simple

_DEPTH: Final = 3
_MOST_FOLDERS: Final = 4


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
    for before, simple in pairwise([Simple(), *read_plain(command)]):
        goes_on(simple)
        check_redirects(simple.redirects)
        if not simple.words:
            continue
        is_piped = simple.end in PIPES or before.end in PIPES
        for folder in sorted(folders):
            words = [text for word in simple.words for text in texts(word, partial(look.matches, folder=folder))]
            if words[0] == "cd":
                # It may fail, and then what follows runs where it stood before; so both places count from here on.
                if not is_piped:
                    folders.add(_led(words[1:], look, folder))
            else:
                _check_call(words, look, folder, depth)
        if len(folders) > _MOST_FOLDERS:
            raise Doubtful(reasons.NOT_PROVEN)


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
