"""The git commands that only read, with the options that keep them so; pure but for the `Look`.

Missing on purpose: `-c` (it sets a pager or a program), `--output`, `--ext-diff`, `--textconv`, `--no-index` (reads
anywhere), `grep -O` (opens a pager) and `-p` before the command. What a repository's own settings make git run is a
question to the disk (`Look.trusts_git`); what the person's own settings do is theirs.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hd.permit import reasons
from hd.permit.proof import Doubtful, Known, Look, demand_readable

_DIFF: Final = (
    "p u s w b z R stat shortstat numstat name-only name-status patch no-patch raw summary minimal patience histogram "
    "cached staged no-color no-renames exit-code quiet check full-index binary ignore-all-space ignore-space-change "
    "ignore-blank-lines no-prefix pickaxe-regex pickaxe-all merge-base patch-with-stat a text function-context W"
)
_DIFF_VALUED: Final = "S G U diff-filter unified inter-hunk-context diff-algorithm"
_DIFF_MAYBE: Final = "M C stat color color-words word-diff find-renames find-copies abbrev relative ignore-submodules"
_LOG: Final = (
    "oneline graph all decorate no-decorate reverse first-parent merges no-merges follow i E F P no-abbrev-commit "
    "abbrev-commit left-right cherry-pick cherry-mark topo-order date-order author-date-order boundary full-history "
    "no-walk branches tags remotes g walk-reflogs no-notes source name-only m c cc parents children "
    "all-match invert-grep regexp-ignore-case simplify-by-decoration relative-date t"
)
_LOG_VALUED: Final = "n L since until after before author committer grep max-count skip min-parents max-parents"
_LOG_MAYBE: Final = "pretty format date decorate branches tags remotes decorate-refs decorate-refs-exclude exclude glob"


@dataclass(frozen=True, slots=True)
class _Verb:
    """`most` operands, of which the first must be one of `first` where that is given; they are revisions or paths."""

    known: Known
    most: int | None = None
    first: frozenset[str] = frozenset()


def _logs() -> _Verb:
    return _Verb(Known(f"{_DIFF} {_LOG}", f"{_DIFF_VALUED} {_LOG_VALUED}", f"{_DIFF_MAYBE} {_LOG_MAYBE}", number=True))


_REFS: Final = "sort format points-at contains no-contains merged no-merged"
_VERBS: Final[dict[str, _Verb]] = {
    "status": _Verb(
        Known(
            "s b v z short branch long verbose show-stash ahead-behind no-ahead-behind no-renames renames",
            "",
            "u porcelain untracked-files ignored ignore-submodules column find-renames",
        )
    ),
    "diff": _Verb(Known(_DIFF, _DIFF_VALUED, _DIFF_MAYBE)),
    "log": _logs(),
    "show": _logs(),
    "shortlog": _Verb(Known("s n e c summary numbered email all no-merges", "since until author", "group format")),
    "blame": _Verb(Known("w e n f s l t p c M C root line-porcelain porcelain show-email", "L since", "date abbrev")),
    "grep": _Verb(
        Known(
            "n i l L c o w v E F G P I a h H q cached line-number ignore-case files-with-matches name-only count "
            "word-regexp extended-regexp fixed-strings perl-regexp show-function heading break no-color and or not "
            "all-match invert-match",
            "e A B C m max-depth max-count context",
            "color",
            number=True,
        )
    ),
    "ls-files": _Verb(
        Known(
            "c d m o i s t u v z cached deleted modified others ignored stage exclude-standard full-name directory",
            "x exclude",
        )
    ),
    "ls-tree": _Verb(Known("d r t l z name-only name-status long full-name full-tree", "", "abbrev format")),
    "rev-parse": _Verb(
        Known("verify q show-toplevel show-prefix git-dir is-inside-work-tree is-bare-repository symbolic "
              "absolute-git-dir git-common-dir symbolic-full-name all", "", "short abbrev-ref"),
    ),
    "rev-list": _Verb(Known(f"{_LOG} count objects", _LOG_VALUED, _LOG_MAYBE, number=True)),
    "describe": _Verb(Known("all tags long always contains exact-match", "match exclude", "dirty abbrev broken")),
    "cat-file": _Verb(Known("t s e p")),
    "merge-base": _Verb(Known("a all is-ancestor octopus independent fork-point")),
    "name-rev": _Verb(Known("name-only always tags all", "refs")),
    "for-each-ref": _Verb(Known("", f"{_REFS} count", "format sort")),
    "show-ref": _Verb(Known("heads tags d head verify q s", "", "hash abbrev")),
    "count-objects": _Verb(Known("v H verbose human-readable"), 0),
    "check-ignore": _Verb(Known("v n q z verbose non-matching quiet no-index")),
    "branch": _Verb(
        Known("a r v vv all remotes verbose list show-current no-color l", "sort format points-at", "color"), 0
    ),
    "tag": _Verb(Known("l list", "sort format points-at", "n color"), 0),
    "remote": _Verb(Known("v verbose"), 0),
    "stash": _Verb(Known("p stat"), None, frozenset({"list", "show"})),
    "worktree": _Verb(Known("v porcelain verbose"), 1, frozenset({"list"})),
    "config": _Verb(Known("z show-origin show-scope local", "get get-all get-regexp"), 0),
    "version": _Verb(Known(), 0),
}  # fmt: skip
_SIGNATURE: Final = re.compile(r"%[-+ ]?G|%\(\*?signature")
"""In a format it makes git run a program that checks signatures, and that one keeps files of its own."""


def check_git(arguments: Sequence[str], look: Look, folder: str) -> None:
    """Doubtful unless this call of git only reads."""
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "--version" and not rest:
            return
        if option == "-C" and rest:
            demand_readable(rest[:1], look, folder)
            place = rest.pop(0)
            folder = place if place.startswith("/") else f"{folder}/{place}"
        elif option not in {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"}:
            raise Doubtful(reasons.OPTION_UNKNOWN)
    verb = _VERBS.get(rest[0]) if rest else None
    if verb is None:
        raise Doubtful(reasons.PROGRAM_UNKNOWN)
    if any(_SIGNATURE.search(word) for word in rest):
        raise Doubtful(reasons.GIT_RUNS)
    parsed = verb.known.parse(rest[1:])
    if verb.most is not None and len(parsed.operands) > verb.most:
        raise Doubtful(reasons.OPTION_UNKNOWN)
    if verb.first and parsed.operands[:1] not in [[word] for word in verb.first]:
        raise Doubtful(reasons.PROGRAM_UNKNOWN)
    # An operand may be a revision, a path, or both as in `HEAD:src/a.py`; each part is taken for a path.
    named = [*parsed.operands, *parsed.given("L")]
    demand_readable([part for word in named for part in word.split(":")], look, folder)
    if not look.trusts_git(folder):
        raise Doubtful(reasons.GIT_RUNS)
