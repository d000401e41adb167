"""Which git commands destroy work, overwrite what is published or reach beyond the workspace; pure."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from hd.permit import reasons
from hd.permit.expand import Arg
from hd.permit.reasons import Reason
from hd.permit.writers import Options, options

Place = Callable[[Arg, Reason], Reason | None]
"""Judges a word that names where something is written; the reason is for a place beyond the workspace."""

READING: Final = frozenset(
    {"status", "log", "diff", "show", "rev-parse", "rev-list", "ls-files", "ls-tree", "ls-remote", "blame", "grep",
     "describe", "shortlog", "cat-file", "merge-base", "name-rev", "for-each-ref", "count-objects", "check-ignore",
     "--version", "version", "help"}
)  # fmt: skip
_GLOBAL_VALUES: Final = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--exec-path", "--namespace"})
_PLACES: Final = frozenset({"-C", "--git-dir", "--work-tree"})
# What can only be meant as a path where a branch could stand as well: `.`, `./a`, `:/a`, `*.py`, `a.py`, `a/`.
_A_PATH: Final = re.compile(r"\.\Z|\.{1,2}/|:|.*[*?\[]|.*/\Z|.*\.[A-Za-z]\w{0,4}\Z", re.DOTALL)


def verb(arguments: Sequence[Arg]) -> tuple[str, Sequence[Arg], list[Arg]]:
    """The command, its arguments, and the folders that git is told to work in; an empty command where there is none."""
    rest = list(arguments)
    folders: list[Arg] = []
    while rest and rest[0].text.startswith("-") and rest[0].text not in READING:
        name, separator, _ = rest[0].text.partition("=")
        if separator and name in _PLACES:
            folders.append(rest[0].since(len(name) + 1))
        elif name in _PLACES:
            folders += rest[1:2]
        rest = rest[2:] if name in _GLOBAL_VALUES and not separator else rest[1:]
    return (rest[0].text, rest[1:], folders) if rest else ("", [], folders)


def judge(arguments: Sequence[Arg], place: Place) -> Reason | None:
    name, rest, folders = verb(arguments)
    if name and name not in READING:
        for folder in folders:
            if reason := place(folder, reasons.OUTSIDE):
                return reason
    given = options(rest, "o output")
    if reason := next(filter(None, (place(one, reasons.OUTSIDE) for one in given.given("o", "output"))), None):
        return reason
    rule = _RULES.get(name)
    return rule(options(rest, _VALUED.get(name, "")), rest, place) if rule else None


def _push(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    over = given.flags & {"f", "force", "force-with-lease", "mirror", "delete", "d", "prune"}
    return reasons.HISTORY if over or any(word.text.startswith(("+", ":")) for word in given.operands) else None


def _checkout(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    if given.flags & {"f", "force", "ours", "theirs", "B", "pathspec-from-file"}:
        return reasons.UNCOMMITTED
    if any(word.text == "--" for word in rest[:-1]):
        return reasons.UNCOMMITTED
    if given.flags & {"b", "orphan", "t", "track", "detach", "d"}:
        return None
    paths = len(given.operands) > 1 or any(_A_PATH.match(word.text) for word in given.operands)
    return reasons.UNCOMMITTED if paths else None


def _switch(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    return reasons.UNCOMMITTED if given.flags & {"f", "force", "discard-changes", "C", "force-create"} else None


def _restore(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    only_unstages = given.flags & {"staged", "S"} and not given.flags & {"worktree", "W"}
    return None if only_unstages else reasons.UNCOMMITTED


def _reset(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    return reasons.UNCOMMITTED if given.flags & {"hard", "merge"} else None


def _clean(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    return None if given.flags & {"n", "dry-run"} else reasons.UNCOMMITTED


def _stash(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    return reasons.UNCOMMITTED if rest and rest[0].text in {"drop", "clear"} else None


def _branch(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    return reasons.LOSES_COMMITS if given.flags & {"D", "f", "force", "M", "C"} else None


def _reflog(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    return reasons.LOSES_COMMITS if rest and rest[0].text in {"expire", "delete"} else None


def _tag(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    return reasons.LOSES_COMMITS if given.flags & {"d", "delete", "f", "force"} else None


def _gc(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    return reasons.LOSES_COMMITS if given.flags & {"prune"} else None


def _update_ref(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    return reasons.LOSES_COMMITS if given.flags & {"d", "stdin"} else None


def _rewrites(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    return reasons.LOSES_COMMITS


def _rm(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    return None if given.flags & {"cached", "n", "dry-run"} else reasons.DELETES


def _worktree(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    match given.operands[0].text if given.operands else "":
        case "remove":
            return reasons.DELETES
        case "add" | "move":
            return _first(given.operands[1:], place)
    return None


def _clone(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    return _first(given.operands[1:], place)


def _init(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    return _first(given.operands, place)


def _config(given: Options, rest: Sequence[Arg], place: Place) -> Reason | None:
    reads = given.flags & {"get", "get-all", "get-regexp", "list", "l", "show-origin"}
    changes = given.flags & {"unset", "unset-all", "remove-section", "rename-section", "edit", "e"}
    first = given.operands[0].text if given.operands else ""
    if reads or first in {"get", "list"} or (len(given.operands) < 2 and not changes):
        return None
    if given.flags & {"global", "system"}:
        return reasons.OUTSIDE
    return _first(given.given("f", "file"), place)


def _first(words: Sequence[Arg], place: Place) -> Reason | None:
    return next(filter(None, (place(word, reasons.OUTSIDE) for word in words)), None)


_VALUED: Final = {
    "checkout": "b B orphan", "switch": "c C", "restore": "s source", "clean": "e exclude", "worktree": "b B reason",
    "clone": "b branch o origin depth c config j jobs reference filter u", "init": "b initial-branch template",
    "config": "f file blob type default", "tag": "m F u", "branch": "u set-upstream-to contains sort format",
}  # fmt: skip
_RULES: Final[dict[str, Callable[[Options, Sequence[Arg], Place], Reason | None]]] = {
    "push": _push, "checkout": _checkout, "switch": _switch, "restore": _restore, "reset": _reset, "clean": _clean,
    "stash": _stash, "branch": _branch, "reflog": _reflog, "tag": _tag, "gc": _gc, "prune": _rewrites,
    "update-ref": _update_ref, "filter-branch": _rewrites, "filter-repo": _rewrites, "rm": _rm, "clone": _clone,
    "worktree": _worktree, "init": _init, "config": _config,
}  # fmt: skip
