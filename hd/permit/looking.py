"""Whether a shell command does nothing but look; pure.

The answer is yes only where every word of it is plain: no substitution, no redirection but to nowhere, no program that
could be told to write. It serves to spare work, so a wrong no costs time and a wrong yes must not be.
"""

from typing import Final

from hd.permit import programs
from hd.permit.shell import Redirect, Word, read, written

_LOOKERS: Final = frozenset(
    """
    ls cat head tail wc pwd echo printf stat cmp cut tr du df which type true false cd pushd popd grep egrep
    fgrep printenv id whoami uname hostname ps basename dirname realpath readlink md5sum sha1sum sha256sum nl sleep
    : [ test exit
    """.split()  # noqa: SIM905 -- a list of so many is unreadable
)
_GIT: Final = frozenset(
    {"log", "show", "ls-files", "ls-tree", "rev-parse", "blame", "describe", "shortlog", "cat-file"}
)
_GIT_WRITES: Final = ("--output", "--ext-diff", "--textconv")
_STREAMS: Final = frozenset({"1", "2", "-", "/dev/null"})
_FINDS_ONLY: Final = frozenset(
    {"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"}
)


def only_looks(command: str) -> bool:
    """False where there is any doubt."""
    try:
        simples = read(command)
    except ValueError:
        return False
    return all(_is_quiet(one.words, one.redirects) for one in simples)


def _is_quiet(words: list[Word], redirects: list[Redirect]) -> bool:
    parts = [*words, *(redirect.target for redirect in redirects), *(redirect.body for redirect in redirects)]
    if any(piece.kind not in ("text", "variable") or piece.operation for word in parts for piece in word):
        return False
    if any(">" in redirect.operator and written(redirect.target) not in _STREAMS for redirect in redirects):
        return False
    if not words:
        return True
    name, *rest = (written(word) for word in words)
    if any(piece.kind == "variable" for piece in words[0]) or programs.ASSIGNMENT.match(name):
        return False
    if name == "find":
        return _FINDS_ONLY.isdisjoint(rest)
    if name == "git":
        return bool(rest) and rest[0] in _GIT and not any(text.startswith(_GIT_WRITES) for text in rest)
    return name in _LOOKERS
